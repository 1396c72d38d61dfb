"""An old store to move from: 141 memories, 481 tags and 23 categories, in the layout that TinyDB 4 writes."""

import json
from itertools import cycle, product
from typing import Any

CATEGORIES = (
    "personal", "preferences", "family", "health", "work_projects", "Career", "goals", "startup", "learning", "Courses",
    "book notes", "todos", "deadlines", "appointments", "recipes", "code-snippets", "how-to", "bookmarks", "meetings",
    "conversations", "people", "claude_preferences", "workflow",
)  # fmt: skip
"""All of them have names that the shipped table knows."""
_PLACES = (
    "garden kitchen harbour library museum tunnel orchard bakery island valley chapel stadium castle market forest desert"
    " cellar balcony bridge station meadow quarry village airport canyon lagoon prairie glacier monastery"
).split()
_THINGS = "plan budget sketch invoice rehearsal survey repair exhibition harvest".split()
_SAID = (
    "Ana prefers the {place} to be quiet in the evening.",
    "Ana keeps the {thing} of the {place} in a blue folder.",
    "The {thing} for the {place} is due in week {number}.",
    "Ana learned that a {place} needs a {thing} every year.",
    "Ben and Ana talked about the {place} and its {thing}.",
)


def tags() -> list[str]:
    """481 tags of 261 meanings: of 110 also the plural and another spelling."""
    meanings = [f"{place}-{thing}" for place, thing in product(_PLACES, _THINGS)]
    spelled = [other for tag in meanings[:110] for other in (f"{tag}s", tag.title().replace("-", "_"))]
    return [*meanings, *spelled]


def documents() -> list[dict[str, Any]]:
    """The 141 memories. Each is about a place, and so are its tags; some have an id of their own."""
    kinds, found = cycle(CATEGORIES), list[dict[str, Any]]()
    for number in range(141):
        place, thing = _PLACES[number % len(_PLACES)], _THINGS[number % len(_THINGS)]
        about = [tag for tag in tags() if tag.casefold().startswith(place)]
        own = about[number // len(_PLACES) :: len(range(number % len(_PLACES), 141, len(_PLACES)))]
        found.append({
            "content": _SAID[number % 5].format(place=place, thing=thing, number=number),
            "category": next(kinds),
            "tags": own if number % 2 else ", ".join(own),
            "importance": number % 5 + 1,
            "created_at": f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}T10:30:00+00:00",
            "access_count": number % 7,
            **({"id": f"mem_{12_000 + number}"} if number % 3 == 0 else {}),
        })  # fmt: skip
    return found


def tables() -> dict[str, dict[str, dict[str, Any]]]:
    """Two tables whose documents have numbers with gaps, the same in both; a date of TinyDB's serializer, and a NaN."""
    whole = documents()
    whole[1]["created_at"] = "{TinyDate}:2024-08-27T10:30:00"
    whole[2]["importance"] = float("nan")
    halves = {"memories": whole[:100], "archive": whole[100:]}
    return {table: {str(2 * at + 1): one for at, one in enumerate(half)} for table, half in halves.items()}


def written() -> bytes:
    """The file, as TinyDB's JSON storage writes it."""
    return json.dumps(tables()).encode()

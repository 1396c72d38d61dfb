"""What is looked at in what 0.1 wrote, and what is done with it; the expectations beside this file are what 0.1 answered."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from tests.integration.written_by_0_1.doors import Door

USERS = ("ana", "bea", "carl", "cleo", "dora", "eva")
KEYS = ("city", "role", "tea")
_SECTIONS = ("preference", "work_context", "personal_context", "reading_history")
_SCORES = {"search_memory": "relevance_score", "memory_search": "distance", "memory_search_personal": "relevance_score"}
_ID = re.compile(r"\b(mem|op|run)_[0-9A-HJKMNP-TV-Z]{26}\b")
_DIGITS = 6


class Search(NamedTuple):
    """A question to a tool."""

    tool: str
    arguments: dict[str, Any]


SEARCHES = (
    Search("search_memory", {"query": "What is the user's job?"}),
    Search("search_memory", {"query": "peanut allergy", "options": {"min_relevance": 0.0}}),
    Search("search_memory", {"query": "What did the user do in Lisbon last week?", "limit": 5}),
    Search("search_memory", {"query": "parking permit", "options": {"include_expired": True, "min_relevance": 0.0}}),
    Search("search_memory", {"query": "parking permit"}),
    Search("memory_search", {"query": "how does the user decide", "collection": "habits", "nResults": 3}),
    Search("memory_search", {"query": "music", "nResults": 10}),
    Search("memory_search_personal", {"query": "Which sports does the user do?"}),
    Search("memory_search_personal", {"query": "budget of the pilot", "agent_id": "planner"}),
    Search("memory_search_personal", {"query": "budget of the pilot"}),
)

DEEDS: dict[str, tuple[str, Callable[[Door], object]]] = {
    "read what is pending": ("ana", lambda door: door.night("ana")),
    "undo the finished run": ("ana", lambda door: door.review("ana", "undo", "last")),
    "approve replacements": ("bea", lambda door: door.review("bea", "approve", "last")),
    "discard replacements": ("bea", lambda door: door.review("bea", "discard", "last")),
    "approve erasures": ("dora", lambda door: door.review("dora", "approve", "last")),
    "discard erasures": ("dora", lambda door: door.review("dora", "discard", "last")),
    "undo erasures": ("dora", lambda door: door.review("dora", "undo", "last")),
    "resume the night that died": ("cleo", lambda door: door.night("cleo")),
    "resume the undo that died": ("eva", lambda door: door.night("eva")),
}
"""By what it is: whose memories it changes, and how."""


def answered(door: Door, search: Search) -> list[tuple[str, float]]:
    """Ids in their order with relevance or distance."""
    found = door.call("ana", search.tool, search.arguments)["results"]
    return [(one["id"], round(one[_SCORES[search.tool]], _DIGITS)) for one in found]


def remembered(door: Door, user: str) -> dict[str, list[Any]]:
    """What stands under each heading."""
    headings = {name: door.call(user, "read_memory", {"category": name, "limit": 100}) for name in _SECTIONS}
    return {name: answer["entries"] for name, answer in headings.items()}


def left_by(door: Door, deed: str, known: Iterable[str]) -> Any:
    """What a deed leaves: the newest run, and the records that are not as they were; ids that are new are named alike."""
    user, done = DEEDS[deed]
    before = door.records(user)
    done(door)
    after = door.records(user)
    gone = {one["memory_id"] for one in before} - {one["memory_id"] for one in after}
    changed = [one for one in after if one not in before]
    return settled({"changed": changed, "gone": sorted(gone), "told": door.told(user, "last")}, known)


def settled(value: Any, known: Iterable[str]) -> Any:
    """The same with each id that is not known named `..._new`, and records in the order of what they say."""
    ids = set(known)
    text = _ID.sub(lambda found: found[0] if found[0] in ids else f"{found[1]}_new", json.dumps(value))
    made = json.loads(text)
    made["changed"].sort(key=lambda one: (one["memory_id"], one["raw_text"], one["status"]))
    return made


def ids_in(text: str) -> set[str]:
    """Every id of a memory, operation or run that a text names."""
    return {found[0] for found in _ID.finditer(text)}

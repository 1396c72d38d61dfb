"""The record as pages: what is durable by section on one, daily notes on a page for each day."""

from collections.abc import Iterable, Sequence
from datetime import tzinfo

from commonplace.markdown import text
from commonplace.markdown.page import HEADINGS, MAIN, Line, day_of, owner_of, page_name, title_of
from commonplace.markdown.reading import CLOSING, OPENING, digest
from commonplace.models.memory import Memory

_HELP = (
    "Change entries, add some, move them under another heading, or take them out. Then: commonplace markdown apply",
    "Only what is listed here can be taken out, and only while the last line of the page is there.",
)


def written_pages(user_id: str, memories: Iterable[Memory], zone: tzinfo) -> dict[str, str]:
    """The pages of what is current, by name. `MEMORY.md` is always there, a day's page while it has notes."""
    stands: dict[str, list[Memory]] = {MAIN: []}
    for memory in memories:
        stands.setdefault(page_name(memory, zone), []).append(memory)
    return {name: _page(name, user_id, sorted(found, key=_order)) for name, found in stands.items()}


def _order(memory: Memory) -> tuple[bool, str, float, str]:
    """What has a key first; an order that stays, so that two versions of a page differ in what has changed."""
    return memory.key is None, memory.key or "", memory.happened_at.timestamp(), memory.memory_id


def _page(name: str, user_id: str, memories: Sequence[Memory]) -> str:
    day = day_of(name)
    body, lines = [f"# {title_of(name)}", ""], []
    for section, heading in ((None, ""),) if day else HEADINGS.items():
        here = [memory for memory in memories if section is None or memory.section == section]
        lines += [Line(one.content, one.key, section, one.memory_id, one.version, 0) for one in here]
        body += [f"## {heading}", ""] if heading else []
        body += [*map(_entry, here), *([""] if here else [])]
    listed = {memory.memory_id: memory.version for memory in memories}
    header = [
        *(OPENING, *_HELP),
        f"owner: {owner_of(user_id)}",
        f"sum: {digest(listed, lines)}",
        *(f"{memory_id} v{version}" for memory_id, version in listed.items()),
        "-->",
    ]
    return "\n".join([*header, "", *body, CLOSING, ""])


def _entry(memory: Memory) -> str:
    key = f"**{memory.key}**: " if memory.key else ""
    return f"- {key}{text.written(memory.content)} <!-- {memory.memory_id} v{memory.version} -->"

"""Write memories as pages. A person's edits are not overwritten before they are applied."""

import logging
from collections.abc import Collection, Iterable, Mapping
from datetime import tzinfo

from commonplace.domain.errors import CommonplaceError, places_of
from commonplace.domain.flaws import gathered
from commonplace.domain.interactions import LeftPage, WrittenPages
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Run
from commonplace.pages import page as page_text
from commonplace.pages.difference import read_record
from commonplace.pages.page import HEADINGS, MAIN, PageEntry, day_of, is_page, owner_hash, page_name, title_of, zone_of
from commonplace.pages.reading import CLOSING, OPENING, digest, parse
from commonplace.ports.bundle import Ports
from commonplace.ports.documents import Pages
from commonplace.ports.values import Caller
from commonplace.retrieval.record_scan import is_visible, visibility_of
from commonplace.runs.apply import RunContext

_HELP = (
    "Change entries, add some, move them under another heading, or take them out. Then: commonplace markdown apply",
    "Only what is listed here can be taken out, and only while the last line of the page is there.",
)
_FOREIGN = "no page of this memory; it is left alone"
_EDITED = "edited since it was written; apply it first, or overwrite it"
_log = logging.getLogger("commonplace")


def render_pages(user_id: str, memories: Iterable[Memory], zone: tzinfo) -> dict[str, str]:
    """Return the pages of the current memories, by name. They are `MEMORY.md` and a page for each day with notes."""
    by_page: dict[str, list[Memory]] = {MAIN: []}
    for memory in memories:
        by_page.setdefault(page_name(memory, zone), []).append(memory)
    return {name: _format_page(name, user_id, memories) for name, memories in by_page.items()}


def visible_pages(caller: Caller, ports: Ports) -> dict[str, str]:
    """Return the pages for the caller, with the memories of the caller's agent and the global memories."""
    visibility = visibility_of(caller)
    with gathered():
        current = [memory for memory in ports.records.all(caller.user_id) if is_visible(visibility, memory)]
    return render_pages(caller.user_id, current, zone_of(caller))


def _format_page(name: str, user_id: str, memories: list[Memory]) -> str:
    """Return the text of a page. Memories with keys come first, in a stable order, so that page versions can be compared."""
    memories.sort(key=lambda item: (item.key is None, item.key or "", item.happened_at.timestamp(), item.memory_id))
    day = day_of(name)
    body, lines = [f"# {title_of(name)}", ""], []
    for section, heading in ((None, ""),) if day else HEADINGS.items():
        entries = [memory for memory in memories if section is None or memory.section == section]
        lines += [PageEntry(page_text.text_of(item), item.key, section, item.memory_id, item.version, 0) for item in entries]
        body += [f"## {heading}", ""] if heading else []
        body += [*map(_format_entry, entries), *([""] if entries else [])]
    listed = {memory.memory_id: memory.version for memory in memories}
    header = [
        *(OPENING, *_HELP),
        f"owner: {owner_hash(user_id)}",
        f"sum: {digest(listed, lines)}",
        *(f"{memory_id} v{version}" for memory_id, version in listed.items()),
        "-->",
    ]
    return "\n".join([*header, "", *body, CLOSING, ""])


def _format_entry(memory: Memory) -> str:
    key = f"**{memory.key}**: " if memory.key else ""
    return f"- {key}{page_text.escape(page_text.text_of(memory))} <!-- {memory.memory_id} v{memory.version} -->"


def write_pages(
    pages: Pages, caller: Caller, ports: Ports, *, overwrite: bool = False, taken_over: Mapping[str, str] | None = None,
    erased: Collection[str] = (),
) -> WrittenPages:  # fmt: skip
    """Write the changed pages, and remove pages of days without notes.

    An edited page stays unchanged unless `overwrite` is True, its text is the one in `taken_over` (texts by name), or it
    contains an `erased` memory. A file without Commonplace's header, or with another owner, always stays unchanged.
    """
    with gathered() as flaws:
        record = read_record(caller, ports)
    wanted = render_pages(caller.user_id, record.current, zone_of(caller))
    written, removed, left = [], [], []
    for name in sorted({*wanted, *filter(is_page, pages.names())}):
        text = pages.read(name)
        if text == wanted.get(name):
            continue
        page = parse(name, text) if text is not None else None
        ids = {*page.listed, *(line.memory_id for line in page.lines)} if page else set()
        if text is not None and (page is None or page.owner != owner_hash(caller.user_id)):
            left.append(LeftPage(name=name, why=_FOREIGN))
        elif page and page.edited and not (overwrite or text == (taken_over or {}).get(name) or ids.intersection(erased)):
            left.append(LeftPage(name=name, why=_EDITED))
        elif name in wanted:
            pages.write(name, wanted[name])
            written.append(name)
        else:
            pages.delete(name)
            removed.append(name)
    unreadable = tuple(flaws.unreadable)
    return WrittenPages(written=tuple(written), removed=tuple(removed), left=tuple(left), unreadable=unreadable)


def publish(run: Run, context: RunContext) -> str | None:
    """Write the user's pages after a run, if pages are configured.

    A failure is logged and returned as one line instead of raised, because the run itself is done.
    """
    erased = {
        memory_id
        for operation in run.operations
        if operation.kind == "FORGET" and operation.outcome == "applied"
        for memory_id in operation.closed
    }
    return publish_changes(context, run.run_id, erased)


def publish_changes(context: RunContext, cause: str, erased: Collection[str] = ()) -> str | None:
    """Write the pages after any change. The log names the `cause`. `erased` memories are removed from all pages."""
    if context.night.pages is None:
        return None
    try:
        pages = context.night.pages(context.user_id)
        done = write_pages(pages, context.caller, context.ports, erased=erased)
        if erased:
            pages.drop_versions()
    except Exception as error:  # noqa: BLE001 - any failure with a page must not affect the changed memories
        why = str(error) if isinstance(error, CommonplaceError) else f"{type(error).__name__} at {places_of(error)}"
        _log.error("the pages were not written after %s: %s", cause, why)
        return f"the pages were not written: {why}"
    for page in done.left:
        _log.warning("%s was not written after %s: %s", page.name, cause, page.why)
    return None


def erase_pages(pages: Pages) -> None:
    """Erase all pages of a user, including old versions."""
    for name in filter(is_page, pages.names()):
        pages.delete(name)
    pages.drop_versions()

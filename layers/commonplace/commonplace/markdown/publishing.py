"""The pages are brought up to date with the record. What a person has written on them stays until it is taken over."""

import logging
from collections.abc import Collection, Mapping

from commonplace.errors import CommonplaceError
from commonplace.markdown.page import Page, is_page, owner_of, zone_of
from commonplace.markdown.reading import parse
from commonplace.markdown.record import read_record
from commonplace.markdown.writing import written_pages
from commonplace.models.pages import LeftPage, WrittenPages
from commonplace.models.runs import Run
from commonplace.night_ports import Pages
from commonplace.nightly.desk import Desk
from commonplace.ports import Caller, Ports

_FOREIGN = "no page of this memory; it is left alone"
_EDITED = "edited since it was written; apply it first, or overwrite it"
_log = logging.getLogger("commonplace")


def write_pages(
    pages: Pages, caller: Caller, ports: Ports, *, overwrite: bool = False, taken_over: Mapping[str, str] | None = None,
    erased: Collection[str] = (),
) -> WrittenPages:  # fmt: skip
    """Writes what has changed, and removes the pages of days of which nothing is left.

    A page that was edited is left, unless `overwrite`, or it is as in `taken_over` (texts by name), or it has one of the
    `erased` memories on it. What has no header of ours, or another owner's, is left in any case.
    """
    record = read_record(caller, ports)
    wanted = written_pages(caller.user_id, record.current, zone_of(caller))
    written, removed, left = [], [], []
    for name in sorted({*wanted, *filter(is_page, pages.names())}):
        there = pages.read(name)
        if there == wanted.get(name):
            continue
        page = parse(name, there) if there is not None else None
        if there is not None and (page is None or page.owner != owner_of(caller.user_id)):
            left.append(LeftPage(name=name, why=_FOREIGN))
        elif page and page.edited and not (overwrite or there == (taken_over or {}).get(name) or _has(page, erased)):
            left.append(LeftPage(name=name, why=_EDITED))
        elif name in wanted:
            pages.write(name, wanted[name])
            written.append(name)
        else:
            pages.delete(name)
            removed.append(name)
    return WrittenPages(written=tuple(written), removed=tuple(removed), left=tuple(left))


def publish(run: Run, desk: Desk) -> None:
    """Writes the user's pages after a run, where they are kept. What fails here is told in the log: the run is done."""
    if desk.night.pages is None:
        return
    erased = {one for told in run.operations if told.kind == "FORGET" and told.outcome == "applied" for one in told.closed}
    try:
        pages = desk.night.pages(desk.user_id)
        done = write_pages(pages, desk.caller, desk.ports, erased=erased)
        if erased:
            pages.drop_versions()
    except CommonplaceError as error:
        _log.error("the pages were not written after %s: %s", run.run_id, error)
        return
    for page in done.left:
        _log.warning("%s was not written after %s: %s", page.name, run.run_id, page.why)


def erase_pages(pages: Pages) -> None:
    """Takes away all pages of a user, with what they were before."""
    for name in filter(is_page, pages.names()):
        pages.delete(name)
    pages.drop_versions()


def _has(page: Page, erased: Collection[str]) -> bool:
    return any(one in erased for one in (*page.listed, *(line.memory_id for line in page.lines)))

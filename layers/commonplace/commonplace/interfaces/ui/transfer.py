"""Bringing memories along, with a plan first, and taking them out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, get_args

from starlette.responses import Response

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import Imported, ImportedMemory, ImportedRecords
from commonplace.domain.taxonomy import ImportKind
from commonplace.domain.transfer import MEDIA, PrintedFormat
from commonplace.importing.kinds import kind_of
from commonplace.importing.sources import Source
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.uploads import laid_out, packed
from commonplace.interfaces.ui.visit import Visit, whole_number
from commonplace.use_cases.import_records import read_export

KINDS: tuple[ImportKind, ...] = get_args(ImportKind)
FORMATS: dict[PrintedFormat, str] = {
    "jsonl": "JSON Lines: everything, to be imported again",
    "csv": "CSV: everything, for a spreadsheet; can be imported again",
    "markdown": "Markdown: what is remembered now, to be read",
    "mem0": "mem0: what is remembered now, as that store gives it",
    "langgraph": "LangGraph: what is remembered now, as items of its store",
}
MEGABYTES = 32
"""That the server takes at once."""
MOST_SHOWN = 200
"""Rows of a table at once: of what is refused or stands in the way, and of the memories that would come."""


@dataclass(frozen=True)
class Plan:
    """What an import would bring, or has brought. `in_the_way`: each with where it stands and why it is not taken; `people`:
    several, of whom one is to be chosen, with how many entries are theirs."""

    kind: str
    why: str
    entries: int
    added: int
    closed: int
    known: int
    in_the_way: Sequence[tuple[str, str]]
    runs: Sequence[str]
    result: Imported | ImportedRecords
    memories: Sequence[ImportedMemory]
    people: Mapping[str, int] = field(default_factory=dict)


def form(visit: Visit) -> Response:
    """What can be brought along."""
    return visit.show("import.html", kinds=KINDS, asked=None, most_megabytes=MEGABYTES)


def planned(visit: Visit) -> Response:
    """What the files would bring; nothing is stored, and they are kept for an hour."""
    asked = visit.form.get("kind")
    try:
        with packed(visit.folder) as archive:
            plan = _taken(archive, asked, visit.memory, range(MOST_SHOWN), apply=False)
            upload = visit.memory.upload(archive)
    except CommonplaceError as error:
        return visit.show_again("import.html", error, kinds=KINDS, asked=asked, most_megabytes=MEGABYTES)
    return _shown(visit, plan, upload.upload_id, 0)


def further(visit: Visit) -> Response:
    """The next of the memories that would come."""
    start = whole_number(visit.form.get("start"))
    listed = range(start, start + MOST_SHOWN) if isinstance(start, int) else range(MOST_SHOWN)
    return _shown(visit, _of_upload(visit, listed, apply=False), visit.form.get("upload_id", ""), listed.start)


def _shown(visit: Visit, plan: Plan, upload_id: str, start: int) -> Response:
    return visit.show("import_plan.html", plan=plan, upload_id=upload_id, most=MOST_SHOWN, start=start)


def _of_upload(visit: Visit, listed: range, *, apply: bool) -> Plan:
    only = visit.form.get("only") or None
    with TemporaryFile() as archive:
        visit.memory.uploaded(visit.form.get("upload_id", ""), archive)
        return _taken(archive, visit.form.get("kind"), visit.memory, listed, apply=apply, only=only)


def applied(visit: Visit) -> Response:
    """Stores what the plan told."""
    plan = _of_upload(visit, range(0), apply=True)
    visit.memory.drop_upload(visit.form.get("upload_id", ""))
    said = f"Imported: {plan.added:,} memories came, {plan.known:,} were here already."
    if len(plan.runs) == 1:
        return visit.go(f"/ui/runs/{plan.runs[0]}", said)
    return visit.go("/ui/runs" if plan.runs else "/ui/import", said)


def left(visit: Visit) -> Response:
    """Lets go of what was sent."""
    visit.memory.drop_upload(visit.form.get("upload_id", ""))
    return visit.go("/ui/import", "Nothing was imported, and the file is gone from here.")


def formats(visit: Visit) -> Response:
    """What the memories can be taken out as."""
    return visit.show("export.html", formats=FORMATS)


def exported(visit: Visit) -> Response:
    """All memories as a file."""
    form = next((one for one in FORMATS if one == visit.form.get("format")), None)
    if form is None:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "format: is none of those that there are", "format")
    media, ending = MEDIA.get(form, ("application/json", f"{form}.json"))
    name = f"memories-{visit.memory.now():%Y-%m-%d}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response("".join(visit.memory.export_lines(form)), headers=headers, media_type=media)


def _taken(
    archive: IO[bytes], asked: str | None, memory: Commonplace, listed: range, *, apply: bool, only: str | None = None
) -> Plan:
    kind = next((one for one in KINDS if one == asked), None)
    with laid_out(archive) as source:
        found = kind_of(source, kind)
        if found.kind == "commonplace":
            return _of_records(source, found.why, memory, listed, apply)
        done = memory.import_from(source, found.kind, apply, only=only, listed=listed)
    in_the_way = [(one.where, one.message) for one in done.refused]
    in_the_way += [(name, "says something else here; what is here stays") for name in done.conflicts]
    in_the_way += [(name, "was changed here meanwhile; the next import takes it") for name in done.lost]
    runs = done.runs or ([done.run_id] if done.run_id else [])
    counts = done.entries, done.added, done.closed, max(len(done.known), done.outcomes.get("known", 0))
    people = done.people if len(done.people) > 1 else {}
    return Plan(found.kind, found.why, *counts, in_the_way, runs, done, done.memories, people)


def _of_records(source: Source, why: str, memory: Commonplace, listed: range, apply: bool) -> Plan:
    given = read_export(source.text)
    done = memory.import_records(given or [], apply)
    in_the_way = [(one.memory_id, one.why) for one in done.left_out if not one.why.startswith("known")]
    runs = [done.run_id] if done.run_id is not None else []
    counts, shown = (len(given), len(done.stored), done.closed, len(done.known)), done.memories[listed.start : listed.stop]
    return Plan("commonplace", why, *counts, in_the_way, runs, done, shown)


ROUTES = (
    Route("/ui/import", form),
    Route("/ui/import", planned, "POST", MEGABYTES * 1_000_000),
    Route("/ui/import/further", further, "POST"),
    Route("/ui/import/apply", applied, "POST"),
    Route("/ui/import/leave", left, "POST"),
    Route("/ui/export", formats),
    Route("/ui/export", exported, "POST"),
)

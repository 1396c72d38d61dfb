"""The views that plan and apply an import of memories, and export all memories."""

from tempfile import TemporaryFile
from typing import IO, get_args

from starlette.responses import Response

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, invalid
from commonplace.domain.imports import Imported
from commonplace.domain.taxonomy import ImportKind
from commonplace.domain.transfer import MEDIA, PrintedFormat
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.uploads import laid_out, packed
from commonplace.interfaces.ui.visit import Visit, whole_number

KINDS: tuple[ImportKind, ...] = get_args(ImportKind)
FORMATS: dict[PrintedFormat, str] = {
    "jsonl": "JSON Lines: everything; can be imported again",
    "csv": "CSV: everything, for a spreadsheet; can be imported again",
    "markdown": "Markdown: active memories, for reading",
    "mem0": "mem0: active memories, in the format of that store",
    "langgraph": "LangGraph: active memories, as items of its store",
}
MEGABYTES = 32
"""The maximum size of an upload in megabytes."""
MOST_SHOWN = 200
"""The maximum number of rows in the table of refused entries and conflicts, and in the table of memories to import."""


def form(visit: Visit) -> Response:
    """Show the import form."""
    return visit.show("import.html", kinds=KINDS, asked=None, most_megabytes=MEGABYTES)


def planned(visit: Visit) -> Response:
    """Show which memories the uploaded files would add, without storing them, and keep the upload for an hour."""
    kind = visit.form.get("kind")
    try:
        with packed(visit.folder) as archive:
            plan = _import_archive(archive, kind, visit.memory, range(MOST_SHOWN), apply=False)
            upload = visit.memory.upload(archive)
    except CommonplaceError as error:
        return visit.show_error("import.html", error, kinds=KINDS, asked=kind, most_megabytes=MEGABYTES)
    return _show_plan(visit, plan, upload.upload_id, 0)


def further(visit: Visit) -> Response:
    """Show the next page of the memories to import."""
    start = whole_number(visit.form.get("start"))
    listed = range(start, start + MOST_SHOWN) if isinstance(start, int) else range(MOST_SHOWN)
    return _show_plan(visit, _import_upload(visit, listed, apply=False), visit.form.get("upload_id", ""), listed.start)


def _show_plan(visit: Visit, plan: Imported, upload_id: str, start: int) -> Response:
    obstacles = [(refused.where, refused.message) for refused in plan.refused]
    obstacles += [(name, "has other content here, which stays") for name in plan.conflicts]
    arguments = {"upload_id": upload_id, "most": MOST_SHOWN, "start": start}
    return visit.show("import_plan.html", plan=plan, known=_count_known(plan), in_the_way=obstacles, **arguments)


def _count_known(plan: Imported) -> int:
    return max(len(plan.known), plan.outcomes.get("known", 0))


def _import_upload(visit: Visit, listed: range, *, apply: bool) -> Imported:
    only = visit.form.get("only") or None
    with TemporaryFile() as archive:
        visit.memory.uploaded(visit.form.get("upload_id", ""), archive)
        return _import_archive(archive, visit.form.get("kind"), visit.memory, listed, apply=apply, only=only)


def applied(visit: Visit) -> Response:
    """Store the memories in the plan."""
    plan = _import_upload(visit, range(0), apply=True)
    visit.memory.drop_upload(visit.form.get("upload_id", ""))
    message = f"Imported: {plan.added:,} memories added, {_count_known(plan):,} were already stored."
    runs = plan.runs or ([plan.run_id] if plan.run_id else [])
    if len(runs) == 1:
        return visit.go(f"/ui/runs/{runs[0]}", message)
    return visit.go("/ui/runs" if runs else "/ui/import", message)


def left(visit: Visit) -> Response:
    """Discard the upload."""
    visit.memory.drop_upload(visit.form.get("upload_id", ""))
    return visit.go("/ui/import", "Nothing was imported; the uploaded file is deleted.")


def formats(visit: Visit) -> Response:
    """Show the export formats."""
    return visit.show("export.html", formats=FORMATS)


def exported(visit: Visit) -> Response:
    """Return all memories as a file."""
    form = next((format for format in FORMATS if format == visit.form.get("format")), None)
    if form is None:
        raise invalid("format", "is not one of the listed formats")
    media, ending = MEDIA.get(form, ("application/json", f"{form}.json"))
    name = f"memories-{visit.memory.now():%Y-%m-%d}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response("".join(visit.memory.export_lines(form)), headers=headers, media_type=media)


def _import_archive(
    archive: IO[bytes], kind_name: str | None, memory: Commonplace, listed: range, *, apply: bool, only: str | None = None
) -> Imported:
    kind = next((kind for kind in KINDS if kind == kind_name), None)
    with laid_out(archive) as source:
        return memory.import_from(source, kind, apply, only=only, listed=listed)


ROUTES = (
    Route("/ui/import", form),
    Route("/ui/import", planned, "POST", MEGABYTES * 1_000_000),
    Route("/ui/import/further", further, "POST"),
    Route("/ui/import/apply", applied, "POST"),
    Route("/ui/import/leave", left, "POST"),
    Route("/ui/export", formats),
    Route("/ui/export", exported, "POST"),
)

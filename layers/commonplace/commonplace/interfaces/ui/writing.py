"""The views that store, correct, delete and erase memories, and undo changes."""

from typing import Any, cast, get_args

from starlette.responses import Response

from commonplace.client.arguments import StoreContext
from commonplace.domain.errors import CommonplaceError, invalid
from commonplace.domain.fields import Result
from commonplace.domain.results import StoreResult
from commonplace.domain.storage import KeptMemory
from commonplace.domain.taxonomy import Category, MemoryType
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.visit import HOME, Also, Visit, own_path, whole_number, with_line_breaks

_WORD = "erase"
_SHOWN = 80
_CHOICES = {"categories": get_args(Category), "types": get_args(MemoryType)}


def new(visit: Visit) -> Response:
    return visit.show("new.html", **_CHOICES, given=visit.arguments)


def store(visit: Visit) -> Response:
    """Store the text from the form as a memory. The next page lists duplicates and memories that may no longer be true."""
    form = visit.form
    context: dict[str, Any] = {
        "force_category": form.get("force_category"),
        "force_importance": whole_number(form.get("force_importance")),
        "expires_at": form.get("expires_at"),
        "additional_tags": _parse_tags(form.get("additional_tags")),
        "user_note": form.get("user_note"),
    }
    known = {name: value for name, value in context.items() if value is not None}
    try:
        stored = visit.memory.store_memory(form.get("content", ""), context=cast("StoreContext", known))
    except CommonplaceError as error:
        return visit.show_error("new.html", error, **_CHOICES, given=form)
    return visit.go(_build_path(stored.memory_id), f"Stored.{_format_notes(stored)}", also=_list_compared(stored))


def edit(visit: Visit, memory_id: str) -> Response:
    memory = visit.memory.get_memory(memory_id).memory
    fields = _format_fields(memory)
    return visit.show("edit.html", **_CHOICES, memory=memory, given=fields, was=fields)


def update(visit: Visit, memory_id: str) -> Response:
    """Update only the fields that the person edited, because other fields may have changed since the form was shown."""
    memory = visit.memory.get_memory(memory_id).memory
    shown, form = visit.fields, visit.form
    before = {name: with_line_breaks(shown.get(f"was_{name}", value)) for name, value in _format_fields(memory).items()}
    changed: dict[str, Any] = {name: form[name] for name in before if form.get(name, "") != before[name] and name in form}
    if "tags" in before and form.get("tags", "") != before["tags"]:
        changed["tags"] = _parse_tags(form.get("tags")) or []
    if "importance" in changed:
        changed["importance"] = whole_number(changed["importance"])
    if not changed:
        return visit.go(_build_path(memory_id), "Nothing was changed.")
    try:
        updated = visit.memory.update_memory(memory_id=memory_id, **changed)
    except CommonplaceError as error:
        return visit.show_error("edit.html", error, **_CHOICES, memory=memory, given={**before, **form}, was=before)
    return visit.go(_build_path(updated.memory_id), f"Changed.{_format_notes(updated)}", updated.operation_id)


def delete(visit: Visit, memory_id: str) -> Response:
    """Delete a memory. The next page offers to undo the deletion."""
    text = visit.memory.get_memory(memory_id).memory.value
    deleted = visit.memory.delete_memory(memory_id=memory_id)
    return visit.go(HOME, f"Deleted: {_shorten(text)}{_format_notes(deleted)}", deleted.operation_id)


def ask_to_erase(visit: Visit, memory_id: str) -> Response:
    """Show the texts that an erasure would remove, and ask for confirmation."""
    return visit.show("erase.html", **_describe_erasure(visit, memory_id))


def erase(visit: Visit, memory_id: str) -> Response:
    """Erase a memory permanently if the confirmation word was typed."""
    if visit.form.get("word", "").strip().casefold() != _WORD:
        error = invalid("word", f'type "{_WORD}" to confirm, because this cannot be undone')
        return visit.show_error("erase.html", error, **_describe_erasure(visit, memory_id))
    erased = visit.memory.erase(memory_id)
    remark = " Memories merged from it were merged again without it." if erased.made_again else ""
    return visit.go(HOME, f"Erased for good: {erased.memories} with the same history.{remark}{_format_notes(erased)}")


def undo(visit: Visit) -> Response:
    """Undo the operation that an earlier page reported."""
    run = visit.memory.undo(visit.form.get("undo", ""))
    reasons = [operation.why for operation in run.operations if operation.outcome == "kept"]
    return visit.go(own_path(visit.form.get("back")), f"Not undone: {'; '.join(reasons)}" if reasons else "Undone.")


def _describe_erasure(visit: Visit, memory_id: str) -> dict[str, Any]:
    scope = visit.memory.erasure().scope(memory_id)
    return {"memory_id": memory_id, "word": _WORD, "texts": [memory.content for memory in scope.memories if memory.content]}


def _format_fields(memory: KeptMemory) -> dict[str, str]:
    return {
        "value": with_line_breaks(memory.value),
        "filed_under": memory.filed_under,
        "type": memory.type,
        "importance": str(memory.importance),
        "tags": ", ".join(memory.tags),
    }


def _parse_tags(text: str | None) -> list[str] | None:
    return None if text is None else [tag.strip() for tag in text.split(",") if tag.strip()]


def _format_notes(result: Result) -> str:
    if result.notes is None:
        return ""
    taken_out = ", ".join(result.notes.redacted or ())
    lines = [result.notes.degraded, result.notes.partial, *(result.notes.warnings or ())]
    lines_first = [f"removed before storing: {taken_out}"] if taken_out else []
    return "".join(f" {line[:1].upper()}{line[1:]}." for line in [*lines_first, *filter(None, lines)])


def _list_compared(stored: StoreResult) -> tuple[Also, ...]:
    """Return the memories that a new memory may have made untrue, and the new memory's duplicates."""
    advice = stored.recommendations
    untrue = tuple(Also(update.memory_id, f"May no longer be true: {_shorten(update.content)}") for update in advice.updates)
    same = tuple(Also(merge.memory_id, "Says the same") for merge in advice.suggested_merges)
    return untrue + same


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _build_path(memory_id: str) -> str:
    return f"{HOME}/memories/{memory_id}"


_MEMORY = f"{HOME}/memories/<memory_id>"
ROUTES = (
    Route(f"{HOME}/new", new),
    Route(f"{HOME}/new", store, "POST"),
    Route(f"{_MEMORY}/edit", edit),
    Route(f"{_MEMORY}/edit", update, "POST"),
    Route(f"{_MEMORY}/delete", delete, "POST"),
    Route(f"{_MEMORY}/erase", ask_to_erase),
    Route(f"{_MEMORY}/erase", erase, "POST"),
    Route(f"{HOME}/undo", undo, "POST"),
)

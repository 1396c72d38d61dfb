"""The views of memories: all, newest first; matches of a question, also while typing; and a single memory."""

from typing import Any, get_args

from starlette.responses import Response

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.interactions import History
from commonplace.domain.results import Hit, SearchResult
from commonplace.domain.storage import KeptMemory, ListResult
from commonplace.domain.taxonomy import Category, ContentType, Section
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.visit import HOME, Visit, whole_number

PAGE, MOST = 20, 100
_NEIGHBOURS = 5
_FILTERS = ("category", "content_type", "importance_min", "after", "before", "include_expired")
_CHOICES = {"categories": get_args(Category), "sections": get_args(Section), "content_types": get_args(ContentType)}


def memories(visit: Visit) -> Response:
    """Show memories for a question, or a page of all, with the search form."""
    shown = {**_CHOICES, **_asked(visit)}
    try:
        return visit.show("search.html", **shown, found=_found(visit))
    except CommonplaceError as error:
        if error.code.status >= 500:
            raise
        return visit.show_again("search.html", error, **shown, found=None)


def found(visit: Visit) -> Response:
    """Show the results without the form, for the script that searches while a person types."""
    return visit.show("found.html", **_asked(visit), found=_found(visit))


def _asked(visit: Visit) -> dict[str, Any]:
    given = visit.arguments
    return {"given": given, "narrowed": [name for name in _FILTERS if name in given]}


def _found(visit: Visit) -> SearchResult | ListResult:
    """Search without counting it as a use of the memories."""
    given = visit.arguments
    category: Any = given.get("category")
    if "q" not in given:
        return visit.memory.list_memories(limit=PAGE, category=category, options=_options(given), cursor=given.get("cursor"))
    most = MOST if "all" in given else PAGE
    return visit.memory.search_memory(given["q"], limit=most, category=category, options=_options(given), counts=False)


def _options(given: dict[str, str]) -> Any:
    span = {name: given[name] for name in ("after", "before") if name in given}
    return {
        "content_type": given.get("content_type"),
        "importance_min": whole_number(given.get("importance_min")),
        "include_expired": "include_expired" in given,
        "time_range": span or None,
    }


def memory(visit: Visit, memory_id: str) -> Response:
    """Show one memory; for a closed one, its successor."""
    try:
        return visit.show("memory.html", memory=visit.memory.get_memory(memory_id).memory)
    except CommonplaceError as error:
        if error.code is not ErrorCode.NOT_FOUND:
            raise
        try:
            history = visit.memory.history(memory_id=memory_id)
        except CommonplaceError:
            raise error from None  # a damaged memory has no history, so that error says more
        return visit.show("closed_memory.html", memory_id=memory_id, history=history, why=error.message)


def beside(visit: Visit, memory_id: str) -> Response:
    """Show the parts below a memory. The page loads them later, because the history reads all records."""
    kept = visit.memory.get_memory(memory_id).memory
    history = visit.memory.history(memory_id=memory_id)
    template = "beside.html" if "part" in visit.arguments else "beside_page.html"
    return visit.show(template, memory=kept, now_held=_held(history, memory_id), history=history, like=_like(visit, kept))


def _held(history: History, memory_id: str) -> object:
    return next((value for value in history.values if value.memory_id == memory_id), None)


def _like(visit: Visit, kept: KeptMemory) -> list[Hit]:
    found = visit.memory.search_memory(kept.value, limit=_NEIGHBOURS + 1, counts=False).results
    return [hit for hit in found if hit.id != kept.memory_id and not hit.below_threshold][:_NEIGHBOURS]


ROUTES = (
    Route(HOME, memories),
    Route(f"{HOME}/found", found),
    Route(f"{HOME}/memories/<memory_id>", memory),
    Route(f"{HOME}/memories/<memory_id>/beside", beside),
)

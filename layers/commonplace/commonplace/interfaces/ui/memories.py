"""The views that show the list of memories, the results of a search, or one memory."""

from typing import Any, get_args

from starlette.responses import Response

from commonplace.domain.errors import CommonplaceError, ErrorCode
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
    """Show the search form with either the memories that match a query or a page of all memories."""
    shown = {**_CHOICES, **_describe_request(visit)}
    try:
        return visit.show("search.html", **shown, found=_find_results(visit))
    except CommonplaceError as error:
        if error.code.status >= 500:
            raise
        return visit.show_error("search.html", error, **shown, found=None)


def results(visit: Visit) -> Response:
    """Show only the search results, for a script that searches while a person types."""
    return visit.show("found.html", **_describe_request(visit), found=_find_results(visit))


def _describe_request(visit: Visit) -> dict[str, Any]:
    """Return the form's values, which are the URL parameters and the names of the filters that those parameters set."""
    arguments = visit.arguments
    return {"given": arguments, "narrowed": [name for name in _FILTERS if name in arguments]}


def _find_results(visit: Visit) -> SearchResult | ListResult:
    """Search or list the memories. A search on the page does not count as a use of the memories it finds."""
    data = visit.arguments
    category: Any = data.get("category")
    options = _build_options(data)
    if "q" not in data:
        return visit.memory.list_memories(limit=PAGE, category=category, options=options, cursor=data.get("cursor"))
    most = MOST if "all" in data else PAGE
    return visit.memory.search_memory(data["q"], limit=most, category=category, options=options, counts=False)


def _build_options(arguments: dict[str, str]) -> Any:
    span = {name: arguments[name] for name in ("after", "before") if name in arguments}
    return {
        "content_type": arguments.get("content_type"),
        "importance_min": whole_number(arguments.get("importance_min")),
        "include_expired": "include_expired" in arguments,
        "time_range": span or None,
    }


def memory(visit: Visit, memory_id: str) -> Response:
    """Show one memory, or the history of a closed memory together with the error message."""
    try:
        return visit.show("memory.html", memory=visit.memory.get_memory(memory_id).memory)
    except CommonplaceError as error:
        if error.code is not ErrorCode.NOT_FOUND:
            raise
        try:
            history = visit.memory.history(memory_id=memory_id)
        except CommonplaceError:
            raise error from None  # a damaged memory has no history, so the first error is more useful
        return visit.show("closed_memory.html", memory_id=memory_id, history=history, why=error.message)


def sections(visit: Visit, memory_id: str) -> Response:
    """Show the sections below a memory. The page loads them separately, because the history requires reading all records."""
    item = visit.memory.get_memory(memory_id).memory
    history = visit.memory.history(memory_id=memory_id)
    template = "beside.html" if "part" in visit.arguments else "beside_page.html"
    own_value = next((value for value in history.values if value.memory_id == memory_id), None)
    return visit.show(template, memory=item, now_held=own_value, history=history, like=_find_similar(visit, item))


def _find_similar(visit: Visit, memory: KeptMemory) -> list[Hit]:
    hits = visit.memory.search_memory(memory.value, limit=_NEIGHBOURS + 1, counts=False).results
    return [hit for hit in hits if hit.id != memory.memory_id and not hit.below_threshold][:_NEIGHBOURS]


ROUTES = (
    Route(HOME, memories),
    Route(f"{HOME}/found", results),
    Route(f"{HOME}/memories/<memory_id>", memory),
    Route(f"{HOME}/memories/<memory_id>/beside", sections),
)

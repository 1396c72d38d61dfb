"""The first view: all memories, newest first, and those that match a question; also while it is typed."""

from typing import Any, get_args

from starlette.responses import Response

from commonplace.domain.errors import CommonplaceError
from commonplace.domain.listing import ListResult
from commonplace.domain.results import SearchResult
from commonplace.domain.taxonomy import Category, ContentType, Section
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.visit import HOME, Visit, whole_number

PAGE, MOST = 20, 100
_FILTERS = ("category", "content_type", "importance_min", "after", "before", "include_expired")
_CHOICES = {"categories": get_args(Category), "sections": get_args(Section), "content_types": get_args(ContentType)}


def memories(visit: Visit) -> Response:
    """Memories for a question, or a page of all, with the form to ask by."""
    shown = {**_CHOICES, **_asked(visit)}
    try:
        return visit.show("search.html", **shown, found=_found(visit))
    except CommonplaceError as error:
        if error.code.status >= 500:
            raise
        return visit.show_again("search.html", error, **shown, found=None)


def found(visit: Visit) -> Response:
    """The same without the form, for the script that asks while somebody types."""
    return visit.show("found.html", **_asked(visit), found=_found(visit))


def _asked(visit: Visit) -> dict[str, Any]:
    given = visit.arguments
    return {"given": given, "narrowed": [name for name in _FILTERS if name in given]}


def _found(visit: Visit) -> SearchResult | ListResult:
    """What matches; to look at memories here is no use of them."""
    given = visit.arguments
    category: Any = given.get("category")
    if "q" not in given:
        return visit.memory.list_memories(limit=PAGE, category=category, options=_options(given), cursor=given.get("cursor"))
    most = MOST if "all" in given else PAGE
    return visit.memory.search_memory(given["q"], limit=most, category=category, options=_options(given), counts=False)


def _options(given: dict[str, str]) -> Any:
    """The filters as the tools take them; what they refuse they refuse by the name of its field."""
    span = {name: given[name] for name in ("after", "before") if name in given}
    return {
        "content_type": given.get("content_type"),
        "importance_min": whole_number(given.get("importance_min")),
        "include_expired": "include_expired" in given,
        "time_range": span or None,
    }


ROUTES = (Route(HOME, memories), Route(f"{HOME}/found", found))

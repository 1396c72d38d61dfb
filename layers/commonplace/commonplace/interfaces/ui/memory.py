"""The view of one memory: what it says, what it rests on, what it was before, and what is like it."""

from starlette.responses import Response

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.interactions import History
from commonplace.domain.listing import KeptMemory
from commonplace.domain.results import Hit
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.visit import HOME, Visit

_NEIGHBOURS = 5


def memory(visit: Visit, memory_id: str) -> Response:
    """One memory as it is kept; of a closed one what became of it."""
    try:
        return visit.show("memory.html", memory=visit.memory.get_memory(memory_id).memory)
    except CommonplaceError as error:
        if error.code is not ErrorCode.NOT_FOUND:
            raise
        try:
            history = visit.memory.history(memory_id=memory_id)
        except CommonplaceError:
            raise error from None  # it tells more: of a damaged memory nothing else is known
        return visit.show("closed_memory.html", memory_id=memory_id, history=history, why=error.message)


def beside(visit: Visit, memory_id: str) -> Response:
    """What stands below a memory: the page shows it when it is there, for to know the history is to read all records."""
    kept = visit.memory.get_memory(memory_id).memory
    history = visit.memory.history(memory_id=memory_id)
    template = "beside.html" if "part" in visit.arguments else "beside_page.html"
    return visit.show(template, memory=kept, now_held=_held(history, memory_id), history=history, like=_like(visit, kept))


def _held(history: History, memory_id: str) -> object:
    """The memory itself among those of its history; None under an id that it had elsewhere."""
    return next((value for value in history.values if value.memory_id == memory_id), None)


def _like(visit: Visit, kept: KeptMemory) -> list[Hit]:
    """The memories that match what this one says, without itself."""
    found = visit.memory.search_memory(kept.value, limit=_NEIGHBOURS + 1, counts=False).results
    return [hit for hit in found if hit.id != kept.memory_id and not hit.below_threshold][:_NEIGHBOURS]


ROUTES = (
    Route(f"{HOME}/memories/<memory_id>", memory),
    Route(f"{HOME}/memories/<memory_id>/beside", beside),
)

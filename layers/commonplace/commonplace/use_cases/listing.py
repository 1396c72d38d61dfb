"""`get_memory` and `list_memories`: memories as they are kept, one by its name or page by page."""

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import may_be_id
from commonplace.domain.listing import GetRequest, GetResult, KeptMemory, ListRequest, ListResult
from commonplace.domain.requests import FilterOptions
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.record_scan import filter_of, visibility_of
from commonplace.use_cases.named import memory_named


def get_memory(request: GetRequest, caller: Caller, ports: Ports) -> GetResult:
    """The current memory of an id or a key."""
    return GetResult(memory=KeptMemory.of(memory_named(request, caller, ports)))


def list_memories(request: ListRequest, caller: Caller, ports: Ports) -> ListResult:
    """A page of the current memories, newest first, from the records: never behind a write."""
    options = request.options or FilterOptions()
    if request.cursor is not None and not may_be_id(request.cursor):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "cursor: is none that list_memories gave", "cursor")
    visibility = visibility_of(caller, include_expired=options.include_expired)
    wanted = filter_of(request.category, options)
    found, after = ports.records.listed(visibility, wanted, request.limit, request.cursor)
    return ListResult(memories=[KeptMemory.of(memory) for memory in found], count=len(found), cursor=after)

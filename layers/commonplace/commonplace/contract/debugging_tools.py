"""The rows of the tools that show what the engine does, and put right what it keeps beside the records."""

from functools import partial

from commonplace.contract.tool import QUERY_ERRORS, READS, Hints, Tool
from commonplace.domain import consistency, debugging, requests
from commonplace.domain.errors import ErrorCode

_REPAIRS = Hints(read_only=False, destructive=False, idempotent=True)
_debugging = partial(Tool, tier="advanced", group="debugging")
_upkeep = partial(_debugging, function="maintenance", errors=(ErrorCode.NOT_FOUND,))

DEBUGGING_TOOLS: tuple[Tool, ...] = (
    _debugging(
        name="trace_search",
        title="Trace a search",
        description="Shows how search_memory came to its answer: what words and vectors found, what each score is the sum "
        "of, what was left out and by which argument, and how long each step took. Takes the arguments of search_memory. "
        "Use it when a search finds the wrong thing or misses something; nothing is counted as used.",
        request=requests.SearchRequest,
        result=debugging.TraceResult,
        function="search",
        hints=READS,
        examples=(
            {"query": "Is anybody in the family allergic to something?"},
            {"query": "what did I decide last week", "limit": 3, "category": "projects"},
        ),
        errors=QUERY_ERRORS,
    ),
    _upkeep(
        name="validate_storage",
        title="Check what is kept",
        description="Checks whether every memory and what searches find it by are in line: documents that are missing, "
        "old or of no memory, links that lead nowhere, keys held twice, records that can't be read. It only reads. A cursor "
        "leads on where there are more than 2,000 memories.",
        request=consistency.ValidateRequest,
        result=consistency.ValidateResult,
        hints=READS,
        examples=({},),
    ),
    _upkeep(
        name="repair_index",
        title="Bring the index in line",
        description="Writes anew what searches find memories by, where it is not in line with them, and takes out what is of "
        "no memory; the memories themselves stay as they are. With dry_run, the default, it only tells what would be done. "
        "Use validate_storage to see what is wrong.",
        request=consistency.RepairRequest,
        result=consistency.RepairResult,
        hints=_REPAIRS,
        examples=({}, {"scope": "all", "dry_run": False}),
    ),
)

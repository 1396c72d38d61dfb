"""The rows of the tools that show what the engine does, and put right what it keeps beside the records."""

from functools import partial

from commonplace.contract.tool import QUERY_ERRORS, READS, Tool
from commonplace.domain import debugging, requests

_debugging = partial(Tool, tier="advanced", group="debugging")

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
)

"""What `Commonplace` can do with a question, and with what was found for it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commonplace.client.arguments import InsightFilter, SearchOptions
from commonplace.domain import results
from commonplace.domain.debugging import TraceResult
from commonplace.domain.taxonomy import SearchCategory

if TYPE_CHECKING:
    from commonplace.domain.feedback import FeedbackResult, ForgottenFeedback
    from commonplace.ports.bundle import Ports
    from commonplace.ports.values import Caller


class SearchMethods:
    """The methods of the tools that search, of the one that shows how, and of feedback on what they found."""

    def _caller(self) -> "Caller":
        """Whose memories, and when; given by the class that has these methods."""
        raise NotImplementedError

    def _ports(self) -> "Ports":
        """The open store; given by the class that has these methods."""
        raise NotImplementedError

    def _typed(self, kind: type[results.AnyResult], name: str, /, **arguments: Any) -> results.AnyResult:
        """Calls a tool with those arguments that are not None; given by the class that has these methods."""
        raise NotImplementedError

    def memory_search_personal(
        self, query: str, *, agent_id: str | None = None, limit: int = 10
    ) -> results.SearchPersonalResult:
        """What is known of the user for a question."""
        return self._typed(
            results.SearchPersonalResult, "memory_search_personal", query=query, agent_id=agent_id, limit=limit
        )

    def search_memory(
        self, query: str, *, limit: int | None = None, category: SearchCategory | None = None,
        options: SearchOptions | None = None, counts: bool = True,
    ) -> results.SearchResult:  # fmt: skip
        """The memories that match a question, best first. `counts=False`: none counts as used, the question isn't kept."""
        from commonplace.use_cases import dispatch

        asked = {"query": query, "limit": limit, "category": category, "options": options}
        given = {name: value for name, value in asked.items() if value is not None}
        result = dispatch.call("search_memory", given, replace(self._caller(), counts=counts), self._ports())
        assert isinstance(result, results.SearchResult)
        return result

    def trace_search(
        self, query: str, *, limit: int | None = None, category: SearchCategory | None = None,
        options: SearchOptions | None = None,
    ) -> TraceResult:  # fmt: skip
        """How `search_memory` comes to its answer: what each score is the sum of, and what was left out by which argument."""
        return self._typed(TraceResult, "trace_search", query=query, limit=limit, category=category, options=options)

    def memory_search(
        self, query: str, *, collection: str | None = None, nResults: int = 5,  # noqa: N803 - the tool's own word
        filter: InsightFilter | None = None,
    ) -> results.SearchInsightResult:  # fmt: skip
        """The nearest memories with their cosine distance."""
        return self._typed(
            results.SearchInsightResult, "memory_search", query=query, collection=collection, nResults=nResults,
            filter=filter,
        )  # fmt: skip

    def record_feedback(self, memory_id: str, query: str, useful: bool) -> "FeedbackResult":
        """Keeps whether a memory was useful for a query, for 90 days: like queries find it a little sooner, or later.

        Of one memory and query the last word counts. Raises `NOT_FOUND` for an unknown memory and for a closed one.
        """
        from commonplace.use_cases.feedback import record_feedback

        given = {"memory_id": memory_id, "query": query, "useful": useful}
        return record_feedback(given, self._caller(), self._ports())

    def forget_feedback(self, memory_id: str | None = None) -> "ForgottenFeedback":
        """Takes out the feedback on a memory, or all of the user's; tells how many ratings that were."""
        from commonplace.use_cases.feedback import forget_feedback

        return forget_feedback({} if memory_id is None else {"memory_id": memory_id}, self._caller(), self._ports())

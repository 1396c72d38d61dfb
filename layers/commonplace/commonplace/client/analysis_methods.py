"""What `Commonplace` can tell of the memories as a whole."""

from datetime import datetime
from typing import Any, Literal

from commonplace.domain import analysis
from commonplace.domain.results import AnyResult
from commonplace.domain.taxonomy import Granularity
from commonplace.domain.usage import UsageResult


class AnalysisMethods:
    """The methods of the tools that count. `after`, `before`: a half-open period, each a moment or ISO 8601."""

    def _typed(self, kind: type[AnyResult], name: str, /, **arguments: Any) -> AnyResult:
        """Calls a tool with those arguments that are not None; given by the class that has these methods."""
        raise NotImplementedError

    def memory_stats(
        self, *, after: datetime | str | None = None, before: datetime | str | None = None
    ) -> analysis.StatsResult:
        """The memories that were stored in a period, counted: by their headings, by age, month by month, with their tags."""
        return self._typed(analysis.StatsResult, "memory_stats", after=after, before=before)

    def memory_timeline(
        self, *, after: datetime | str | None = None, before: datetime | str | None = None, topic: str | None = None,
        granularity: Granularity = "month", cursor: str | None = None,
    ) -> analysis.TimelineResult:  # fmt: skip
        """The memories by when things happened, and what changed when; `cursor`: that of the answer before."""
        return self._typed(
            analysis.TimelineResult, "memory_timeline", after=after, before=before, topic=topic, granularity=granularity,
            cursor=cursor,
        )  # fmt: skip

    def concept_network(
        self, focus: str | None = None, *, depth: int = 1, limit: int = 50, format: Literal["json", "dot"] = "json"
    ) -> analysis.NetworkResult:
        """Which concepts stand together in memories; around `focus`, up to `depth` (1-3) links away."""
        return self._typed(analysis.NetworkResult, "concept_network", focus=focus, depth=depth, limit=limit, format=format)

    def usage_patterns(self, *, after: datetime | str | None = None, before: datetime | str | None = None) -> UsageResult:
        """When was searched, which memories were found most, which never, and what was asked in vain."""
        return self._typed(UsageResult, "usage_patterns", after=after, before=before)

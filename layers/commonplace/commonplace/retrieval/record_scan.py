"""Check visibility, apply filters, and build rows for ranking, one record at a time and without an index."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from commonplace.domain.fields import is_never, within
from commonplace.domain.memory import GLOBAL_AGENT, Memory, importance_of
from commonplace.domain.requests import FilterOptions
from commonplace.domain.taxonomy import SearchCategory, where_filed
from commonplace.ports.values import Caller, Filter, Stored, Vector, Visibility
from commonplace.retrieval import candidate_rows
from commonplace.retrieval.candidate_rows import Row
from commonplace.retrieval.documents import Document, document


def visibility_of(caller: Caller, agent_id: str | None = None, include_expired: bool = False) -> Visibility:
    """Return a caller's visibility. It covers global memories and the memories of `agent_id` or of the caller's agent."""
    agents = tuple(sorted({GLOBAL_AGENT, agent_id or caller.agent_id}))
    return Visibility(caller.user_id, agents, caller.now, include_expired)


def filter_of(category: SearchCategory | None, options: FilterOptions) -> Filter:
    """Build a filter from a category or section and the other options."""
    span = options.time_range
    filed_under, section = where_filed(category or "all")
    return Filter(
        category=filed_under,
        section=section,
        content_type=options.content_type,
        importance_min=None if options.importance_min is None else importance_of(options.importance_min) - 0.125,
        after=span.after if span else None,
        before=span.before if span and span.before and not is_never(span.before) else None,
    )


def is_visible(visibility: Visibility, memory: Memory) -> bool:
    """Return whether the memory is active and valid now, and belongs to the user and to one of the agents.

    An expired memory is visible only if `include_expired` is true.
    """
    return (
        memory.user_id == visibility.user_id
        and memory.status == "active"
        and memory.agent_id in visibility.agents
        and (memory.valid_from is None or memory.valid_from <= visibility.now)
        and (memory.valid_to is None or memory.valid_to > visibility.now)
        and (visibility.include_expired or not memory.has_expired(visibility.now))
    )


def passes_filter(filters: Filter, memory: Memory, doc: Document) -> bool:
    """Return whether a visible memory passes a filter."""
    return refused_by(filters, memory, doc) is None


def refused_by(filters: Filter, memory: Memory, doc: Document) -> str | None:
    """Return the first filter field that rejects a visible memory. For `after` and `before`, this is `time_range`."""
    for name, value in filters.equal.items():
        if getattr(doc if name == "content_type" else memory, name) != value:
            return name
    if filters.types is not None and memory.memory_type not in filters.types:
        return "types"
    if filters.importance_min is not None and memory.importance < filters.importance_min:
        return "importance_min"
    return None if within(memory.happened_at, filters.after, filters.before) else "time_range"


@dataclass(frozen=True)
class RecordScan:
    """A user's records for a linear search. Only vectors from `model` are used. `complete` is True if none is missing."""

    records: Sequence[Stored]
    model: str
    complete: bool = True

    @property
    def ids(self) -> list[str]:
        """The ids of all records, visible or not."""
        return [record.memory.memory_id for record in self.records]

    @property
    def texts(self) -> dict[str, str]:
        """The content of each record, by id."""
        return {record.memory.memory_id: record.memory.content for record in self.records}

    def passing(self, visibility: Visibility, filters: Filter) -> list[Memory]:
        """Return the visible records that pass a filter."""
        return [memory for memory, made, _ in self._iterate_visible(visibility) if passes_filter(filters, memory, made)]

    def rows(
        self, visibility: Visibility, filters: Filter, terms: Sequence[str], vector: Vector | None
    ) -> tuple[dict[str, Row], set[str]]:
        """Return the rows of the visible records by id, and the ids of those that pass the filter."""
        rows, passing = {}, set()
        for memory, made, own in self._iterate_visible(visibility):
            other_model = own is not None and memory.embedding_model != self.model
            cosine = None if other_model else _compute_cosine(vector, own)
            rows[memory.memory_id] = candidate_rows.row_of(memory, made, terms, cosine, other_model)
            if passes_filter(filters, memory, made):
                passing.add(memory.memory_id)
        return rows, passing

    def _iterate_visible(self, visibility: Visibility) -> Iterator[tuple[Memory, Document, Vector | None]]:
        for item in self.records:
            if is_visible(visibility, item.memory):
                yield item.memory, document(item.memory), item.vector


def _compute_cosine(vector: Vector | None, other: Vector | None) -> float | None:
    return None if vector is None or other is None or len(vector) != len(other) else float(vector @ other)

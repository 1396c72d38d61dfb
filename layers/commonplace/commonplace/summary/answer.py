"""The tool: the memories that a question finds, summed up by a model, or without one by their own sentences."""

from collections.abc import Sequence
from itertools import accumulate

from commonplace.find import find
from commonplace.models.fields import Notes
from commonplace.models.memory import Memory
from commonplace.models.storage import Point, SummarizeRequest, SummarizeResult
from commonplace.ports import Caller, Filter, ModelUnavailable, Ports
from commonplace.summary.extracted import extracted
from commonplace.summary.said import Summary

_RELEVANCE = 0.3
_MOST_CHARACTERS = 60_000  # of all that is read for one summary: some 15,000 tokens
_NOTHING = "Nothing is remembered about this."


def summarize_memory(request: SummarizeRequest, caller: Caller, ports: Ports) -> SummarizeResult:
    """A few sentences and key points. A model that fails is replaced by extraction, and the notes say so."""
    found = find(request.query, caller, ports, Filter(), request.limit, _RELEVANCE)
    memories = _readable(found.memories)
    summary, method, why = _summed_up(request.query, memories, caller, ports)
    told = found.notes(caller.redacted) or Notes()
    count = len(memories)
    return SummarizeResult(
        message=f"✓ {count} {'memory' if count == 1 else 'memories'} summed up" if memories else "✓ Nothing was found",
        summary=" ".join(summary.sentences) or _NOTHING,
        key_points=[Point(text=point.text, ids=list(point.ids)) for point in summary.points],
        count=count,
        notes=told.model_copy(update={"method": method, "degraded": "; ".join(filter(None, (told.degraded, why))) or None}),
    )


def _readable(memories: Sequence[Memory]) -> list[Memory]:
    """The first ones, as many as fit."""
    lengths = accumulate(len(memory.normalized_text) for memory in memories)
    return [memory for memory, length in zip(memories, lengths, strict=True) if length <= _MOST_CHARACTERS]


def _summed_up(query: str, memories: Sequence[Memory], caller: Caller, ports: Ports) -> tuple[Summary, str, str | None]:
    """The summary, how it was made, and why no model made it where one was asked."""
    if ports.summarizer is None or not memories:
        return extracted(query, memories), "extraction", None
    from commonplace.summary.asked import asked  # what checks a model's words is not imported where there is none

    try:
        summary = asked(query, memories, caller.now.date(), ports.summarizer, ports.summary_seconds)
    except ModelUnavailable as error:
        return extracted(query, memories), "extraction", str(error)
    return summary, "claude", None

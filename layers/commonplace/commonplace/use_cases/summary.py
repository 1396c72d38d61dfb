"""`summarize_memory`: what a question finds, summed up by a model, or without one by the sentences that answer best."""

from collections.abc import Sequence
from itertools import accumulate

from commonplace.domain.fields import Notes
from commonplace.domain.memory import Memory
from commonplace.domain.storage import Point, SummarizeRequest, SummarizeResult
from commonplace.extraction.clauses import sentences
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Filter, ModelUnavailable
from commonplace.retrieval.documents import folded
from commonplace.retrieval.engine import find
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import undisguised
from commonplace.text.foundation.sentences import STOPS
from commonplace.use_cases.summary_check import FEWEST, MOST, KeyPoint, Summary

_RELEVANCE = 0.5  # a prompt has no room for what is merely related
_MOST_CHARACTERS = 60_000  # of all that is read for one summary: some 15,000 tokens
_NOTHING = "Nothing is remembered about this."


def extract_sentences(query: str, memories: Sequence[Memory]) -> Summary:
    """A summary of 3 to 6 sentences of the memories; a point per sentence, with all memories that say it."""
    asked = set(tokenizer.terms(query))
    by_memory = [(memory, _best_first(memory, asked)) for memory in memories]
    points: dict[str, KeyPoint] = {}
    for memory, found in by_memory:
        for sentence in found[:1]:
            before = points.get(folded(sentence), KeyPoint(sentence, ()))
            points[folded(sentence)] = KeyPoint(before.text, (*before.ids, memory.memory_id))
    chosen = {name: point.text for name, point in list(points.items())[:MOST]}
    for sentence in (sentence for _, found in by_memory for sentence in found[1:]):
        if len(chosen) < FEWEST:
            chosen.setdefault(folded(sentence), sentence)
    return Summary(tuple(chosen.values()), tuple(points.values()))


def _best_first(memory: Memory, asked: set[str]) -> list[str]:
    found = [" ".join(sentence.text.split()) for sentence in sentences(undisguised(memory.normalized_text))]
    found.sort(key=lambda sentence: -len(asked.intersection(tokenizer.terms(sentence))))
    return [sentence if sentence.endswith(STOPS) else f"{sentence}." for sentence in found if sentence]


def summarize_memory(request: SummarizeRequest, caller: Caller, ports: Ports) -> SummarizeResult:
    """A few sentences and key points. Where a model fails sentences are extracted, and the notes say so."""
    found = find(request.query, caller, ports, Filter(), request.limit, _RELEVANCE)
    memories = _readable(found.memories)
    summary, method, why = _summarize(request.query, memories, caller, ports)
    notes = found.notes(caller.redacted) or Notes()
    count = len(memories)
    return SummarizeResult(
        message=f"✓ {count} {'memory' if count == 1 else 'memories'} summed up" if memories else "✓ Nothing was found",
        summary=" ".join(summary.sentences) or _NOTHING,
        key_points=[Point(text=point.text, ids=list(point.ids)) for point in summary.points],
        count=count,
        notes=notes.model_copy(update={"method": method, "degraded": "; ".join(filter(None, (notes.degraded, why))) or None}),
    )


def _readable(memories: Sequence[Memory]) -> list[Memory]:
    """The first memories, as many as fit into a prompt."""
    lengths = accumulate(len(memory.normalized_text) for memory in memories)
    return [memory for memory, length in zip(memories, lengths, strict=True) if length <= _MOST_CHARACTERS]


def _summarize(query: str, memories: Sequence[Memory], caller: Caller, ports: Ports) -> tuple[Summary, str, str | None]:
    """The summary, its method, and why no model made it where one was asked."""
    if ports.summarizer is None or not memories:
        return extract_sentences(query, memories), "extraction", None
    from commonplace.use_cases.summary_check import (
        ask_model,  # what checks a model's words is not imported where there is none
    )

    try:
        summary = ask_model(query, memories, caller.now.date(), ports.summarizer, ports.summary_seconds)
    except ModelUnavailable as error:
        return extract_sentences(query, memories), "extraction", str(error)
    return summary, "claude", None

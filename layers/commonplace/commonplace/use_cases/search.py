"""Implement the three search tools. Each search embeds the query, reads the index once, and calls no language model."""

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

from commonplace.domain.memory import level_of
from commonplace.domain.requests import SearchInsightRequest, SearchOptions, SearchPersonalRequest, SearchRequest
from commonplace.domain.results import (
    Hit,
    InsightHit,
    InsightMetadata,
    PersonalHit,
    QueryAnalysis,
    ReadTimeRange,
    SearchInsightResult,
    SearchPersonalResult,
    SearchResult,
)
from commonplace.domain.taxonomy import statement_type, types_of_insight
from commonplace.memories.searches import log_search
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Filter
from commonplace.retrieval.engine import Search, find, prepared
from commonplace.retrieval.found import Found
from commonplace.retrieval.query import Query
from commonplace.retrieval.record_scan import filter_of
from commonplace.text.foundation import tokenizer

_MARKS = (0.2, 0.5, 0.8)
"""The distances below which a hit is highly, fairly or somewhat relevant. Other hits are probably irrelevant."""
SCALES: Mapping[str, tuple[float, float, float]] = {"use-e5-256": (0.56, 0.21, 0.03)}
"""The cosines at the three marks, by model, measured on English everyday facts.

The first is the 90th percentile over questions and matching memories. The others are the 95th percentile and the median over
questions and other memories of the same person.
"""


def search_memory(request: SearchRequest, caller: Caller, ports: Ports) -> SearchResult:
    """Return the memories that match a question, with an analysis of the question."""
    search = search_of(request, caller, ports)
    result = search.found(counted=caller.counts)
    if caller.counts:
        _log_search(request.query, result, caller, ports)
    time = result.query.time
    words = {word: tokenizer.terms(word) for word in (*result.query.concepts, *result.query.expansions)}
    return SearchResult(
        results=[_build_hit(result, place, words) for place in range(len(result.memories))],
        total_found=result.total,
        query_analysis=QueryAnalysis(
            intent=result.query.intent,
            extracted_concepts=list(dict.fromkeys((*result.query.concepts, *result.query.expansions.values()))),
            search_scope=_describe_scope(request.category, search.filters),
            semantic_expansions=_group_expansions(result.query),
            time_range=ReadTimeRange(after=time.after, before=time.before) if time else None,
            answerable=None if result.answerable is None else round(result.answerable, 3),
            held_back=result.held_back,
        ),
        notes=result.notes(caller.redacted),
    )


def search_of(request: SearchRequest, caller: Caller, ports: Ports) -> Search:
    """Prepare the search for a request, with defaults for missing options."""
    options = request.options or SearchOptions()
    limit, wanted = request.limit or options.limit, filter_of(request.category, options)
    return prepared(request.query, caller, ports, wanted, limit, options.min_relevance, options.include_expired)


def search_personal(request: SearchPersonalRequest, caller: Caller, ports: Ports) -> SearchPersonalResult:
    """Search an agent's own memories and the global memories."""
    agent = request.agent_id or caller.agent_id
    result = find(request.query, caller, ports, Filter(), request.limit, None, agent_id=agent)
    _log_search(request.query, result, caller, ports)
    results = [
        PersonalHit(
            id=memory.memory_id,
            memory_type=statement_type(memory.memory_type),
            tags=list(memory.tags),
            relevance_score=relevance,
            agent_id=memory.agent_id,
            raw_text=memory.raw_text,
            normalized_text=memory.normalized_text,
            created_at=memory.created_at,
        )
        for memory, relevance in zip(result.memories, result.relevance, strict=True)
    ]
    return SearchPersonalResult(results=results, count=len(results), notes=result.notes(caller.redacted))


def search_insights(request: SearchInsightRequest, caller: Caller, ports: Ports) -> SearchInsightResult:
    """Search insights in the same way as other memories, and return them with distances, nearest first."""
    insight = request.filter
    wanted = Filter(
        collection=request.collection,
        types=types_of_insight(insight.type) if insight and insight.type else None,
        subject=insight.user if insight else None,
        importance_min=insight.minImportance if insight else None,
        emotion=insight.emotion if insight else None,
    )
    result = find(request.query, caller, ports, wanted, request.nResults, 0.0)
    _log_search(request.query, result, caller, ports)
    hits = [
        InsightHit(
            id=memory.public_id,
            content=memory.content,
            metadata=InsightMetadata.of(memory),
            distance=None if cosine is None else round(distance_of(cosine, ports.embedder.name), 6),
        )
        for memory, cosine in zip(result.memories, result.cosines, strict=True)
    ]
    by_words = any(cosine is None for cosine in result.cosines)
    warnings = ["some were found by their words alone and have no distance: they, or the query, have no vector"]
    return SearchInsightResult(
        results=sorted(hits, key=lambda hit: inf if hit.distance is None else hit.distance),
        query=request.query,
        count=len(hits),
        notes=result.notes(caller.redacted, warnings if by_words else None),
    )


def _log_search(query: str, result: Found, caller: Caller, ports: Ports) -> None:
    """Log the search. If the best match is below the threshold, the search is logged as unanswered."""
    log_search(query, 0 if result.best_only else len(result.memories), caller, ports)


def _build_hit(result: Found, place: int, words: Mapping[str, Sequence[str]]) -> Hit:
    memory = result.memories[place]
    tokens = set(tokenizer.terms(" ".join((memory.content, *memory.tags)))) if words else set[str]()
    return Hit(
        id=memory.memory_id,
        content=memory.content,
        relevance_score=result.relevance[place],
        probability=result.probabilities[place],
        below_threshold=result.best_only or None,
        matched_concepts=[word for word, terms in words.items() if tokens.intersection(terms)],
        importance=level_of(memory.importance),
        last_accessed=memory.last_accessed or memory.created_at,
        category=memory.category,
        created_at=memory.created_at,
        key=memory.key,
        section=memory.section,
        event_time=memory.event_time,
    )


def _group_expansions(query: Query) -> dict[str, list[str]]:
    """Map words of the query to the words that the search adds for them."""
    widened: dict[str, list[str]] = {}
    for word, concept in query.expansions.items():
        widened.setdefault(concept, []).append(word)
    return widened


def _describe_scope(category: str | None, filters: Filter) -> str:
    parts = ["content+tags+categories"]
    parts += [category] if category and category != "all" else []
    parts += [filters.content_type] if filters.content_type else []
    parts += ["in the given time"] if filters.after or filters.before else []
    return ", ".join(parts)


def distance_of(cosine: float, model: str) -> float:
    """Convert a cosine to a distance from 0 (equal) to 2 (opposite), by the model's marks if known, or else as 1 - cosine."""
    scale = SCALES.get(model)
    if scale is None:
        return min(2.0, max(0.0, 1.0 - cosine))
    return float(np.interp(cosine, (-1.0, *scale[::-1], 1.0), (2.0, *_MARKS[::-1], 0.0)))

"""Implement `trace_search`, which runs a search and explains how it found the results."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter

from commonplace.domain.consistency import REASONS, LeftOut, LegHit, Reach, Reason, SearchLegs, TracedHit, TraceResult
from commonplace.domain.memory import Memory
from commonplace.domain.requests import SearchRequest
from commonplace.ports.bundle import Ports
from commonplace.ports.index import Legs
from commonplace.ports.values import Caller, Filter
from commonplace.retrieval import ranking
from commonplace.retrieval.documents import document
from commonplace.retrieval.engine import GENERAL_RELEVANCE, Search
from commonplace.retrieval.found import Found, Matches
from commonplace.retrieval.record_scan import is_visible, refused_by
from commonplace.use_cases.search import search_of

_LEXICAL, _VECTOR = 200, 100  # hits per ranking; without an index, a ranking contains all memories
_CONSIDERED, _OF_A_REASON = 500, 50
_ONLY = f"at most {_OF_A_REASON} excluded memories are listed for each reason"
_DIGITS = 6


def trace_search(request: SearchRequest, caller: Caller, ports: Ports) -> TraceResult:
    """Search as `search_memory` does, but without counting uses, and report how each memory was found or left out."""
    begun = perf_counter()
    search = replace(search_of(request, caller, ports), with_legs=True)
    result = search.found()
    started = perf_counter()
    rankings = (result.matches.retrieved.legs if result.matches else None) or Legs()
    considered = _find_unreturned(search, result)
    lexical, vector = rankings.lexical[:_LEXICAL], rankings.vector[:_VECTOR]
    ids = list(dict.fromkeys([*(memory_id for memory_id, _ in (*lexical, *vector)), *considered]))
    memories = {memory.memory_id: memory for memory in ports.records.get(caller.user_id, ids)}
    seen = {name for name, memory in memories.items() if is_visible(search.visibility, memory)}
    left_out = list(_find_excluded(search, considered, memories))
    listed = _limit_by_reason(left_out)
    times = {**result.times_ms, "left_out": (perf_counter() - started) * 1000, "total": (perf_counter() - begun) * 1000}
    return TraceResult(
        ranked_by="importance" if search.query.general else ports.profile,
        legs=SearchLegs(lexical=_build_leg(lexical, seen), vector=_build_leg(vector, seen)),
        results=_build_results(search, result, rankings),
        left_out=listed,
        times_ms={name: round(spent, 3) for name, spent in times.items()},
        notes=result.notes(caller.redacted, [_ONLY] if len(listed) < len(left_out) else None),
    )


def _build_leg(hits: Sequence[tuple[str, float]], seen: set[str]) -> list[LegHit]:
    return [LegHit(id=name, raw=round(raw, _DIGITS)) for name, raw in hits if name in seen]


def _build_results(search: Search, result: Found, rankings: Legs) -> list[TracedHit]:
    reached: dict[Reach, dict[str, float]] = {"lexical": dict(rankings.lexical), "vector": dict(rankings.vector)}
    results = []
    for at, memory in enumerate(result.memories):
        parts = _compute_parts(search, result.matches, at, memory)
        reach = _find_reach(result.matches, at, memory.memory_id, reached)
        results.append(
            TracedHit(
                id=memory.memory_id,
                relevance_score=result.relevance[at],
                probability=result.probabilities[at],
                below_threshold=result.best_only or None,
                raw=round(sum(parts.values()), _DIGITS),
                reach=reach,
                parts={name: round(share, _DIGITS) for name, share in parts.items() if share},
            )
        )
    return results


def _compute_parts(search: Search, matches: Matches | None, at: int, memory: Memory) -> dict[str, float]:
    """Return the shares that add up to a result's raw score, by name. `at` is the result's position."""
    if matches is None:
        return {"least": GENERAL_RELEVANCE, "importance": (1 - GENERAL_RELEVANCE) * memory.importance}
    place, own = matches.places[at], matches.own[at]
    ties = ranking.tie_breaks([memory], search.visibility.now.timestamp(), search.ports.weights)
    return {
        **matches.ranked.parts_at(own),
        "newest_value": float(matches.ranked.scores[place] - matches.ranked.scores[own]),
        **{name: float(shares[0]) for name, shares in ties.items()},
    }


def _find_reach(matches: Matches | None, at: int, memory_id: str, scores: Mapping[Reach, Mapping[str, float]]) -> list[Reach]:
    """Return the rankings that contain a memory, or else `neighbour` or `record`. For a general query, it is `importance`."""
    if matches is None:
        return ["importance"]
    row = matches.ranked.rows[matches.own[at]]
    reach: Reach = "neighbour" if matches.retrieved.candidates.sessions[row] >= 0 else "record"
    return [name for name, ids in scores.items() if memory_id in ids] or [reach]


def _find_unreturned(search: Search, result: Found) -> dict[str, Reason | None]:
    """Map the ids of unreturned matches to reasons. The reason is None if only a search without filters finds the match."""
    general = search.query.general
    more = replace(search, limit=search.limit + _OF_A_REASON) if general else search
    seeing = replace(search.visibility, include_expired=True)
    wider = replace(more, filters=Filter(), visibility=seeing, limit=more.limit if general else 1, with_legs=False)
    own = _explain_matches(search, more.found() if general else result)
    wider_only = [name for name, why in _explain_matches(wider, wider.found()).items() if why == "limit" and name not in own]
    returned = {memory.memory_id for memory in result.memories}
    return {name: own.get(name) for name in (*own, *wider_only) if name not in returned}


def _explain_matches(search: Search, result: Found) -> dict[str, Reason]:
    """Return for each match whether the limit or the minimum relevance may exclude it from the results."""
    if result.matches is None:
        return dict.fromkeys((memory.memory_id for memory in result.memories), "limit")
    ranked, ids = result.matches.ranked, result.matches.retrieved.candidates.ids
    best = zip(ranked.rows[:_CONSIDERED].tolist(), ranked.relevance.tolist(), strict=False)
    return {ids[row]: "limit" if match >= search.least else "min_relevance" for row, match in best if match > 0}


def _find_excluded(
    search: Search, considered: Mapping[str, Reason | None], memories: Mapping[str, Memory]
) -> Iterator[tuple[str, Reason]]:
    """Yield the memories that the search left out, each with the first reason, except those that the caller may not see."""
    anytime = replace(search.visibility, include_expired=True)
    for name, why in considered.items():
        memory = memories.get(name)
        if memory is None or not is_visible(anytime, memory):
            continue
        refused = refused_by(search.filters, memory, document(memory))
        if not is_visible(search.visibility, memory):
            yield name, "include_expired"
        elif refused is not None:
            yield name, next(reason for reason in REASONS if reason == ("category" if refused == "section" else refused))
        elif why is not None:
            yield name, why


def _limit_by_reason(left_out: Iterable[tuple[str, Reason]]) -> list[LeftOut]:
    """Return the excluded memories, but at most 50 for each reason."""
    listed: Counter[Reason] = Counter()
    omissions = []
    for name, why in left_out:
        listed[why] += 1
        if listed[why] <= _OF_A_REASON:
            omissions.append(LeftOut(id=name, why=why))
    return omissions

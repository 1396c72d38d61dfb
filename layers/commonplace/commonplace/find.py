"""From a query to the memories that match it: what every search shares."""

from collections.abc import Sequence
from dataclasses import dataclass

from commonplace import ranking
from commonplace.answerable import answerable
from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.models.memory import GLOBAL_AGENT, Memory
from commonplace.ports import Caller, Filter, Ports, Vector, Visibility
from commonplace.query import Query, understand

_GENERAL_RELEVANCE = 0.3  # what a memory has at least when the query names nothing: importance gives the rest


@dataclass(frozen=True)
class Found:
    """Memories that match, best first, each with its relevance and cosine (None without a vector)."""

    memories: list[Memory]
    relevance: list[float]
    cosines: list[float | None]
    total: int
    query: Query
    answerable: float


def find(
    text: str, caller: Caller, ports: Ports, wanted: Filter, limit: int, min_relevance: float,
    include_expired: bool = False, agent_id: str | None = None,
) -> Found:  # fmt: skip
    """The memories that match a query, checked against the record, and counted as used.

    `limit`: the most to give; `min_relevance`: 0-1, those that match less are left out. Raises `EMPTY_TEXT`.
    """
    if not text.strip():
        raise CommonplaceError(ErrorCode.EMPTY_TEXT, "query: is empty", "query")
    query = understand(text, ports.facts.tags(caller.user_id), caller.now)
    agents = tuple(sorted({GLOBAL_AGENT, agent_id or caller.agent_id}))
    seen = Visibility(caller.user_id, agents, caller.now, include_expired)
    if query.general:
        found = _most_important(query, seen, wanted, limit, ports)
    else:
        found = _best_matches(query, ports.embedder.embed(text), seen, wanted, limit, min_relevance, ports)
    ports.usage.found([memory.memory_id for memory in found.memories], caller.now)
    return found


def _best_matches(
    query: Query, vector: Vector | None, seen: Visibility, wanted: Filter, limit: int, least: float, ports: Ports
) -> Found:
    candidates, corpus = ports.index.find(seen, wanted, query.question.terms, vector)
    ranked = ranking.rank(query.question, candidates, corpus, ports.profile)
    total = int((ranked.relevance >= least).sum())
    shown = ranked.rows[: min(total, 2 * limit)]
    memories = _current(ports.records.get(seen.user_id, [candidates.ids[row] for row in shown]), seen)
    row_of = {candidates.ids[row]: place for place, row in enumerate(shown)}
    places = [row_of[memory.memory_id] for memory in memories]
    order = ranking.settle(ranked.scores[places], memories, seen.now.timestamp())[:limit]
    cosines = candidates.cosines[shown]
    return Found(
        memories=[memories[at] for at in order],
        relevance=[round(float(ranked.relevance[places[at]]), 4) for at in order],
        cosines=[_number(float(cosines[places[at]])) for at in order],
        total=total,
        query=query,
        answerable=answerable(query.question, candidates, corpus, ranked),
    )


def _most_important(query: Query, seen: Visibility, wanted: Filter, limit: int, ports: Ports) -> Found:
    ids = ports.index.most_important(seen, wanted, limit)
    memories = _current(ports.records.get(seen.user_id, ids), seen)
    relevance = [_GENERAL_RELEVANCE + (1 - _GENERAL_RELEVANCE) * memory.importance for memory in memories]
    return Found(memories, relevance, [None] * len(memories), len(memories), query, 1.0 if memories else 0.0)


def _current(memories: Sequence[Memory], seen: Visibility) -> list[Memory]:
    """Every hit is checked against the record once more before it leaves."""
    return [
        memory
        for memory in memories
        if memory.user_id == seen.user_id
        and memory.agent_id in seen.agents
        and memory.status == "active"
        and (seen.include_expired or memory.expires_at is None or memory.expires_at > seen.now)
    ]


def _number(cosine: float) -> float | None:
    return None if cosine != cosine else cosine  # NaN: no vector

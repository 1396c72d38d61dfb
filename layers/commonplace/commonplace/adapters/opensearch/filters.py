"""`Visibility` and `Filter` as clauses. They stand inside each leg, so that no leg ever sees what may not be seen."""

from collections.abc import Iterable, Sequence
from typing import Any

from commonplace.ports import Filter, Visibility

Clause = dict[str, Any]


def visible(seen: Visibility, without: Iterable[str] = ()) -> Clause:
    """The user's own, active, valid now, unexpired, for one of the agents; none of the ids `without`."""
    now = seen.now.timestamp()
    hidden: list[Clause] = [{"range": {"valid_from": {"gt": now}}}, {"range": {"valid_to": {"lte": now}}}]
    if not seen.include_expired:
        hidden.append({"range": {"expires_at": {"lte": now}}})
    own = owned(seen.user_id, without)["bool"]
    return {
        "bool": {
            "filter": [*own["filter"], {"terms": {"agent_id": list(seen.agents)}}],
            "must_not": [*hidden, *own["must_not"]],
        }
    }


def owned(user_id: str, without: Iterable[str] = ()) -> Clause:
    """The user's active memories, whoever they are for; none of the ids `without`."""
    ids = sorted(without)
    return {
        "bool": {
            "filter": [{"term": {"user_id": user_id}}, {"term": {"status": "active"}}],
            "must_not": [{"ids": {"values": ids}}] if ids else [],
        }
    }


def passing(wanted: Filter) -> list[Clause]:
    """What a filter asks of a visible memory, all of it."""
    clauses: list[Clause] = [{"term": {name: value}} for name, value in wanted.equal.items()]
    if wanted.types is not None:
        clauses.append({"terms": {"memory_type": list(wanted.types)}})
    if wanted.importance_min is not None:
        clauses.append({"range": {"importance": {"gte": wanted.importance_min}}})
    if wanted.after is not None:
        clauses.append({"range": {"happened_at": {"gte": wanted.after.timestamp()}}})
    if wanted.before is not None:
        clauses.append({"range": {"happened_at": {"lt": wanted.before.timestamp()}}})
    return clauses


def both(seen: Clause, clauses: Sequence[Clause]) -> Clause:
    """All that is seen and meets the clauses."""
    return {"bool": {"filter": [seen, *clauses]}}

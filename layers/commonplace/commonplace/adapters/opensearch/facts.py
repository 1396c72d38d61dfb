"""Facts of a user's memories as a whole, counted by the domain or cached for some seconds."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from opensearchpy import OpenSearch

from commonplace.adapters.opensearch import queries
from commonplace.adapters.opensearch.client import ask
from commonplace.adapters.opensearch.document import ALIAS, OUTLINE, unpacked
from commonplace.adapters.record_scan import TagCache, most_used, outlines_of
from commonplace.domain.outline import Outline
from commonplace.ports.index import PendingWrites
from commonplace.ports.records import UserFacts
from commonplace.ports.values import MOST_TAGS, IndexUnavailable, Statistics, Stored

_log = logging.getLogger("commonplace")
_ALL_TAGS = 10_000
_NOT_AGAIN = 10.0  # seconds
_IDS_A_FILTER = 5_000
_USED = "used-"
_OUTLINES_A_PAGE = 10_000  # more the domain gives to nobody


class UnindexedState(PendingWrites, Protocol):
    """Pending writes and findings, neither of which the index knows."""

    def used(self, user_id: str) -> set[str]:
        """Ids of the user's memories that a search returned, as far as that is folded."""


class OpenSearchFacts:
    """Facts by aggregation, and of what waits to be indexed.

    Tags only name a new memory's, so they are kept for `seconds`, and when the domain can't be asked the last known ones do,
    for some seconds without asking again.
    Statistics come from `otherwise` then.
    """

    def __init__(
        self, client: OpenSearch, pending: UnindexedState, otherwise: UserFacts, alias: str = ALIAS, seconds: float = 60.0
    ) -> None:
        self._client, self._pending, self._otherwise, self._alias = client, pending, otherwise, alias
        self._seconds, self._kept = seconds, TagCache()

    def tags(self, user_id: str) -> dict[str, int]:
        fresh = self._kept.fresh(user_id)
        if fresh is not None:
            return fresh
        try:
            counts, *_ = self._counted(user_id, MOST_TAGS)
        except IndexUnavailable as error:
            _log.warning("index unavailable for tags: %s", error)
            return self._kept.keep(user_id, self._kept.last(user_id), min(self._seconds, _NOT_AGAIN))
        return self._kept.keep(user_id, most_used(counts), self._seconds)

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        used = self._pending.used(user_id)
        states = {**_states(now.timestamp(), embedding_model), **_used(sorted(used), now.timestamp())}
        try:
            tags, found, waiting = self._counted(user_id, _ALL_TAGS, {"states": {"filters": {"filters": states}}})
        except IndexUnavailable as error:
            _log.warning("index unavailable for statistics: %s", error)
            return self._otherwise.statistics(user_id, now, embedding_model)
        live = [one for one in waiting if one.memory.expires_at is None or one.memory.expires_at > now]
        made_by = [one.memory.embedding_model for one in live if one.vector is not None]
        here: dict[str, int] = {name: bucket["doc_count"] for name, bucket in found["states"]["buckets"].items()}
        unused_here = here["live"] - sum(count for name, count in here.items() if name.startswith(_USED))
        return Statistics(
            active=here["live"] + len(live),
            expired=here["lapsed"] + sum(one.memory.has_lapsed(now) for one in waiting),
            unused=unused_here + sum(one.memory.memory_id not in used for one in live),
            without_vector=here["without_vector"] + len(live) - len(made_by),
            other_embedding=here["other"] + sum(model != embedding_model for model in made_by),
            tags=len(tags),
            single_tags=sum(count == 1 for count in tags.values()),
        )

    def outlines(self, user_id: str, terms: Sequence[str] = ()) -> list[Outline]:
        pending, _ = self._pending.pending(user_id)
        try:
            indexed = list(self._indexed(user_id, terms, [one.memory.memory_id for one in pending]))
        except IndexUnavailable as error:
            _log.warning("index unavailable for outlines: %s", error)
            return self._otherwise.outlines(user_id, terms)
        return [*indexed, *outlines_of((one.memory for one in pending if one.memory.user_id == user_id), terms)]

    def _indexed(self, user_id: str, terms: Sequence[str], without: Sequence[str]) -> Iterator[Outline]:
        """The outlines that the index has; each is checked once more to be this user's."""
        body = queries.outlines(user_id, terms, without, _OUTLINES_A_PAGE)
        while True:
            (answer,) = ask(self._client, self._alias, user_id, body)
            hits = answer["hits"]["hits"]
            if any("fields" not in hit for hit in hits):
                raise IndexUnavailable("documents lack what is counted of them: run commonplace reindex")
            for owner, *kept in unpacked(hit["fields"][OUTLINE][0] for hit in hits):
                if owner == user_id and kept:
                    yield Outline.kept(kept)
            if len(hits) < _OUTLINES_A_PAGE:
                return
            body = {**body, "search_after": hits[-1]["sort"]}

    def _counted(
        self, user_id: str, most: int, states: Mapping[str, Any] | None = None
    ) -> tuple[Counter[str], dict[str, Any], list[Stored]]:
        """Active memories per tag, the requested counts, and the active memories that are pending."""
        pending, _ = self._pending.pending(user_id)
        active = [one for one in pending if one.memory.user_id == user_id and one.memory.status == "active"]
        body = {
            "query": queries.active_of_user(user_id, [one.memory.memory_id for one in pending]),
            "size": 0,
            "aggs": {"tags": {"terms": {"field": "tags", "size": most}}, **(states or {})},
        }
        (answer,) = ask(self._client, self._alias, user_id, body)
        found = answer["aggregations"]
        counts = Counter({bucket["key"]: bucket["doc_count"] for bucket in found["tags"]["buckets"]})
        counts.update(tag for one in active for tag in set(one.memory.tags))
        return counts, found, active


def _states(now: float, embedding_model: str) -> dict[str, Any]:
    expired = {"range": {"expires_at": {"lte": now}}}
    embedded = {"exists": {"field": "embedding_model"}}
    return {
        "live": _live(now),
        "lapsed": {"bool": {"filter": [expired, {"term": {"durability": "durable"}}]}},
        "without_vector": {"bool": {"must_not": [expired, embedded]}},
        "other": {"bool": {"filter": [embedded], "must_not": [expired, {"term": {"embedding_model": embedding_model}}]}},
    }


def _used(ids: Sequence[str], now: float) -> dict[str, Any]:
    """The live ones among these ids, so many to a filter."""
    starts = range(0, len(ids), _IDS_A_FILTER)
    return {f"{_USED}{start}": _live(now, {"ids": {"values": ids[start : start + _IDS_A_FILTER]}}) for start in starts}


def _live(now: float, *also: Mapping[str, Any]) -> dict[str, Any]:
    return {"bool": {"filter": [*also], "must_not": [{"range": {"expires_at": {"lte": now}}}]}}

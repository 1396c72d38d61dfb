"""The index of a domain: scored by our own code, with what waits to be indexed beside what it holds."""

from collections.abc import Sequence
from functools import partial

from opensearchpy import OpenSearch

from commonplace.adapters.opensearch import filters, hits, queries
from commonplace.adapters.opensearch.client import ask
from commonplace.adapters.opensearch.finding import Ask, Finding, Fusion
from commonplace.adapters.opensearch.mapping import ALIAS
from commonplace.adapters.opensearch.sharing import similar
from commonplace.candidates import Gathered
from commonplace.in_hand import InHand
from commonplace.ports import Filter, PendingWrites, Similar, Vector, Visibility


class OpenSearchIndex:
    """A user's memories in the domain, and those that it may not hold yet.

    `fusion`: whether the candidates are the best of each leg, or those that the domain's own `hybrid` query puts first.
    """

    def __init__(
        self, client: OpenSearch, pending: PendingWrites, embedding_model: str, alias: str = ALIAS,
        fusion: Fusion = "own", pipeline: str = queries.PIPELINE,
    ) -> None:  # fmt: skip
        self._client, self._pending, self._model, self._alias = client, pending, embedding_model, alias
        self._fusion, self._pipeline = fusion, pipeline

    def find(self, seen: Visibility, wanted: Filter, terms: Sequence[str], vector: Vector | None) -> Gathered:
        return Finding(
            self._ask(seen), seen, wanted, terms, vector, self._waiting(seen), self._fusion, self._pipeline
        ).gathered()

    def similar(self, seen: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        return similar(self._ask(seen), seen, terms, vector, self._waiting(seen), limit)

    def most_important(self, seen: Visibility, wanted: Filter, limit: int) -> tuple[list[str], bool]:
        waiting = self._waiting(seen)
        allowed = filters.both(filters.visible(seen, waiting.ids), filters.passing(wanted))
        (answer,) = self._ask(seen)(queries.most_important(allowed, limit))
        ordered = [tuple(hit.order) for hit in hits.own(answer, seen.user_id)]
        ordered += [
            (memory.importance, memory.happened_at.timestamp(), memory.memory_id) for memory in waiting.passing(seen, wanted)
        ]
        ordered.sort(reverse=True)
        return [memory_id for *_, memory_id in ordered[:limit]], not waiting.complete

    def _ask(self, seen: Visibility) -> Ask:
        return partial(ask, self._client, self._alias, seen.user_id)

    def _waiting(self, seen: Visibility) -> InHand:
        records, complete = self._pending.pending(seen.user_id)
        return InHand(records, self._model, complete)

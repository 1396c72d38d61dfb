"""Older memories that share words with a new one, and how much."""

from collections.abc import Sequence

from commonplace import gathering
from commonplace.adapters.opensearch import filters, hits, queries
from commonplace.adapters.opensearch.finding import Ask
from commonplace.in_hand import InHand
from commonplace.ports import Filter, Similar, Vector, Visibility


def similar(
    ask: Ask, seen: Visibility, terms: Sequence[str], vector: Vector | None, waiting: InHand, limit: int
) -> list[Similar]:
    """Those that share words in their own text, nearest first: by the share of rare words in common, and by cosine."""
    asked = sorted(set(terms))
    if not asked:
        return []
    may_be_seen = filters.visible(seen, waiting.ids)
    counted, leg = ask(queries.statistics(may_be_seen, asked), queries.sharing(may_be_seen, asked, vector))
    rows, texts = [], {}
    for hit in hits.own(leg, seen.user_id):
        rows.append(hits.row(hit, asked, waiting.model, scored=vector is not None))
        texts[hit.memory_id] = hit.content or ""
    found, _ = waiting.rows(seen, Filter(), asked, vector)
    aside = list(found.values())
    corpus = gathering.together(hits.corpus(counted, asked), gathering.corpus_of(aside, asked))
    return gathering.nearest_by_words([*rows, *aside], texts | waiting.texts, corpus, limit)

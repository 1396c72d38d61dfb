"""Older memories that share words with a new one, and how much."""

from collections.abc import Sequence

from commonplace import gathering, scoring
from commonplace.adapters.opensearch import filters, hits, queries
from commonplace.adapters.opensearch.finding import Ask
from commonplace.adapters.opensearch.waiting import Waiting, similarity
from commonplace.ports import Similar, Vector, Visibility


def similar(ask: Ask, seen: Visibility, terms: Sequence[str], vector: Vector | None, waiting: Waiting) -> list[Similar]:
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
    aside = []
    for memory, made, other in waiting.visible(seen):
        aside.append(gathering.row_of(memory, made, asked, similarity(vector, other)))
        texts[memory.memory_id] = memory.content
    corpus = gathering.together(hits.corpus(counted, asked), gathering.corpus_of(aside, asked))
    rare = scoring.rarity(corpus)
    scored = []
    for row in (*rows, *aside):
        share = sum(weight for weight, count in zip(rare, row.counts, strict=True) if count >= 1) / (float(rare.sum()) or 1.0)
        cosine = None if row.cosine != row.cosine else row.cosine  # NaN: no vector
        if share:
            scored.append((-share - (cosine or 0.0), row.memory_id, Similar(row.memory_id, texts[row.memory_id], cosine)))
    scored.sort(key=lambda each: each[:2])
    return [found for *_, found in scored]

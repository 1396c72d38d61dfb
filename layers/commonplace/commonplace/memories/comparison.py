"""A new memory beside those that are there: which are alike, which say the same, which it may leave untrue."""

import logging
from collections.abc import Sequence

from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.domain.results import Merge, SimilarMemory, Update
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Entry, IndexUnavailable, Similar, Visibility
from commonplace.text.foundation import tokenizer
from commonplace.text.paraphrase.verdict import same_statement

_COMPARED = 8  # by words, and as many by vector
_SHOWN = 5
_LEAST_COSINE = 0.4  # below it two texts share a word ("I'm", "every") and not a matter
_SAME = "the same in other words"
_log = logging.getLogger("commonplace")


def find_similar(entry: Entry, ports: Ports) -> Sequence[Similar] | None:
    """What to compare with, nearest first; None when the index is unavailable: no store waits for advice."""
    memory = entry.memory
    seen = Visibility(memory.user_id, tuple({GLOBAL_AGENT, memory.agent_id}), memory.created_at)
    try:
        return ports.index.similar(seen, tokenizer.terms(memory.content), entry.vector, _COMPARED)
    except IndexUnavailable as error:
        _log.warning("index unavailable: %s", error)
        return None


def alike(others: Sequence[Similar]) -> list[Similar]:
    """Those that speak of the same matter, the first five."""
    return [one for one in others if one.cosine is None or one.cosine >= _LEAST_COSINE][:_SHOWN]


def as_told(others: Sequence[Similar]) -> list[SimilarMemory]:
    """Those that speak of the same matter, as an answer tells them."""
    return [
        SimilarMemory(
            memory_id=one.memory_id,
            content=one.content,
            similarity=None if one.cosine is None else round(min(max(one.cosine, 0.0), 1.0), 3),
        )
        for one in alike(others)
    ]


def advice_on(entry: Entry, others: Sequence[Similar], ports: Ports) -> tuple[list[Merge], list[Update]]:
    """Of the others those that say the same, and those that may not be true any more, each with the reason.

    By words where there are no vectors of the model that pairs are judged by: then no changes are suggested.
    """
    merges, updates = [], []
    for other in others:
        same, change = _judged(entry, other, ports)
        if same is not None:
            merges.append(Merge(memory_id=other.memory_id, why=same))
        elif change is not None:
            updates.append(Update(memory_id=other.memory_id, content=other.content, why=change))
    return merges, updates


def _judged(entry: Entry, other: Similar, ports: Ports) -> tuple[str | None, str | None]:
    """Why both say the same, and why the new one may leave the other untrue."""
    text = entry.memory.content
    same = same_statement(text, other.content)
    if same is not None or entry.vector is None or other.cosine is None:
        return same, None
    from commonplace.text.paraphrase.pair_model import difference, judged  # with numpy, which words alone do not need

    vector = ports.embedder.embed(other.content) if other.vector is None else other.vector
    verdict = judged(other.content, text, vector, entry.vector, ports.embedder.name, ports.least_similarity)
    return _SAME if verdict.same else None, difference(other.content, text) if verdict.change else None

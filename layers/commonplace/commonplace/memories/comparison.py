"""Compare a new memory with existing ones, to find similar, equivalent and outdated memories."""

import logging
from collections.abc import Sequence

from commonplace.domain.fields import OTHER_MODEL
from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.domain.results import Merge, SimilarMemory, Update
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Entry, IndexUnavailable, Similar, Vector, Visibility
from commonplace.text.foundation import tokenizer
from commonplace.text.paraphrase.repeats import is_repeat

_COMPARED = 8  # how many memories are compared by words, and how many by vector
_MOST_SHOWN = 5
_LEAST_COSINE = 0.38  # two texts below this may share words ("I'm", "every") but not a topic
_REPEAT, _SAME = "the same words", "the same in other words"
_NOT_COMPARED = "the index can't be asked just now; similar memories were not looked for"
_NO_VECTOR = "the model can't read this language; a memory counts as the same only if its words repeat"
_log = logging.getLogger("commonplace")


def find_similar(entry: Entry, ports: Ports) -> Sequence[Similar] | None:
    """Return the memories nearest to a new memory, best first, or None if the index is unavailable."""
    memory = entry.memory
    seen = Visibility(memory.user_id, tuple({GLOBAL_AGENT, memory.agent_id}), memory.created_at)
    try:
        return ports.index.similar(seen, tokenizer.terms(memory.content), entry.vector, _COMPARED)
    except IndexUnavailable as error:
        _log.warning("index unavailable: %s", error)
        return None


def shortfall(nearest: Sequence[Similar] | None, vector: Vector | None) -> str | None:
    """Return the reason for an incomplete comparison, or None if it was complete. `vector` is the new memory's vector."""
    if nearest is None:
        return _NOT_COMPARED
    if nearest and vector is None:
        return _NO_VECTOR
    return OTHER_MODEL if any(similar.other_model for similar in nearest) else None


def alike(nearest: Sequence[Similar]) -> list[Similar]:
    """Return up to five of the nearest memories. Memories that are clearly about a different topic are left out."""
    return [similar for similar in nearest if similar.cosine is None or similar.cosine >= _LEAST_COSINE][:_MOST_SHOWN]


def as_similar(nearest: Sequence[Similar]) -> list[SimilarMemory]:
    """Return the memories that may be about the same topic, in the form used in results."""
    return [
        SimilarMemory(
            memory_id=similar.memory_id,
            content=similar.content,
            similarity=None if similar.cosine is None else round(min(max(similar.cosine, 0.0), 1.0), 3),
        )
        for similar in alike(nearest)
    ]


def advice_on(entry: Entry, nearest: Sequence[Similar], ports: Ports) -> tuple[list[Merge], list[Update]]:
    """Return the memories with the same meaning as a new one, and those that it may make outdated, each with a reason.

    If there are no vectors, only words are compared, and no memory is reported as outdated.
    """
    text = entry.memory.content
    merges = [Merge(memory_id=other.memory_id, why=_REPEAT) for other in nearest if is_repeat(text, other.content)]
    repeats = {merge.memory_id for merge in merges}
    similar = [other for other in nearest if other.memory_id not in repeats and other.cosine is not None]
    if entry.vector is None or not similar:
        return merges, []
    from commonplace.text.paraphrase.judge import Candidate, judge_candidates  # deferred, because it loads numpy
    from commonplace.text.paraphrase.pair_features import difference

    embedder = ports.embedder
    vectors = (embedder.embed(other.content) if other.vector is None else other.vector for other in similar)
    candidates = [Candidate(other.content, vector) for other, vector in zip(similar, vectors, strict=True)]
    verdicts = judge_candidates(text, entry.vector, candidates, embedder.name, ports.least_similarity)
    judged = list(zip(similar, verdicts, strict=True))
    updates = [
        Update(memory_id=other.memory_id, content=other.content, why=difference(other.content, text))
        for other, verdict in judged
        if verdict.change
    ]
    return [*merges, *(Merge(memory_id=other.memory_id, why=_SAME) for other, verdict in judged if verdict.same)], updates

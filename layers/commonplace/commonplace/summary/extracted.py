"""A summary without a model: of each memory the sentence that answers the question best, in order of relevance."""

from collections.abc import Sequence

from commonplace import analyzer
from commonplace.documents import folded
from commonplace.extraction.clauses import STOPS, sentences
from commonplace.models.memory import Memory
from commonplace.summary.said import FEWEST, MOST, KeyPoint, Summary


def extracted(query: str, memories: Sequence[Memory]) -> Summary:
    """3 to 6 sentences as the memories have them; a point per sentence, with all the memories that say it."""
    asked = set(analyzer.terms(query))
    by_memory = [(memory, _best_first(memory, asked)) for memory in memories]
    points: dict[str, KeyPoint] = {}
    for memory, found in by_memory:
        for sentence in found[:1]:
            before = points.get(folded(sentence), KeyPoint(sentence, ()))
            points[folded(sentence)] = KeyPoint(before.text, (*before.ids, memory.memory_id))
    chosen = {name: point.text for name, point in list(points.items())[:MOST]}
    for sentence in (sentence for _, found in by_memory for sentence in found[1:]):
        if len(chosen) < FEWEST:
            chosen.setdefault(folded(sentence), sentence)
    return Summary(tuple(chosen.values()), tuple(points.values()))


def _best_first(memory: Memory, asked: set[str]) -> list[str]:
    found = [" ".join(sentence.text.split()) for sentence in sentences(memory.normalized_text)]
    found.sort(key=lambda sentence: -len(asked.intersection(analyzer.terms(sentence))))
    return [sentence if sentence.endswith(STOPS) else f"{sentence}." for sentence in found if sentence]

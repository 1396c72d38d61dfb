"""Find the concepts in memories, and treat all names for the same thing as one concept."""

from collections import Counter
from collections.abc import Iterable

from commonplace.domain.outline import Outline
from commonplace.text.tagging.names import same_thing


def things(outline: Outline) -> frozenset[str]:
    """Return a key for each thing that a memory is about. All names for a thing have the same key."""
    return frozenset(map(same_thing, outline.concepts))


def names_of(outlines: Iterable[Outline]) -> dict[str, str]:
    """Map the key of each thing to its most used name."""
    counts = Counter(concept for outline in outlines for concept in set(outline.concepts))
    named: dict[str, str] = {}
    for concept, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        named.setdefault(same_thing(concept), concept)
    return named

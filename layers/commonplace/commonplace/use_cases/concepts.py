"""The concepts of memories, with the aliases of one thing taken together."""

from collections import Counter
from collections.abc import Iterable

from commonplace.domain.outline import Outline
from commonplace.text.tagging.names import same_thing


def things(outline: Outline) -> frozenset[str]:
    """What a memory is about: a key for each thing, whatever it is called there."""
    return frozenset(map(same_thing, outline.concepts))


def names_of(outlines: Iterable[Outline]) -> dict[str, str]:
    """The name of each thing by its key: the concept that most memories have for it, of equals the first by name."""
    counts = Counter(concept for one in outlines for concept in set(one.concepts))
    named: dict[str, str] = {}
    for concept, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        named.setdefault(same_thing(concept), concept)
    return named

"""Which tags of a user become one: candidates by spelling, name and stem, each judged, and the name that stays."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from commonplace.domain.runs import TagMerge
from commonplace.ports.embedder import Embedder
from commonplace.ports.record_values import Vector
from commonplace.text.tagging.likeness import Likeness, group_of, likeness, scale_of, stems_of, winner
from commonplace.text.tagging.names import same_thing

_MOST_TOGETHER = 60  # tags under one key: of a stem that more share nothing is told
_SHORTEST = 6
_Pair = tuple[str, str]


@dataclass
class TagPlan:
    """The merges of some tags. `uses`: how many memories carry each; `apart`: pairs that stay two although they are near."""

    uses: Mapping[str, int]
    threshold: float
    merges: list[TagMerge] = field(default_factory=list)
    apart: list[tuple[str, str, Likeness]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        uses: Mapping[str, int],
        embedder: Embedder,
        threshold: float,
        in_time: Callable[[Iterable[_Pair]], Iterable[_Pair]],
    ) -> "TagPlan":
        """Judges all pairs that may be one thing, one by one as `in_time` gives them back."""
        plan = cls(uses, threshold)
        pairs = sorted(_candidates(uses))
        vectors = _vectors({tag for pair in pairs for tag in pair}, embedder)
        near: dict[str, dict[str, Likeness]] = defaultdict(dict)
        for one, other in in_time(pairs):
            alike = _judged(one, other, uses, vectors, embedder.name)
            if alike.similarity < threshold:
                continue
            if alike.apart is not None:
                plan.apart.append((one, other, alike))
            else:
                near[one][other] = near[other][one] = alike
        plan._join(near, vectors, embedder.name)
        return plan

    def _join(self, near: Mapping[str, Mapping[str, Likeness]], vectors: Mapping[str, Vector | None], model: str) -> None:
        """Each tag goes to the name that wins over it; every one must be like the winner itself."""
        wins: dict[str, set[str]] = defaultdict(set)
        for tag, others in near.items():
            for other in others:
                name = winner(tag, other, self.uses)
                wins[name] |= {tag, other} - {name}
        taken: set[str] = set()
        for name in sorted(wins, key=lambda one: (group_of(one) != one, -len(wins[one]), -self.uses.get(one, 0), one)):
            if name in taken:
                continue
            for tag in sorted(wins[name] - taken):
                alike = near[tag].get(name) or _judged(tag, name, self.uses, vectors, model)
                if alike.apart is None and alike.similarity >= self.threshold:
                    taken.add(tag)
                    self.merges.append(
                        TagMerge(tag=tag, into=name, similarity=alike.similarity, why=alike.why, memories=self.uses[tag])
                    )
            taken.add(name)


def _judged(one: str, other: str, uses: Mapping[str, int], vectors: Mapping[str, Vector | None], model: str) -> Likeness:
    first, second = vectors.get(one), vectors.get(other)
    cosine = None if first is None or second is None else float(first @ second)
    return likeness(one, other, uses, cosine, scale_of(model))


def _vectors(tags: set[str], embedder: Embedder) -> dict[str, Vector | None]:
    """Of one model, where its scale is known."""
    if scale_of(embedder.name) is None:
        return {}
    ordered = sorted(tags)
    return dict(zip(ordered, embedder.embed_all([tag.replace("-", " ") for tag in ordered]), strict=True))


def _candidates(tags: Mapping[str, int]) -> set[tuple[str, str]]:
    """The pairs that share a spelling, a name in the table, initials, a stem or all letters but one."""
    together: dict[tuple[str, str], set[str]] = defaultdict(set)
    for tag in tags:
        for key in _keys(tag):
            together[key].add(tag)
    found = (sorted(group) for group in together.values() if 1 < len(group) <= _MOST_TOGETHER)
    return {pair for group in found for pair in combinations(group, 2)}


def _keys(tag: str) -> Iterator[tuple[str, str]]:
    yield "thing", same_thing(tag)
    words = [word for word in tag.split("-") if word]
    yield "initials", tag if len(words) < 2 else "".join(word[0] for word in words)
    yield from (("stem", stem) for stem in stems_of(tag))
    if len(tag) >= _SHORTEST:
        yield "letters", tag
        yield from (("letters", tag[:at] + tag[at + 1 :]) for at in range(1, len(tag)))

"""Plan which tags to merge by finding candidate pairs, judging each pair, and choosing the name to keep."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import combinations

from commonplace.domain.memory import Memory
from commonplace.domain.runs import TagMerge
from commonplace.ports.models import Embedder, WordModel
from commonplace.ports.values import Caller, Vector
from commonplace.retrieval.record_scan import is_visible, visibility_of
from commonplace.text.foundation.characters import bare
from commonplace.text.tagging.names import same_thing
from commonplace.text.tagging.synonyms import Likeness, OwnTags, group_of, likeness, scale_of, stems_of, winner

_MOST_TOGETHER = 60  # tags per key; a stem that more tags share says little
_SHORTEST = 6
_WORDS = re.compile(r"\w+")
_BETWEEN = "(?:-(?:the|a|an|or|aka|i-e|is|short-for|stands-for|abbreviated))*"  # between a tag and its abbreviation
_Pair = tuple[str, str]


def visible(memories: Iterable[Memory], caller: Caller) -> list[Memory]:
    """Return the memories whose tags the caller may merge, including expired memories."""
    seen = visibility_of(caller, include_expired=True)
    return [memory for memory in memories if is_visible(seen, memory)]


@dataclass
class TagPlan:
    """The planned merges of tags. `separate` lists similar pairs that stay separate."""

    own: OwnTags
    threshold: float
    merges: list[TagMerge] = field(default_factory=list)
    separate: list[tuple[str, str, Likeness]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        uses: Mapping[str, int],
        words: WordModel,
        memories: Callable[[], Sequence[Memory]] = tuple,
        embedder: Embedder | None = None,
        threshold: float = 1.0,
        in_time: Callable[[Iterable[_Pair]], Iterable[_Pair]] = iter,
    ) -> "TagPlan":
        """Judge all pairs of tags that may mean the same. `in_time` yields the pairs, or raises an error when time runs out.

        `uses` maps each tag to its number of memories. If `embedder` is None, only names and spelling count. `memories` is
        called only for abbreviations that aren't in the shipped table. Without memories, those aren't recognized.
        """
        plan = cls(OwnTags(uses, words.has_word, partial(_is_abbreviation, cache(memories))), threshold)
        pairs = sorted(_find_candidates(uses))
        vectors = {} if embedder is None else _embed_tags({tag for pair in pairs for tag in pair}, embedder)
        model = "" if embedder is None else embedder.name
        near: dict[str, dict[str, Likeness]] = defaultdict(dict)
        for first, other in in_time(pairs):
            alike = _judge_tags(first, other, plan.own, vectors, model)
            if alike.similarity < threshold:
                continue
            if alike.difference is not None:
                plan.separate.append((first, other, alike))
            else:
                near[first][other] = near[other][first] = alike
        plan._join_all(near, vectors, model)
        return plan

    def _join_all(self, near: Mapping[str, Mapping[str, Likeness]], vectors: Mapping[str, Vector | None], model: str) -> None:
        """Choose the names to keep, and merge into them all tags that are similar enough."""
        wins: dict[str, set[str]] = defaultdict(set)
        for tag, likenesses in near.items():
            for other in likenesses:
                name = winner(tag, other, self.own)
                wins[name] |= {tag, other} - {name}
        taken: set[str] = set()
        for name in sorted(wins, key=lambda tag: (group_of(tag) != tag, -len(wins[tag]), -self.own.uses.get(tag, 0), tag)):
            if name in taken:
                continue
            for tag in sorted(wins[name] - taken):
                alike = near[tag].get(name) or _judge_tags(tag, name, self.own, vectors, model)
                if alike.difference is None and alike.similarity >= self.threshold:
                    taken.add(tag)
                    self.merges.append(
                        TagMerge(tag=tag, into=name, similarity=alike.similarity, why=alike.why, memories=self.own.uses[tag])
                    )
            taken.add(name)


def _is_abbreviation(memories: Callable[[], Sequence[Memory]], short: str, long: str) -> bool:
    """Return whether a memory tagged `short` also contains `long`, which must be adjacent if the text contains `short`."""
    return any(short in memory.tags and _contains_both(memory, bare(short), bare(long)) for memory in memories())


def _contains_both(memory: Memory, short: str, long: str) -> bool:
    """Return whether the text or tags contain `long`. If the text contains `short`, `long` must be next to `short` there."""
    text = f"-{'-'.join(_WORDS.findall(bare(memory.content)))}-"
    if f"-{short}-" not in text:
        return f"-{long}-" in text or long in map(bare, memory.tags)
    pair = (re.escape(short), re.escape(long))
    return any(re.search(f"-{first}{_BETWEEN}-{other}-", text) for first, other in (pair, pair[::-1]))


def _judge_tags(tag: str, other: str, own: OwnTags, vectors: Mapping[str, Vector | None], model: str) -> Likeness:
    first, second = vectors.get(tag), vectors.get(other)
    cosine = None if first is None or second is None else float(first @ second)
    return likeness(tag, other, own, cosine, scale_of(model))


def _embed_tags(tags: set[str], embedder: Embedder) -> dict[str, Vector | None]:
    """Return the vectors of tags. If the scale of the model's similarities is unknown, return no vectors."""
    if scale_of(embedder.name) is None:
        return {}
    ordered = sorted(tags)
    return dict(zip(ordered, embedder.embed_all([tag.replace("-", " ") for tag in ordered]), strict=True))


def _find_candidates(tags: Mapping[str, int]) -> set[tuple[str, str]]:
    """Return the pairs of tags that share a spelling, table entry, initials or stem, or that differ in one letter."""
    together: dict[tuple[str, str], set[str]] = defaultdict(set)
    for tag in tags:
        for key in _yield_bucket_keys(tag):
            together[key].add(tag)
    groups = (sorted(group) for group in together.values() if 1 < len(group) <= _MOST_TOGETHER)
    return {pair for group in groups for pair in combinations(group, 2)}


def _yield_bucket_keys(tag: str) -> Iterator[tuple[str, str]]:
    """Yield keys that similar tags share: thing, initials, stems, and the tag with any one letter after the first omitted."""
    yield "thing", same_thing(tag)
    words = [word for word in tag.split("-") if word]
    yield "initials", tag if len(words) < 2 else "".join(word[0] for word in words)
    yield from (("stem", stem) for stem in stems_of(tag))
    if len(tag) >= _SHORTEST:
        yield "letters", tag
        yield from (("letters", tag[:at] + tag[at + 1 :]) for at in range(1, len(tag)))

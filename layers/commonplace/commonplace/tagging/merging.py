"""Which new tag means the same as a tag that the user has already: by aliases, by spelling, at last by vectors."""

from collections.abc import Callable, Mapping, Sequence

from commonplace.tagging.names import same_thing
from commonplace.tagging.siblings import are_siblings

SAME_MEANING = 0.7
_ALIKE_START = 3
_MOST_ALIKE = 6
_MOST_COMPARED = 32
Cosine = Callable[[str, str], float | None]


def consolidate(new_tags: list[str], existing: Mapping[str, int], cosine: Cosine) -> dict[str, str]:
    """New tag -> the user's own tag that stands for it; only those that change.

    `existing`: tag -> how many memories have it. `cosine`: similarity of two tags, -1 to 1, None when unknown; asked
    at most 32 times in all.
    """
    unknown = [tag for tag in dict.fromkeys(new_tags) if tag not in existing]
    if not unknown or not existing:
        return {}
    by_use = sorted(existing, key=lambda tag: (-existing[tag], tag))
    own: dict[str, str] = {}
    for tag in by_use:
        own.setdefault(same_thing(tag), tag)
    renamed = {tag: own[same_thing(tag)] for tag in unknown if same_thing(tag) in own}
    left = [tag for tag in unknown if tag not in renamed]
    starts = {tag[:_ALIKE_START] for tag in left}
    alike = [tag for tag in by_use if tag[:_ALIKE_START] in starts]
    for tag in left:
        if nearest := _nearest(tag, alike, by_use, cosine, _MOST_COMPARED // len(left)):
            renamed[tag] = nearest
    return renamed


def _nearest(tag: str, alike: Sequence[str], by_use: Sequence[str], cosine: Cosine, budget: int) -> str | None:
    """The most similar own tag that may stand for it, of those that begin like it and then of the most used."""
    first = [own for own in alike if own[:_ALIKE_START] == tag[:_ALIKE_START]][:_MOST_ALIKE]
    asked = [*first, *(own for own in by_use[: budget + _MOST_ALIKE] if own not in first)][:budget]
    scored = [(score, own) for own in asked if (score := cosine(tag, own)) is not None and score >= SAME_MEANING]
    return next((own for _, own in sorted(scored, reverse=True) if not are_siblings(tag, own)), None)

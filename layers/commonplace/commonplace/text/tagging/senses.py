"""Whether an English word stands for its topic: as a noun or as a verb, done by a person, to nothing else."""

import functools
from collections.abc import Sequence

from commonplace.text.foundation.english import is_known, table
from commonplace.text.tagging.names import singular
from commonplace.text.tagging.tables import listed, stop_words
from commonplace.text.tagging.tokens import Word


def is_activity(words: Sequence[Word], at: int) -> bool:
    """False for the "running" of 'running late': an activity's name in another sense."""
    return words[at].key not in _any("verbs.alone") or stands_for_topic(words, at, at + 1, words[at].key)


def stands_for_topic(words: Sequence[Word], start: int, end: int, form: str) -> bool:
    """Whether the words from `start` up to `end` mean what their trigger means, which begins with `form`.

    A noun is no topic as a verb ("I booked a flight" is not about books), a verb of persons none of things ("our
    standup moved to ten"), and one without an object none with one ("she runs a bakery").
    """
    single = end - start == 1
    if single and form not in _any("verbs.topical") and form not in _any("verbs.alone"):
        return form in (words[start].key, singular(words[start].key)) and not _is_verb(words, start)
    gerund = words[start].key.endswith("ing")
    if form in _any("verbs.alone") and (single or not gerund) and not _done_by_person(words, start):
        return False
    return words[end - 1].key not in _any("verbs.alone") or not _has_object(words, end - 1)


@functools.cache
def _any(name: str) -> frozenset[str]:
    return frozenset(listed(name))


def _before(words: Sequence[Word], at: int) -> Word | None:
    return words[at - 1] if at and not (words[at].parted or words[at].first) else None


def _after(words: Sequence[Word], at: int) -> Word | None:
    return words[at + 1] if at + 1 < len(words) and not (words[at + 1].parted or words[at + 1].first) else None


def _is_verb(words: Sequence[Word], at: int) -> bool:
    """'I want to book a cottage', 'we house them', 'Book a table': a subject, "to" or nothing before it, an object behind."""
    after = _after(words, at)
    if after is None or after.key not in _any("verbs.objects"):
        return False
    before = _before(words, at)
    return before is None or before.key in _any("verbs.before") or before.key in table("people.singular")


def _done_by_person(words: Sequence[Word], at: int) -> bool:
    """False where a thing is the subject: 'the engine runs', 'the app keeps running', 'our standup moved'."""
    before = _before(words, at)
    while before is not None and (before.key in _any("verbs.between") or before.key.endswith("ly")):
        at -= 1
        before = _before(words, at)
    if before is None or before.capital or before.key in stop_words("en"):
        return True
    if before.first and before.text[0].isupper() and not is_known(before.key):
        return True
    people = table("people.singular") | table("people.plural") | table("people.company")
    return before.key in people or singular(before.key) in people


def _has_object(words: Sequence[Word], at: int) -> bool:
    """'runs a bakery', 'running Linux', 'reading the meter', 'running late'; not 'runs a lot', 'running club'."""
    after = _after(words, at)
    if after is None:
        return False
    if after.key in _any("verbs.objects"):
        behind = _after(words, at + 1)
        return behind is None or behind.key not in _any("verbs.measures")
    if after.key in _any("verbs.idioms"):
        return True
    if after.capital:
        # A title is what one reads
        return words[at].key not in _any("verbs.of_titles")
    before = _before(words, at)
    compound = words[at].key.endswith("ing") and (before is None or before.key not in _any("verbs.progressive"))
    return not compound and after.key not in stop_words("en") and after.key[0].isalpha()

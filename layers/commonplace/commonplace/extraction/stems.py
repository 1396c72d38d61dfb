"""The words of a text that carry its content, as the index has them, without the small words of its language."""

import functools
import re

from commonplace import analyzer
from commonplace.extraction.figures import is_calendar_word
from commonplace.third_person.languages import language_of, languages

_CAPITAL = re.compile(r"(?<=[\w,] )[A-ZÀ-Þ][\w-]+")
_SHORTEST, _SHARE = 4, 0.6


@functools.lru_cache(maxsize=4096)
def stems_of(text: str) -> frozenset[str]:
    """The content stems of a text; the function words of its language are left out."""
    return frozenset(analyzer.terms(text, _small_words(text)))


def shared(wanted: frozenset[str], known: frozenset[str], *, begins: bool = False) -> frozenset[str]:
    """Those wanted that are known, in any form ("weinen", "geweint"); `begins`: cut short too ("suma", "sumatriptan")."""
    return frozenset(
        one
        for one in wanted
        if one in known or any(_related(one, other) or (begins and _begins(one, other)) for other in known)
    )


def names_of(text: str) -> frozenset[str]:
    """The words with a capital inside a sentence, months and weekdays apart; in German that is every noun."""
    found = frozenset(word.casefold() for word in _CAPITAL.findall(text))
    return frozenset(word for word in found if not is_calendar_word(word))


def _small_words(text: str) -> frozenset[str]:
    found = languages().get(language_of(text))
    small = found.words - found.telling if found else frozenset[str]()
    return frozenset(word for one in small for word in analyzer.words(one))


def _begins(one: str, other: str) -> bool:
    return len(one) >= _SHORTEST and other.startswith(one)


def _related(one: str, other: str) -> bool:
    one, other = one.removeprefix("ge"), other.removeprefix("ge")
    if min(len(one), len(other)) > _SHORTEST and (one.endswith(other) or other.endswith(one)):
        return True  # "Kirche", "Lambertikirche"
    length = min(len(one), len(other))
    same = next((at for at in range(length) if one[at] != other[at]), length)
    return same >= max(_SHORTEST, _SHARE * max(len(one), len(other)))

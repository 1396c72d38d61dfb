"""Use word tables to determine whether a clause is affirmative or negative."""

import re
from functools import cache, partial

from commonplace.extraction.patterns import compiled, the_user
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.expressions import table_of
from commonplace.text.foundation.languages import language_of

YES, NO = frozenset([True]), frozenset([False])
EITHER = YES | NO
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ROOT = 4


tables = partial(table_of, __package__, "words.toml")
"""Return the word tables by language code."""


@cache
def listed(name: str) -> frozenset[str]:
    """Return the words of a named list, for all languages together."""
    return frozenset(word for table in tables().values() for word in str(table.get(name, "")).split())


@cache
def no_names(code: str) -> frozenset[str]:
    """Return the words in a language that aren't names even if they are capitalized."""
    if code not in tables():
        return listed("names_none")
    return the_user() | frozenset(word for own in {code, "en"} for word in str(tables()[own].get("names_none", "")).split())


def says_no(text: str) -> bool:
    """Return whether a text clearly negates something."""
    return _count_negations(text) > 0 or bool(_find_negatives(text, weak=False))


def may_say_no(text: str) -> bool:
    """Return whether a text may negate something. For a language without tables, the result is always True."""
    unknown = language_of(text) not in {*tables(), "ja", "zh", "ko"} and bool(text.strip())
    return _count_negations(text) > 0 or bool(_find_negatives(text)) or _compile_hints().search(text) is not None or unknown


def polarities(clause: str, *, by_user: bool) -> frozenset[bool]:
    """Return the possible polarities of a clause. `by_user` is False if a reader reworded the user's words."""
    hard, against, strong = _count_negations(clause), _find_negatives(clause), _find_negatives(clause, weak=False)
    if hard == 2 or (hard and strong):
        return EITHER
    if hard or strong:
        return NO
    if by_user:
        return NO if against else EITHER if _compile_hints().search(clause) else YES
    return EITHER if against else YES


def is_reversed(first: str, other: str) -> bool:
    """Return whether a negative word occurs in both texts and only one of them negates it ("not allergic")."""
    shared = _find_negatives(first, weak=False) & _find_negatives(other, weak=False)
    return bool(shared) and (_count_negations(first) == 0) != (_count_negations(other) == 0)


def _count_negations(text: str) -> int:
    """Return 0 for a text without negations, 1 for a negation, and 2 for a double negation ("can't live without")."""
    text = compiled("polarity.not_no").sub("", straight(text.casefold()))
    denials = {word for word in _WORD.findall(text) if word in listed("no")}
    if compiled("polarity.unspaced_no").search(text):
        denials.add("ない")
    return 2 if denials & listed("without") and denials - listed("without") else min(1, len(denials))


def _find_negatives(text: str, *, weak: bool = True) -> frozenset[str]:
    """Return the roots of the negative words in a text. If `weak` is False, weakly negative words don't count."""
    wanted = listed("against") if weak else listed("against") - listed("weakly")
    spaced = (word[:_ROOT] for word in _WORD.findall(text.casefold()) if word in wanted)
    return frozenset([*spaced, *compiled("polarity.unspaced_against").findall(text)])


@cache
def _compile_hints() -> re.Pattern[str]:
    return re.compile("|".join(table["no_hints"] for table in tables().values() if "no_hints" in table), re.IGNORECASE)

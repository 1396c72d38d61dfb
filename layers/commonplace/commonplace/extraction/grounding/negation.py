"""Checks that a memory is negated exactly where the user's words are, clause by clause."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import dropwhile

from commonplace.extraction.grounding.polarity import NO, YES, is_reversed, listed, may_say_no, polarities, says_no
from commonplace.extraction.patterns import compiled, the_user, word_list
from commonplace.text.foundation.calendar import calendars
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.tokenizer import stop_words, terms, words

_NOT = re.compile(r"(?<![\w'])([\w']+)\s(?=not\s)", re.IGNORECASE)
_NAMING = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")
_UNSPACED_GRAMMAR = re.compile(r".*[ぁ-ゖ].*|[好嫌喜欢歡愛爱]+")
_ASKS = ("?", "？", "か")
_LIGHT, _LATER = 0.3, 0.01
NOT_SAID, DENIED = "it says no where the user did not", "the user said no where it does not"


def misnegated(content: str, evidence: str, others: str) -> str | None:
    """Why a clause of the content is negated unlike its evidence; None if they agree.

    A no that the content has beside what the user's named may stand on the `others`: on the memory that says more of it, or
    on a question that asks for it ("Any allergies?").
    """
    if says_no(content) and not (may_say_no(evidence) or may_say_no(others)):
        return NOT_SAID
    said_clauses, known = _clauses(evidence), _clauses(others)
    made = [clause for clause in _clauses(content) if clause not in (*said_clauses, *known)]  # word for word it says the same
    nearest = {clause: _nearest(clause, said_clauses) for clause in made}
    if made and not any(nearest.values()):
        new = [clause for clause in made if not _is_part(clause, known)]
        says_yes = bool(new) and all(polarities(clause, by_user=False) == YES for clause in new)
        return DENIED if says_yes and said_clauses and polarities(said_clauses[0], by_user=True) == NO else None
    asked_for = others.rstrip("。 ").endswith(_ASKS) and may_say_no(others)
    for clause, near in nearest.items():
        why = _contradiction(clause, near) if near else None
        if why == NOT_SAID and (asked_for or _shares(clause, known) > _shares(clause, said_clauses)):
            continue
        if why and not (why == DENIED and _said_beside(clause, nearest, said_clauses)):
            return why
    return None


def _is_part(clause: str, known: Sequence[str]) -> bool:
    """Whether a clause, beside its subject, is part of a clause of the memory with the same polarity."""
    said, told = polarities(clause, by_user=False), _without_subject(clause).casefold()
    return any(told in other.casefold() and said & polarities(other, by_user=True) for other in known)


def _without_subject(clause: str) -> str:
    """A clause without the words for the user that it begins with: a part of a sentence stands on its own with them."""
    small = (stop_words() | the_user()) - listed("no")
    rest = dropwhile(lambda word: word.casefold() in small, clause.split())
    return " ".join(rest) or clause


def _contradiction(clause: str, near: Sequence[str]) -> str | None:
    """Why none of the nearest clauses has the same polarity, None if one has."""
    said = polarities(clause, by_user=False)
    if any(said & polarities(other, by_user=True) and not is_reversed(clause, other) for other in near):
        return None
    return DENIED if said == YES or (is_reversed(clause, near[0]) and says_no(near[0])) else NOT_SAID


def _said_beside(clause: str, nearest: Mapping[str, Sequence[str]], said_clauses: Sequence[str]) -> bool:
    """Whether the user's negation stands in another clause of the content, and no affirmed clause is like this one."""
    denied = any(
        set(near) & set(nearest[clause])
        for other, near in nearest.items()
        if other != clause and polarities(other, by_user=False) == NO
    )
    return denied and not any(_share(clause, other) for other in said_clauses if polarities(other, by_user=True) == YES)


def _nearest(clause: str, said_clauses: Sequence[str]) -> list[str]:
    """The user's clauses that share most with a clause; none if none shares anything."""
    shares = [_share(clause, other) for other in said_clauses]
    most = max(shares, default=0.0)
    return [other for other, share in zip(said_clauses, shares, strict=True) if most and share == most]


def _shares(clause: str, said_clauses: Sequence[str]) -> float:
    return max((_share(clause, other) for other in said_clauses), default=0.0)


def _share(clause: str, other: str) -> float:
    """How much of a clause another has: the weights of the words in common; later words weigh more, kana little."""
    theirs = set(terms(other, _grammar()))
    mine = enumerate(dict.fromkeys(terms(clause, _grammar())))
    return sum(_weight(word) + _LATER * at for at, word in mine if word in theirs)


def _weight(word: str) -> float:
    return _LIGHT if word in _signs() or _UNSPACED_GRAMMAR.fullmatch(word) else 1.0


def _clauses(text: str) -> list[str]:
    """The clauses of a text; one that negates what the one before it names ("and I hate it") is joined to that."""
    parts = compiled("negation.clause").split(compiled("negation.pair").sub(r"\1 ", straight(text)))
    found: list[str] = []
    for clause in (clause for part in parts for clause in _contrasted(part) if clause.strip()):
        leans = polarities(clause, by_user=True) == NO and (
            compiled("negation.leans").search(clause)
            or not any(word not in _written() for word in _NAMING.findall(clause.casefold()))
        )
        if found and leans:
            found[-1] = f"{found[-1]}, {clause.strip()}"
        else:
            found.append(clause.strip())
    return found


def _contrasted(clause: str) -> Iterator[str]:
    """The clause, or both halves of "the 14th not the 12th", but not of a negated verb ("is not the 12th")."""
    at = 0
    for match in _NOT.finditer(clause):
        if match[1].lower() not in word_list("negated_behind") and not match[1].endswith(("'m", "'re", "'s")):
            yield clause[at : match.end()]
            at = match.end()
    yield clause[at:]


@cache
def _written() -> frozenset[str]:
    """What tells nothing of what a clause is about."""
    dated = {name for one in calendars().values() for names in (one.months, one.weekdays) for name in names}
    return (listed("names_none") - dated) | listed("no") | stop_words() | the_user()


@cache
def _grammar() -> frozenset[str]:
    """The same words as the index analyzer has them."""
    return frozenset(word for one in _written() for word in words(one))


@cache
def _signs() -> frozenset[str]:
    return frozenset(term for word in listed("against") for term in terms(word))

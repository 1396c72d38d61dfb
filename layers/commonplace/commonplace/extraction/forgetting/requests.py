"""What a message asks the memory to forget; what only sounds like it erases nothing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from commonplace.extraction.clauses import Clause, clauses
from commonplace.extraction.days import Utterance
from commonplace.extraction.forgetting.matching import leans, names_something, tells
from commonplace.extraction.patterns import says, wording

_PAUSE = re.compile(r"[,;:–—.!?]|、|。")
_MARKS = " .!?,;:–—、。：\"'"
_POINTING = re.compile(r"(?:これ|それ|今の話?|さっきの話?)[はを]?、?")
_COURTESY = re.compile(
    r"\W*(?:please|pls|thanks?(?: you)?|ok(?:ay)?|now|bitte|danke|merci|gracias|obrigad[oa]|grazie|stp)?\W*", re.IGNORECASE
)
_MINE = re.compile(
    r"(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr\w+|meus?|minhas?|(?:il|la) mi[oa]|mijn|onze)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 2


@dataclass(frozen=True)
class Wish:
    """A clause that asks to forget `what`, empty where it doesn't tell; its words go on to `end` of the message.

    `meant`: it is the memory that is asked, and not whoever edits a text or a recipe.
    """

    clause: Clause
    what: str
    end: int
    meant: bool

    @property
    def served(self) -> bool:
        """Whether it can be done: it is meant, and it tells what."""
        return self.meant and names_something(self.what)


def to_forget(text: str) -> str | None:
    """What a request to forget is about, in the user's words, maybe nothing; None if the text asks for no such thing."""
    asked = _asked(text)
    return None if asked is None else asked.what


def asks_the_memory(text: str) -> bool:
    """Whether a text by itself makes plain that the memory shall forget."""
    asked = _asked(text)
    return asked is not None and _plain(text, asked)


def wishes(said: Utterance, before: Utterance | None) -> list[Wish]:
    """The clauses of a message that ask to forget. `before`: the message before it, which shows what is talked about."""
    told, found = clauses(said), list[Wish]()
    asked = [_asked(clause.text) for clause in told]
    alone = all(one is not None or len(clause.text.split()) <= _FEW_WORDS for clause, one in zip(told, asked, strict=True))
    for at, (clause, one) in enumerate(zip(told, asked, strict=True)):
        if one is None:
            continue
        back = at > 0 and not names_something(one.what) and says("points_back", clause.text)
        whats = [clause.text for clause in _just_said(told[:at])] if back else [one.what]
        why = " ".join(each.text for each in told[at : at + 2])
        meant = back or said.explicit or _plain(clause.text, one) or says("kept_private", why)
        meant = meant or _must_be(clause, one, said, before, alone)
        found += [Wish(clause, what, clause.start + one.end, meant) for what in whats]
    return found


def _just_said(told: Sequence[Clause]) -> Iterator[Clause]:
    """The last clause, and those before it that it needs to be understood ("My brother drinks. It's his third year.")."""
    for clause in reversed(told):
        yield clause
        if not says("pronoun", clause.text):
            return


def beside(said: Utterance, asked: Sequence[Wish]) -> Utterance:
    """The message without what is asked to be forgotten, what tells or explains it, and what leans on that by a pronoun."""
    gone = list(_gone(said, asked))
    return replace(said, own=tuple(piece for span in said.own for piece in _without(span, gone))) if gone else said


@dataclass(frozen=True)
class _Asked:
    what: str
    phrase: str
    end: int


def _asked(text: str) -> _Asked | None:
    """A request to forget in a clause, and where its words end in it."""
    plain = text.replace("’", "'")
    unstored = wording("unstored").search(plain)
    if unstored:
        after, said_before = plain[unstored.end() :].strip(_MARKS), plain[: unstored.start()].strip(_MARKS)
        told = after if names_something(after) else said_before
        return _Asked("" if _POINTING.fullmatch(told) else told, unstored[0], len(plain))
    if says("no_forgetting", plain) or says("for_a_moment", plain):
        return None
    before, behind = wording("forget").search(plain), wording("forget_behind").search(plain)
    if before:
        first = _PAUSE.split(plain[before.end() :])[0]
        if names_something(first):
            return _Asked(first.strip(_MARKS), before[0], before.end() + len(first))
        return _Asked(plain[: before.start()].strip(_MARKS), before[0], len(plain))
    if behind:
        return _Asked(plain[: behind.start()].strip(_MARKS), behind[0], len(plain))
    unread = wording("forget_unread").search(plain)
    return _Asked("", unread[0], len(plain)) if unread else None


def _plain(text: str, asked: _Asked) -> bool:
    asking = text[: asked.end]
    if says("unstored", asked.phrase) or says("of_memory", asking):
        return True
    return says("of_the_user", asking) and not says("deletes", asked.phrase)


def _must_be(clause: Clause, asked: _Asked, said: Utterance, before: Utterance | None, alone: bool) -> bool:
    """ "Forget my cat." says no more than that, and the talk was of something else."""
    goes_on = said.text[clause.start + asked.end : clause.end] + said.text[clause.end :].lstrip(" ")[:1].strip(".!?\n")
    if says("deletes", asked.phrase) or not _COURTESY.fullmatch(goes_on):
        return False
    if before is not None and tells(asked.what, before.text):
        return False
    return alone or _MINE.match(asked.what) is not None


def _gone(said: Utterance, asked: Sequence[Wish]) -> Iterator[tuple[int, int]]:
    served = [wish for wish in asked if wish.served]
    yield from ((wish.clause.start, wish.end) for wish in asked)
    leaning, explained = False, {wish.clause.end for wish in served if not _goes_to_another_matter(said, wish)}
    for before, clause in pairwise((Clause("", 0, 0), *clauses(said))):
        leaning = before.end in explained or (leaning and says("pronoun", clause.text))
        leaning = leaning or any(leans(wish.what, clause.text) for wish in served)
        if leaning:
            yield clause.start, clause.end


def _goes_to_another_matter(said: Utterance, wish: Wish) -> bool:
    return says("another_matter", said.text[wish.clause.end :].lstrip(_MARKS))


def _without(span: tuple[int, int], gone: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start, end = span
    for first, last in sorted(gone):
        if first < end and start < last:
            if start < first:
                yield start, first
            start = max(start, last)
    if start < end:
        yield start, end

"""A wish to forget held against what a reader makes of it: the user says what goes, and nothing of it comes back in."""

from collections.abc import Sequence

from commonplace.extraction.candidate import Candidate
from commonplace.extraction.clauses import LONGEST_EVIDENCE, clauses
from commonplace.extraction.day import Day, Utterance
from commonplace.extraction.forgetting import tells
from commonplace.extraction.stems import shared, stems_of
from commonplace.extraction.support import clauses_around, in_own_words
from commonplace.extraction.the_user import THE_USER
from commonplace.extraction.wishes import Wish, asks_the_memory, wishes

_EXPLICIT = 0.95


def served_wishes(said: Utterance, before: Utterance | None, taken: bool = False) -> list[Candidate]:
    """What a message asks to forget, as far as that can be done, in the user's words.

    `taken`: whoever read the talk takes it for a wish. Else only what is plain by itself, for the talk may be played.
    """
    served = [one for one in wishes(said, before) if one.served]
    return [to_be_forgotten(one, said) for one in served if taken or said.explicit or asks_the_memory(one.clause.text)]


def to_be_forgotten(wish: Wish, said: Utterance) -> Candidate:
    """The wish as a candidate."""
    return Candidate(
        content=wish.what,
        interaction_id=said.interaction_id,
        position=said.position,
        evidence=wish.clause.text[:LONGEST_EVIDENCE],
        confidence=_EXPLICIT,
        event_time=said.time,
        forgets=True,
    )


def wishes_in(evidence: str, said: Utterance, before: Utterance | None) -> list[Wish]:
    """The wishes of a message that a piece of it lies in."""
    around = clauses_around(evidence, said, clauses(said))
    return [one for one in wishes(said, before) if one.clause in around] if around else []


def asked_for(what: str, asked: Sequence[Wish], said: Utterance, day: Day) -> bool:
    """Whether the wishes name all of `what`; where they only point at something ("what I just told you"), the talk does."""
    named = [one.what for one in asked if one.served]
    wanted = stems_of(what) - THE_USER
    known = stems_of("\n".join(named or _talk_before(said, day)))
    return what in named or (bool(wanted) and shared(wanted, known) == wanted)


def unwanted(content: str, evidence: str, said: Utterance, before: Utterance | None) -> bool:
    """Whether a content is what the message that it rests on wants forgotten."""
    served, span = [one for one in wishes(said, before) if one.served], in_own_words(evidence, said)
    within = any(one.clause.start <= span[0] and span[1] <= one.end for one in served) if span else False
    return within or any(tells(one.what, content) for one in served)


def _talk_before(said: Utterance, day: Day) -> list[str]:
    earlier = [one for one in day.utterances if one.interaction_id == said.interaction_id and one.position < said.position]
    before = day.before(said)
    return [*(one.own_words for one in earlier), *([before.text] if before else [])]

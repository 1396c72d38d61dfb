"""What the user wants forgotten, and which memories say it."""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from commonplace import analyzer
from commonplace.extraction.clauses import Clause
from commonplace.extraction.statements import joined, told
from commonplace.extraction.stems import shared, stems_of
from commonplace.extraction.third_parties import speaks_of_self
from commonplace.extraction.wordings import says, wording
from commonplace.models.memory import Memory

_TALK = (
    "earlier yesterday today please again everything anything something all memory memories anymore ever now bit part ok okay"
    " told gesagt erzählt hab habe sach sache bitte alles was dit dije dicho disse detto gezegd fam privat privately private"
)
_MOSTLY, _FEW = 0.6, 2
_PAUSE = re.compile(r"[,;–—.!?]|、|。")


def wishes(told: Sequence[Clause]) -> Iterator[tuple[Clause, str]]:
    """The clauses that ask to forget something, each with what: told in it, or in the one before ("... Forget that.")."""
    for at, clause in enumerate(told):
        what = to_forget(clause.text)
        if what is None:
            continue
        if not _wanted(what) and at:
            what = told[at - 1].text
        if _wanted(what):
            yield clause, what


def to_forget(text: str) -> str | None:
    """What a request to forget is about, in the user's words, maybe nothing; None if the text asks for no such thing."""
    plain = text.replace("’", "'")
    if says("no_forgetting", plain):
        return None
    before, behind = wording("forget").search(plain), wording("forget_behind").search(plain)
    if before:
        after = plain[before.end() :]
        first = _PAUSE.split(after)[0]
        return (first if _wanted(first) else plain[: before.start()]).strip(" .!,;:、。\"'")
    return plain[: behind.start()].strip(" ,、") if behind else None


def says_it(what: str, memories: Iterable[Memory]) -> tuple[str, ...]:
    """The ids of the memories that say what is to be forgotten."""
    return tuple(memory.memory_id for memory in memories if tells(what, memory.content))


def tells(what: str, text: str) -> bool:
    """Whether a text tells what is to be forgotten: all of a word or two, most of a sentence."""
    wanted = _wanted(what)
    found = shared(wanted, stems_of(text))
    whole = _FEW if speaks_of_self(what) else 1
    return bool(wanted) and len(found) >= (len(wanted) if len(wanted) <= whole else _MOSTLY * len(wanted))


def left_after(what: str, text: str) -> str:
    """What may stay of a text that tells it: the sentences that have no word of it and don't lean on one that has."""
    wanted, kept, leans = _wanted(what), list[str](), True
    for sentence in told(text):
        leans = bool(shared(wanted, stems_of(sentence), begins=True)) or (leans and says("pronoun", sentence))
        if not leans and wanted:
            kept.append(sentence)
    return joined(kept)


def _wanted(what: str) -> frozenset[str]:
    return stems_of(what) - _talk()


@functools.cache
def _talk() -> frozenset[str]:
    """Words that speak of the talk and of forgetting, and not of what is to be forgotten."""
    return frozenset(analyzer.terms(_TALK))

"""The speaker in company as a subject: "my wife and I", "me and my brother", "Anna and I"."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace.text.foundation.english import is_auxiliary, table
from commonplace.text.third_person.openings import adverb_length, stands_as_verb
from commonplace.text.third_person.phrases import REACH, is_person, is_subject_place, noun_phrase_end, noun_phrase_start
from commonplace.text.third_person.tokens import Kind, Token

_ASIDE_REACH = 12


def speaker_first(sentence: list[Token]) -> list[Token]:
    """The sentence with "I" before its companions and marked as joined: 'my wife and I' -> 'I and my wife'."""
    at = 0
    while at < len(sentence):
        if sentence[at].is_word and sentence[at].low in table("speaker.self"):
            sentence, at = _ordered(sentence, at)
        at += 1
    return sentence


def _ordered(sentence: list[Token], at: int) -> tuple[list[Token], int]:
    """The sentence, with the place to go on from, once the companions around the "I" at `at` are looked at."""
    if _joins(sentence, at - 1) and not _agrees_alone(sentence, at):
        described = _described_start(sentence, at)
        if described is not None:
            return _swapped(sentence, described, at, described=True), at
        starts = _companions_starts(sentence, at - 1)
        if starts and sentence[at].low != "i":
            return _swapped(sentence, starts[-1], at), at
        start = _subject_start(sentence, starts, at)
        if start is not None:
            return _swapped(sentence, start, at), at
    elif _joins(sentence, at + 1) and is_subject_place(sentence, at, person=True):
        end = noun_phrase_end(sentence, at + 2)
        if end:
            sentence[at] = Token(sentence[at].gap, "I", joined=end - at - 1)
    return sentence, at


def _agrees_alone(sentence: Sequence[Token], at: int) -> bool:
    """'My name's Tom and I am a nurse': a subject of several takes no "am" and no "was"."""
    verb = at + 1 + adverb_length(sentence, at + 1)
    return verb < len(sentence) and sentence[verb].low in table("auxiliaries.of_one")


def _joins(sentence: Sequence[Token], at: int) -> bool:
    return 0 < at < len(sentence) - 1 and sentence[at].low in table("function.joiners")


def _subject_start(sentence: Sequence[Token], starts: Sequence[int], at: int) -> int | None:
    """Where the companions of the "I" at `at` begin as subjects; `starts` has the shortest run of them first."""
    for index in range(len(starts) - 1, -1, -1):
        start, stop = starts[index], (starts[index - 1] if index else at) - 1
        person = is_person(sentence[start:stop])
        if index < len(starts) - 1 and not person:
            return None
        claimed = at + 1 < len(sentence) and is_auxiliary(sentence[at + 1].low)
        if is_subject_place(sentence, start, person, claimed):
            return start
        if person:
            # "I love my wife and my kids and I love my job": an object like the one before it
            return None
    return None


def _described_start(sentence: Sequence[Token], at: int) -> int | None:
    """Where 'my wife, who is a vet, and I' begins, or None if no such phrase ends at the "I"."""
    if at < 4 or sentence[at - 2].text != "," or not stands_as_verb(sentence, at + 1):
        return None
    for comma in range(at - 3, max(0, at - _ASIDE_REACH), -1):
        if sentence[comma].low in ("i", "we"):
            return None
        if sentence[comma].text == ",":
            start = noun_phrase_start(sentence, comma) if sentence[comma + 1].low in ("who", "whose", "a", "an") else None
            subject = start is not None and is_subject_place(sentence, start, person=False)
            return start if subject else None
    return None


def _swapped(sentence: list[Token], start: int, at: int, described: bool = False) -> list[Token]:
    """my wife, my son and I -> I, my wife and my son"""
    others, joiner = sentence[start : at - 1], sentence[at - 1]
    subject = is_subject_place(sentence, start, person=True)
    gap = others[0].gap
    lowered = others[0].low if others[0].low in ("the", "he", "she", "his", "her") else others[0].text
    others[0] = replace(others[0], gap=" ", text=lowered)
    commas = [index for index, token in enumerate(others) if token.text == "," and index < len(others) - 1]
    if others[-1].text == "," and not described:
        others = others[:-1]
    if commas and not described:
        others = [*others[: commas[-1]], joiner, *others[commas[-1] + 1 :]]
        middle = [Token("", ","), *others]
        middle[0].kind = Kind.MARK
    else:
        middle = [joiner, *others]
    first = Token(gap, "I", joined=len(middle)) if subject else Token(gap, "me")
    return [*sentence[:start], first, *middle, *sentence[at + 1 :]]


def _companions_starts(sentence: Sequence[Token], end: int) -> list[int]:
    """Where the noun phrases begin that end just before `end`, the last first; empty if something else stands there."""
    starts: list[int] = []
    stop = _before_bracket(sentence, end - 1 if sentence[end - 1].text == "," else end)
    while stop > 0:
        begin = noun_phrase_start(sentence, stop)
        if begin is None:
            break
        starts.append(begin)
        if begin < 2 or sentence[begin - 1].low not in (",", *table("function.joiners")):
            break
        stop = begin - 1
    return starts


def _before_bracket(sentence: Sequence[Token], end: int) -> int:
    """'my husband (Jorge)' ends before its bracket."""
    if sentence[end - 1].text != ")":
        return end
    return next((at for at in range(end - 2, max(0, end - REACH), -1) if sentence[at].text == "("), end)

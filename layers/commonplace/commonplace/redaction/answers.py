"""Answers to a question for a secret: "what's the gate code?" and then "four four seven one"."""

import re
from collections.abc import Iterator

from commonplace.redaction import japanese
from commonplace.redaction.questions import Question, question_of
from commonplace.redaction.reading import Spans, read
from commonplace.redaction.remarks import is_plain_answer
from commonplace.redaction.tokens import Token, tokens
from commonplace.redaction.values import digits, is_mixed
from commonplace.redaction.view import HIDDEN, Span, View, view_of
from commonplace.redaction.vocabulary import words

_SENTENCE = re.compile(r"(?:[^.?!。\n]|[.?!](?=[^\s.?!]))*(?:[.?!。\n]+|$)\s*")
_SECOND_SENTENCE = re.compile(r"[?.!。\n]\s{0,3}\S")
_TAIL, _MOST_DIGITS, _MOST_SENTENCES = 600, 12, 3
_PLACED = ("in", "since", "until", "at", "call", "before", "after", "on", "room", "depuis", "seit", "desde")


def question_in(text: str | None) -> Question | None:
    """What the message `text` asks for in its last sentences, None for nothing secret."""
    if not text:
        return None
    found = [question for sentence in _sentences(view_of(text[-_TAIL:])) if (question := question_of(sentence))]
    return found[-1] if found else None


def find_answers(view: View, before: Question | None) -> Iterator[Span]:
    """Spans of answers: to the message before, and to questions inside the text itself."""
    if before is None and not _SECOND_SENTENCE.search(view.text):
        return
    question, left, at = before, _MOST_SENTENCES, 0
    for sentence in _sentences(view):
        if question and left:
            answer = _to_another if question is before else _to_oneself
            for start, end in answer(sentence, question):
                yield Span(at + start, at + end, question.kind)
        own = question_of(sentence)
        if own and (own.pointed or own.japanese or "?" in sentence.text):
            question, left = own, 1
        else:
            left -= 1
        at += len(sentence.text)


def _sentences(view: View) -> Iterator[View]:
    for match in _SENTENCE.finditer(view.text):
        if match[0]:
            yield View(match[0], view.folded[match.start() : match.end()], ())


def _to_another(sentence: View, question: Question) -> Spans:
    if question.japanese:
        return japanese.answer(sentence, question.kind)
    if question.pointed:
        return _to_oneself(sentence, question)
    rest = _behind_leadin(tokens(sentence, 0))
    if not rest or HIDDEN in rest[0].text:
        return []
    found = _read(sentence, rest, question)
    found += [span for span in _sweep(sentence, rest) if not any(start <= span[0] < end for start, end in found)]
    last = next((place for place, part in enumerate(rest) if part.ends), len(rest) - 1)
    clause = rest[: last + 1]
    return [(clause[0].start, clause[-1].end)] if not found and question.in_words and is_plain_answer(clause) else found


def _to_oneself(sentence: View, question: Question) -> Spans:
    # "The password? It's hunter2.", "I changed the alarm code. It's 4471 now.": here much else may follow a question.
    if question.japanese:
        return japanese.answer(sentence, question.kind)
    parts = tokens(sentence, 0)
    rest = _behind_leadin(parts)
    led = parts[: len(parts) - len(rest)]
    points_back = any(part.word in words("pointer") for part in led)
    if not rest or HIDDEN in rest[0].text or (question.pointed and not points_back):
        return []
    found = _read(sentence, rest, question)
    plain = not found and led and question.in_words and not question.pointed and is_plain_answer(rest[:5])
    return [(rest[0].start, rest[-1].end)] if plain else found


def _read(sentence: View, parts: list[Token], question: Question) -> Spans:
    return read(sentence, parts[0].raw_start, "code" if question.value == "digits" else question.value, bold=False)


def _behind_leadin(parts: list[Token]) -> list[Token]:
    # A speaker's name before it: "Ana: sure, it's 4471".
    place = 1 if parts and parts[0].ends == ":" and len(parts) > 1 else 0
    while place < len(parts) and parts[place].word in words("leadin"):
        place += 1
    return parts[place:]


def _sweep(sentence: View, parts: list[Token]) -> Iterator[tuple[int, int]]:
    done, before = 0, ""
    for part in parts:
        placed, before = before in _PLACED, part.word
        if part.start < done or placed:
            continue
        number = digits(sentence, part.start, 4)
        if number and sum(map(str.isdigit, sentence.text[slice(*number)])) <= _MOST_DIGITS:
            done = number[1]
            yield number
        elif is_mixed(part.text) and re.search(r"\d", part.text) and len(part.text) >= 5:
            yield part.start, part.end

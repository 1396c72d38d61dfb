"""Answers to a question for a secret: "what's the gate code?" and then "four four seven one"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from commonplace.redaction import japanese
from commonplace.redaction.reading import Spans, is_plain_answer, read
from commonplace.redaction.tokens import Token, tokens
from commonplace.redaction.values import digits, is_mixed
from commonplace.redaction.view import HIDDEN, Span, View, view_of
from commonplace.redaction.vocabulary import Noun, nouns, words

_SENTENCE = re.compile(r"(?:[^.?!。?!\n]|[.?!](?=[^\s.?!]))*(?:[.?!。\n]+|$)\s*")
_TAIL, _MOST_DIGITS, _SENTENCES = 600, 12, 3
_PLACED = ("in", "since", "until", "at", "call", "before", "after", "on", "room", "depuis", "seit", "desde", "extension")
_WORDS = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_ENDS_OPEN = re.compile(r"[\s\"'?!]*(?:is|are|es|ist|est|lautet)?\s*[:=]?\s*(?:\.\.\.|…)?\s*$")


class Question(NamedTuple):
    """What a sentence leads one to expect: a secret of this kind, said in words too if `in_words`.

    `pointed`: only where the answer begins by pointing back ("it's ..."), since nothing was asked.
    """

    kind: str
    value: str
    in_words: bool
    pointed: bool
    japanese: bool = False


def question_in(text: str | None) -> Question | None:
    """What the message `text` asks for in its last sentences, None for nothing secret."""
    if not text:
        return None
    view = view_of(text[-_TAIL:])
    found = None
    for sentence in _sentences(view):
        found = _question(sentence) or found
    return found


def find_answers(view: View, before: Question | None) -> Iterator[Span]:
    """Spans of answers: to the message before, and to questions inside the text itself."""
    if before is None and not re.search(r"[?.!。\n]\s{0,3}\S", view.text):
        return
    question, left, at = before, _SENTENCES, 0
    for sentence in _sentences(view):
        if question and left:
            for start, end in _answer(sentence, question, question is before):
                yield Span(at + start, at + end, question.kind)
        asked = _question(sentence)
        if asked and (asked.pointed or "?" in sentence.text or asked.japanese):
            question, left = asked, 1
        else:
            left -= 1
        at += len(sentence.text)


def _sentences(view: View) -> Iterator[View]:
    for match in _SENTENCE.finditer(view.text):
        if match[0]:
            yield View(match[0], view.folded[match.start() : match.end()], ())


def _question(sentence: View) -> Question | None:
    kind = japanese.asked(sentence.folded)
    if kind:
        return Question(kind, "words", True, False, japanese=True)
    named = list(nouns(sentence))
    if not named:
        return None
    parts = tokens(sentence, 0, 60)
    if any(part.word in words("about") for part in parts if part.start < named[0].start):
        return None
    spoken = {part.word for part in parts}
    for noun in reversed(named):
        if found := _asked(sentence, noun, spoken):
            return found
    return None


def _asked(sentence: View, noun: Noun, spoken: set[str]) -> Question | None:
    following = tokens(sentence, noun.end, 1)
    leading = re.findall(r"[a-z'ß]+", sentence.folded[: noun.start])[-2:]
    if noun.name == "bare_key" or sentence.folded[noun.start : noun.end] == "pass" and not set(leading) & words("own") or (following and following[0].word in words("compound")) or set(leading) & words("general"):
        return None
    open_end = _ENDS_OPEN.match(sentence.folded, noun.end) is not None
    mark = "?" in sentence.text[noun.end :]
    near = sentence.folded[max(0, noun.start - 60) : noun.start] + " " + sentence.folded[noun.end : noun.end + 30]
    asks = bool(set(_WORDS.findall(near)) & words("ask")) or (open_end and len(spoken) <= 5 and tokens(sentence, 0, 1)[0].word not in words("auxiliary"))
    if not asks:
        return Question(noun.kind, noun.value, False, True)
    changed = any(word.startswith(("chang", "reset", "updat", "cambi", "chang", "geander")) for word in spoken)
    in_words = noun.value in ("words", "code") and not changed
    return Question(noun.kind, noun.value, in_words, not mark and not open_end and not _imperative(sentence))


def _imperative(sentence: View) -> bool:
    first = [part.word for part in tokens(sentence, 0, 4)]
    return any(word in words("ask") for word in first)


def _answer(sentence: View, question: Question, to_other: bool) -> Spans:
    if question.japanese:
        return [(span.start, span.end) for span in japanese.answer(sentence, question.kind)]
    parts = tokens(sentence, 0)
    led = _leadin(parts)
    if question.pointed and not any(part.word in words("pointer") for part in parts[:led]):
        return []
    rest = parts[led:]
    if not rest or HIDDEN in rest[0].text:
        return []
    takes = "words" if question.value == "words" else "code" if question.value == "digits" else question.value
    found = read(sentence, rest[0].raw_start, takes, bold=False)
    if question.pointed or not to_other:
        bold = not found and not question.pointed and question.in_words and led and is_plain_answer(rest[:5])
        return [(rest[0].start, rest[-1].end)] if bold else found
    found += [span for span in _sweep(sentence, rest) if not any(start <= span[0] < end for start, end in found)]
    if not found and question.in_words and is_plain_answer(rest):
        return [(rest[0].start, rest[-1].end)]
    return found


def _leadin(parts: list[Token]) -> int:
    place = 0
    while place < len(parts) and (parts[place].word in words("leadin") or (place == 0 and parts[0].raw_end - parts[0].end == 1 and parts[0].ends == ":")):
        place += 1
    return place


def _sweep(sentence: View, parts: list[Token]) -> Iterator[tuple[int, int]]:
    done, last = 0, ""
    for part in parts:
        word, last = last, part.word
        if part.start < done or word in _PLACED:
            continue
        number = digits(sentence, part.start, 4)
        if number and sum(map(str.isdigit, sentence.text[slice(*number)])) <= _MOST_DIGITS:
            done = number[1]
            yield number
        elif is_mixed(part.text) and re.search(r"\d", part.text) and len(part.text) >= 5:
            yield part.start, part.end

"""Questions for a secret and their answers: "what's the gate code?" and then "four four seven one"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from commonplace.text.redaction import japanese
from commonplace.text.redaction.phrases import is_plain_answer
from commonplace.text.redaction.reading import Spans, read
from commonplace.text.redaction.values import Token, digits, is_mixed, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View, view_of
from commonplace.text.redaction.vocabulary import Noun, compiled, nouns, words

_WORDS = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SHORT, _BEFORE, _AFTER = 6, 60, 30

_SENTENCE = re.compile(r"(?:[^.?!。\n]|[.?!](?=[^\s.?!]))*(?:[.?!。\n]+|$)\s*")
_SECOND_SENTENCE = re.compile(r"[?.!。\n]\s{0,3}\S")
_TAIL, _MOST_DIGITS, _MOST_SENTENCES = 600, 12, 3


class Question(NamedTuple):
    """What a sentence leads one to expect: a secret of this kind, said in words too if `in_words`.

    `pointed`: only where the answer begins by pointing back ("it's ..."), since nothing was asked.
    """

    kind: str
    value: str
    in_words: bool
    pointed: bool
    japanese: bool = False


def question_of(sentence: View) -> Question | None:
    """What `sentence` asks for or speaks of, None for nothing secret."""
    kind = japanese.asked(sentence.folded)
    if kind:
        return Question(kind, "words", True, False, japanese=True)
    named = list(nouns(sentence))
    if not named:
        return Question("password", "words", False, False) if compiled("answers.network").search(sentence.folded) else None
    parts = tokens(sentence, 0, 60)
    if any(part.word in words("about") for part in parts if part.start < named[0].start):
        return None
    said = [part.word for part in parts]
    return next((found for noun in reversed(named) if (found := _about(sentence, noun, said))), None)


def _about(sentence: View, noun: Noun, said: list[str]) -> Question | None:
    if _is_general(sentence, noun):
        return None
    mark = "?" in sentence.text[noun.end :]
    rest = sentence.folded[noun.end :].strip(" \t\n\"'?!:=.…")
    open_end = not rest or rest in words("open_ends")
    near = sentence.folded[max(0, noun.start - _BEFORE) : noun.start], sentence.folded[noun.end : noun.end + _AFTER]
    asks = not words("ask").isdisjoint(_WORDS.findall(" ".join(near)))
    if not asks and not ((open_end or mark) and len(set(said)) <= _SHORT and said[0] not in words("auxiliary")):
        return Question(noun.kind, noun.value, False, True)
    pointed = not mark and not open_end and words("ask").isdisjoint(said[:4])
    in_words = noun.value in ("words", "code") and not any(word.startswith(tuple(words("changing"))) for word in said)
    return Question(noun.kind, noun.value, in_words, pointed)


def _is_general(sentence: View, noun: Noun) -> bool:
    # "what is a PIN?", "which password manager?", "what's the key to success?"
    following = tokens(sentence, noun.end, 1)
    leading = set(re.findall(r"[a-z'ß]+", sentence.folded[max(0, noun.start - _BEFORE) : noun.start])[-2:])
    if noun.name == "bare_key" or (following and following[0].word in words("compound")) or leading & words("general"):
        return True
    return sentence.folded[noun.start : noun.end] == "pass" and not leading & words("own")


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
        placed, before = before in words("before_place_in_answer"), part.word
        if part.start < done or placed:
            continue
        number = digits(sentence, part.start, 4)
        if number and sum(map(str.isdigit, sentence.text[slice(*number)])) <= _MOST_DIGITS:
            done = number[1]
            yield number
        elif is_mixed(part.text) and re.search(r"\d", part.text) and len(part.text) >= 5:
            yield part.start, part.end

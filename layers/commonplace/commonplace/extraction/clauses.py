"""Split the user's own words into clauses. A clause is a sentence, or a question or statement within a sentence."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from commonplace.extraction.days import Utterance
from commonplace.extraction.patterns import compiled, has_wording, wording_pattern
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.sentences import sentence_spans

LONGEST_EVIDENCE = 300
_LONGEST = 1_000  # in characters; people don't write longer clauses, and some patterns take quadratic time
_MARKS = " \t\r\n,;:–—-*•"
_LEAST_WORDS, _LEAST_OPENING = 2, 4


@dataclass(frozen=True)
class Clause:
    """A part of a message, from `start` to `end` of the message's text. `asking` is True for a question or part of one."""

    text: str
    start: int
    end: int
    asking: bool = False


@lru_cache(maxsize=64)  # called by several steps of reading a message
def clauses(utterance: Utterance) -> tuple[Clause, ...]:
    """Return the clauses that the user wrote, in order. Quoted and pasted text is left out."""
    return tuple(
        clause
        for start, end in utterance.own
        for sentence in _find_sentence_spans(utterance.text, start, end)
        for clause in _split_off_question(utterance.text, *sentence)
    )


def sentences(text: str) -> list[Clause]:
    """Return the sentences of a text as clauses."""
    return [_build_clause(text, start, end) for start, end in _find_sentence_spans(text, 0, len(text))]


def _find_sentence_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences between `start` and `end`. Overlong sentences are cut between words."""
    for begins, ends in sentence_spans(text, start, end):
        at = begins
        while ends - at > _LONGEST:
            blank = text.rfind(" ", at + 1, at + _LONGEST)
            cut = blank if blank > 0 else at + _LONGEST
            if text[at:cut].strip():
                yield at, cut
            at = cut
        yield at, ends


def openings(clause: Clause) -> Iterator[Clause]:
    """Yield a clause's beginnings of at least four words, longest first. A conditional clause has none."""
    if has_wording("conditional", clause.text):
        return
    for cut in reversed(list(compiled("clauses.part_end").finditer(clause.text))):
        text = clause.text[: cut.start()]
        if len(text.split()) >= _LEAST_OPENING:
            yield Clause(text, clause.start, clause.start + len(text))


def pieces(clause: Clause, between: str = "part_end") -> Iterator[Clause]:
    """Yield the parts of a clause, without a leading "that". For "part_end", split at conjunctions as well as commas."""
    cuts = [(match.start(), match.end()) for match in compiled(f"clauses.{between}").finditer(clause.text)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(clause.text)]
    for start, end in zip(starts, ends, strict=True):
        opening = wording_pattern("that").match(clause.text[start:end])
        begins = start + (opening.end() if opening else 0)
        if begins < end:
            yield Clause(clause.text[begins:end], clause.start + begins, clause.start + end)


def without_request(clause: Clause) -> tuple[Clause, bool]:
    """Return the clause without a request to remember ("remember that"), and whether the clause had such a request."""
    plain = straight(clause.text)
    before, behind = wording_pattern("remember").match(plain), wording_pattern("remember_behind").search(plain)
    text = clause.text[before.end() if before else 0 : behind.start() if behind else len(plain)].strip()
    if not (before or behind) or not tokenizer.terms(text):
        return clause, False
    at = clause.start + clause.text.index(text)
    return Clause(text, at, at + len(text)), True


def _split_off_question(text: str, start: int, end: int) -> Iterator[Clause]:
    """Split a question from the statement before it ("I'm vegan, what can I eat?") or after it ("..., since I'm vegan?")."""
    sentence = text[start:end]
    is_request = sentence.rstrip("\"'”’») ").endswith(("?", "？")) or has_wording("request", sentence)
    if not is_request or has_wording("standing", sentence):
        yield _build_clause(text, start, end)
        return
    reason = wording_pattern("reasons").search(sentence)
    tail = _build_clause(text, start + reason.end(), end) if reason else None
    end = start + reason.start() if reason else end
    cut = next((match.start() for match in wording_pattern("asks").finditer(sentence[: end - start]) if match.start()), None)
    head = sentence[: cut or 0]
    if len(head.split()) >= _LEAST_WORDS and not has_wording("request", head) and not has_wording("conditional", head):
        yield _build_clause(text, start, start + len(head))
        start += len(head)
    yield _build_clause(text, start, end, asking=True)
    if tail:
        yield tail


def _build_clause(text: str, start: int, end: int, *, asking: bool = False) -> Clause:
    """Return the clause between two offsets, without the marks around it and a filler word at its start."""
    piece = text[start:end]
    filler = wording_pattern("filler").match(piece.lstrip(_MARKS))
    left = len(piece) - len(piece.lstrip(_MARKS))
    left += filler.end() if filler and filler.end() < len(piece.strip(_MARKS)) else 0
    start, end = start + left, start + len(piece.rstrip(_MARKS))
    return Clause(text[start:end], start, end, asking)

"""Finds credentials in what people and programs write, and takes them out before anything else sees the text."""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from commonplace.text.foundation.characters import WORD
from commonplace.text.redaction import answers
from commonplace.text.redaction.answers import Question, find_answers, find_japanese, question_in
from commonplace.text.redaction.assignments import find_addresses, find_assignments, find_pairs, find_tables, hosts
from commonplace.text.redaction.openers import (
    find_arrivals,
    find_entries,
    find_hints,
    find_listings,
    find_locks,
    find_openers,
    find_stated,
    find_topics,
    find_turns,
)
from commonplace.text.redaction.proofs import (
    find_blocks,
    find_entropy,
    find_formats,
    find_identities,
    find_numbers,
    find_wallets,
)
from commonplace.text.redaction.spoken import find_backwards, find_spoken
from commonplace.text.redaction.values import is_remark, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View, merged, placeholders, view_of
from commonplace.text.redaction.vocabulary import Noun, compiled, nouns, words

_REACH = 120
_LEAST = 2


def find_halves(view: View, named: Sequence[Noun]) -> Iterator[Span]:
    """Spans of what a secret is said to begin and to end with; "with a letter" tells none."""
    for noun in named if compiled("halves.any").search(view.folded) else ():
        stop = compiled("halves.stop").search(view.folded, noun.end, noun.end + _REACH)
        end = stop.start() if stop else min(len(view.text), noun.end + _REACH)
        if compiled("halves.asked_for").search(view.folded, noun.end, end):
            continue
        for match in compiled("halves.half").finditer(view.folded, noun.end, end):
            part = next(iter(tokens(view, match.end(), 1)), None)
            if part and _may_be_half(part.text, part.word):
                yield Span(part.start, part.end, noun.kind)
        for match in compiled("halves.half_ja").finditer(view.folded, noun.end, end):
            if HIDDEN not in match["value"]:
                yield Span(*match.span("value"), noun.kind)


def _may_be_half(text: str, word: str) -> bool:
    is_enough = len(text) >= _LEAST and HIDDEN not in text
    return is_enough and not is_remark(word) and word not in words("function", "article", "own", "evasive", "and")


LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "ja")
"""Whose words announce a secret; what proves itself is found in any language."""
# "openai_api_key=[redacted:api_key]": the name of a variable is part of the secret's announcement.
_VARIABLE = re.compile(rf"[a-z][\w.-]{{0,60}}=[\"']?(?={HIDDEN})")
# Of spans that overlap the kind found first stays: what proves itself comes before what a word beside it tells.
_PROOFS: tuple[Callable[[View], Iterator[Span]], ...]
_PROOFS = (find_blocks, find_addresses, find_wallets, find_formats, find_numbers, find_identities)
_FINDERS: tuple[Callable[[View], Iterator[Span]], ...] = (
    find_assignments, find_pairs, find_japanese, find_openers, find_locks, find_entries, find_topics,
    find_hints, find_listings, find_turns, find_stated, find_arrivals,
)  # fmt: skip


@cache
def _fillers() -> frozenset[str]:
    fillers = words("dull", "own", "of", "link", "filler", "qualifier", "leadin", "number_glue", "also", "places")
    return fillers | {part for word in fillers for part in WORD.findall(word)}


def is_only_secret(view: View) -> bool:
    """True when `view` has secrets hidden in it and beside them nothing but the words that announce one."""
    if HIDDEN not in view.text:
        return False
    remainder = _VARIABLE.sub(" ", view.folded)
    for noun in reversed(list(nouns(view))):
        remainder = f"{remainder[: noun.start]} {remainder[noun.end :]}"
    fillers = _fillers()
    left = WORD.findall(answers.without_announcement(remainder))
    return all(word in fillers or (len(word) == 1 and word.isascii()) for word in left)


@dataclass(frozen=True, slots=True)
class Redaction:
    """What became of a text.

    `text` has `[redacted:kind]` in the place of each secret; `kinds` are those found now, each once, in order of
    place (a text that is redacted already has none); `only_secret` tells that nothing worth keeping is left.
    """

    text: str
    kinds: tuple[str, ...]
    only_secret: bool


def redact(text: str, before: str | None = None) -> Redaction:
    """Take the secrets out of `text`; `before`, the previous message, tells what a bare "4471" is an answer to.

    Redacting the result again changes nothing. The time is linear in the length of both texts.
    """
    earlier = placeholders(text)
    question = question_in(before)
    spans: list[Span] = []
    view = view_of(text, earlier)
    # What is hidden may tell what its neighbour is: again, until there is nothing more to find.
    while spans_found := _candidates(view, question):
        spans = merged([*spans, *map(view.original, spans_found)])
        view = view_of(text, _covered(earlier, spans))
    return Redaction(_replaced(text, spans), tuple(dict.fromkeys(span.kind for span in spans)), is_only_secret(view))


def without_secret(name: str) -> str:
    """An id as it is, or a hash in the place of one with a secret in it: the same id is still known the next time."""
    return name if not redact(name).kinds else f"redacted-{hashlib.sha256(name.encode()).hexdigest()[:32]}"


def _candidates(view: View, question: Question | None) -> list[Span]:
    named = list(nouns(view))
    spans = [span for find in _FINDERS for span in find(view)]
    spans += [*find_spoken(view, named), *find_backwards(view, named)]
    spans += [*find_tables(view, named), *find_halves(view, named)]
    spans += [*find_answers(view, question), *find_entropy(view)]
    readable = hosts(view)
    spans = [span for find in _PROOFS for span in find(view)] + [span for span in spans if not _touches(span, readable)]
    return [span for span in spans if any(map(str.isalnum, view.text[span.start : span.end]))]


def _touches(span: Span, ranges: list[tuple[int, int]]) -> bool:
    before = bisect_left(ranges, (span.end, 0))
    return before > 0 and ranges[before - 1][1] > span.start


def _covered(earlier: list[tuple[int, int]], spans: list[Span]) -> list[tuple[int, int]]:
    ranges = merged([*spans, *(Span(start, end, "") for start, end in earlier)])
    return [(span.start, span.end) for span in ranges]


def _replaced(text: str, spans: list[Span]) -> str:
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], f"[redacted:{span.kind}]"]
        at = span.end
    return "".join([*parts, text[at:]])

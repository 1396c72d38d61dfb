"""Find credentials in texts written by people or programs, and remove them before the texts are used or stored."""

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
    """Find mentions of how secrets begin or end ("it starts with hun"). "It starts with a letter" reveals nothing."""
    for noun in named if compiled("halves.any").search(view.folded) else ():
        stop = compiled("halves.stop").search(view.folded, noun.end, noun.end + _REACH)
        end = stop.start() if stop else min(len(view.text), noun.end + _REACH)
        if compiled("halves.asked_for").search(view.folded, noun.end, end):
            continue
        for match in compiled("halves.half").finditer(view.folded, noun.end, end):
            part = next(iter(tokens(view, match.end(), 1)), None)
            if part is None or len(part.text) < _LEAST or HIDDEN in part.text or is_remark(part.word):
                continue
            if part.word not in words("function", "article", "own", "evasive", "and"):
                yield Span(part.start, part.end, noun.kind)
        for match in compiled("halves.half_ja").finditer(view.folded, noun.end, end):
            if HIDDEN not in match["value"]:
                yield Span(*match.span("value"), noun.kind)


LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "ja")
"""The languages with known words for secrets. Keys with a known format are found in any language."""
# In "openai_api_key=[redacted:api_key]", the variable's name only introduces the secret.
_VARIABLE = re.compile(rf"[a-z][\w.-]{{0,60}}=[\"']?(?={HIDDEN})")
# Overlapping spans get the kind from the first finder, so formats and checksums come before words.
_PROOFS: tuple[Callable[[View], Iterator[Span]], ...]
_PROOFS = (find_blocks, find_addresses, find_wallets, find_formats, find_numbers, find_identities)
_FINDERS: tuple[Callable[[View], Iterator[Span]], ...] = (
    find_assignments, find_pairs, find_japanese, find_openers, find_locks, find_entries, find_topics,
    find_hints, find_listings, find_turns, find_stated, find_arrivals,
)  # fmt: skip


@cache
def _list_fillers() -> frozenset[str]:
    fillers = words("dull", "own", "of", "link", "filler", "qualifier", "leadin", "number_glue", "also", "places")
    return fillers | {part for word in fillers for part in WORD.findall(word)}


def is_only_secret(view: View) -> bool:
    """Return whether the text contains only redacted secrets and words that introduce them."""
    if HIDDEN not in view.text:
        return False
    remainder = _VARIABLE.sub(" ", view.folded)
    for noun in reversed(list(nouns(view))):
        remainder = f"{remainder[: noun.start]} {remainder[noun.end :]}"
    fillers = _list_fillers()
    left = WORD.findall(answers.without_announcement(remainder))
    return all(word in fillers or (len(word) == 1 and word.isascii()) for word in left)


@dataclass(frozen=True, slots=True)
class Redaction:
    """The redacted form of a text.

    In `text`, `[redacted:kind]` replaces each secret. `kinds` lists the kinds that were found, each once and in text order.
    Secrets that were already redacted add no kinds. `only_secret` is True if nothing else in the text is worth storing.
    """

    text: str
    kinds: tuple[str, ...]
    only_secret: bool


def redact(text: str, before: str | None = None) -> Redaction:
    """Remove the secrets from `text`. A bare "4471" may answer a question in `before`, which is the previous message.

    Redacting the result again changes nothing. The running time is linear in the length of both texts.
    """
    earlier = placeholders(text)
    question = question_in(before)
    spans: list[Span] = []
    view = view_of(text, earlier)
    # A redacted secret may reveal the kind of its neighbour, so the search is repeated until there are no new spans.
    while new_spans := _find_candidates(view, question):
        spans = merged([*spans, *map(view.original, new_spans)])
        hidden = merged([*spans, *(Span(start, end, "") for start, end in earlier)])
        view = view_of(text, [(span.start, span.end) for span in hidden])
    return Redaction(_replace_spans(text, spans), tuple(dict.fromkeys(span.kind for span in spans)), is_only_secret(view))


def without_secret(name: str) -> str:
    """Return an id unchanged, or a hash of the id if it contains a secret. The same id always gives the same result."""
    return name if not redact(name).kinds else f"redacted-{hashlib.sha256(name.encode()).hexdigest()[:32]}"


def _find_candidates(view: View, question: Question | None) -> list[Span]:
    """Return all finders' spans, unsorted and possibly overlapping. Only `_PROOFS` may overlap an address's host or path."""
    named = list(nouns(view))
    spans = [span for find in _FINDERS for span in find(view)]
    spans += [*find_spoken(view, named), *find_backwards(view, named)]
    spans += [*find_tables(view, named), *find_halves(view, named)]
    spans += [*find_answers(view, question), *find_entropy(view)]
    readable = hosts(view)
    spans = [span for find in _PROOFS for span in find(view)] + [span for span in spans if not _has_overlap(span, readable)]
    return [span for span in spans if any(map(str.isalnum, view.text[span.start : span.end]))]


def _has_overlap(span: Span, ranges: list[tuple[int, int]]) -> bool:
    before = bisect_left(ranges, (span.end, 0))
    return before > 0 and ranges[before - 1][1] > span.start


def _replace_spans(text: str, spans: list[Span]) -> str:
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], f"[redacted:{span.kind}]"]
        at = span.end
    return "".join([*parts, text[at:]])

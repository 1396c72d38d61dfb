"""Finds credentials in what people and programs write, and takes them out before anything else sees the text."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from commonplace.redaction.addresses import find_addresses
from commonplace.redaction.answers import find_answers, question_in
from commonplace.redaction.arrivals import find_arrivals
from commonplace.redaction.assignments import find_assignments
from commonplace.redaction.backwards import find_backwards
from commonplace.redaction.blocks import find_blocks
from commonplace.redaction.entries import find_entries
from commonplace.redaction.entropy import find_entropy
from commonplace.redaction.formats import find_formats
from commonplace.redaction.hints import find_hints
from commonplace.redaction.identities import find_identities
from commonplace.redaction.japanese import find_japanese
from commonplace.redaction.listings import find_listings
from commonplace.redaction.locks import find_locks
from commonplace.redaction.numbers import find_numbers
from commonplace.redaction.openers import find_openers
from commonplace.redaction.pairs import find_pairs
from commonplace.redaction.questions import Question
from commonplace.redaction.residue import is_only_secret
from commonplace.redaction.said import find_said
from commonplace.redaction.spoken import find_spoken
from commonplace.redaction.topics import find_topics
from commonplace.redaction.turns import find_turns
from commonplace.redaction.view import Span, View, merged, placeholders, view_of
from commonplace.redaction.vocabulary import nouns
from commonplace.redaction.wallets import find_wallets

# Of spans that overlap the kind found first stays: what proves itself comes before what a word beside it tells.
_FINDERS: tuple[Callable[[View], Iterator[Span]], ...] = (
    find_blocks, find_addresses, find_wallets, find_formats, find_numbers, find_identities,
    find_assignments, find_pairs, find_japanese, find_openers, find_locks, find_entries, find_topics,
    find_hints, find_listings, find_turns, find_said, find_arrivals,
)  # fmt: skip


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
    while found := _found(view, question):
        spans = merged([*spans, *map(view.original, found)])
        view = view_of(text, _covered(earlier, spans))
    return Redaction(_replaced(text, spans), tuple(dict.fromkeys(span.kind for span in spans)), is_only_secret(view))


def _found(view: View, question: Question | None) -> list[Span]:
    named = list(nouns(view))
    spans = [span for find in _FINDERS for span in find(view)]
    spans += [*find_spoken(view, named), *find_backwards(view, named)]
    spans += [*find_answers(view, question), *find_entropy(view)]
    return [span for span in spans if any(map(str.isalnum, view.text[span.start : span.end]))]


def _covered(earlier: list[tuple[int, int]], spans: list[Span]) -> list[tuple[int, int]]:
    ranges = merged([*spans, *(Span(start, end, "") for start, end in earlier)])
    return [(span.start, span.end) for span in ranges]


def _replaced(text: str, spans: list[Span]) -> str:
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], f"[redacted:{span.kind}]"]
        at = span.end
    return "".join([*parts, text[at:]])

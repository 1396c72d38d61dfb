"""The passages of a document: the pieces of its text that become memories, and how one is cut out of it again."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from commonplace.domain.documents import Document, Form

MOST_CHARACTERS = 1_000
ERASED = "[erased]"
_HEADING = re.compile(r"#{1,6}\s")
_STEP = re.compile(r"\[(\*|-?\d+)\]|([^.\[\]]+)")

Leaf = tuple[str | int, ...]
"""The way to a value of a JSON document: names and numbers."""


@dataclass(frozen=True)
class Passage:
    """A piece of a document. `places`: where it stands: spans of the body, of a JSON document its values."""

    text: str
    places: tuple[tuple[int, int] | Leaf, ...]

    @property
    def digest(self) -> str:
        """The same for the same words, in capitals or not."""
        folded = " ".join(unicodedata.normalize("NFKC", self.text).casefold().split())
        return hashlib.blake2b(folded.encode(), digest_size=16).hexdigest()


def passages_of(body: str, form: Form, fields: Sequence[str] | None) -> dict[str, Passage]:
    """The passages of a body by their digests, in order; what stands there twice is one passage."""
    found = _of_text(body) if form == "text" else _of_json(json.loads(body), fields)
    passages: dict[str, Passage] = {}
    for one in found:
        if not any(map(str.isalnum, one.text.replace(ERASED, ""))):
            continue
        before = passages.get(one.digest)
        passages[one.digest] = one if before is None else Passage(before.text, (*before.places, *one.places))
    return passages


def without_passages(document: Document, digests: Collection[str]) -> str:
    """The body without some passages. What can't be found in it any more may be anywhere: then nothing of it is left."""
    passages = passages_of(document.body, document.form, document.fields)
    whole = "" if document.form == "text" else json.dumps({})
    if any(digest not in passages for digest in digests):
        return whole
    places = [place for digest in digests for place in passages[digest].places]
    return _cut(document.body, places) if document.form == "text" else _emptied(json.loads(document.body), places)


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """The spans of a text's pieces: a paragraph each, with the heading above it, of 1,000 characters at the most."""
    start, end, has_words = 0, 0, False
    for line in re.finditer(r"[^\n]*\n?", text):
        is_heading = _HEADING.match(line[0]) is not None
        begins_new = (has_words and (is_heading or not line[0].strip())) or line.end() - start > MOST_CHARACTERS
        if begins_new:
            yield from _shortened(text, start, end)
            start, has_words = line.start(), False
        end, has_words = line.end(), has_words or bool(line[0].strip() and not is_heading)
    yield from _shortened(text, start, end)


def _shortened(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A span without the spaces around it, cut at spaces into parts of 1,000 characters; none without a letter or digit."""
    while start < end:
        stop = end
        if end - start > MOST_CHARACTERS:
            space = max(text.rfind(mark, start, start + MOST_CHARACTERS) for mark in (" ", "\n", "。"))
            stop = space + 1 if space > start else start + MOST_CHARACTERS
        piece = text[start:stop]
        begin = start + len(piece) - len(piece.lstrip())
        if any(map(str.isalnum, piece)):
            yield begin, begin + len(piece.strip())
        start = stop


def _of_text(body: str) -> Iterator[Passage]:
    return (Passage(body[start:end], ((start, end),)) for start, end in pieces(body))


def _of_json(value: Any, fields: Sequence[str] | None) -> Iterator[Passage]:
    """Pieces of the lines that tell the values, each with its name; of single fields their texts, each for itself."""
    if fields is not None:
        leaves = dict.fromkeys(leaf for field in fields for leaf in _at(value, (), list(_STEP.findall(field.strip("$. ")))))
        for leaf in leaves:
            yield from (Passage(text, (leaf,)) for text in _split(str(_value(value, leaf))))
        return
    lines, leaves_of = "", list[Leaf]()
    for leaf in _leaves(value, ()):
        line = f"{': '.join(str(name) for name in leaf if isinstance(name, str))}: {_value(value, leaf)}\n"
        if lines and len(lines) + len(line) > MOST_CHARACTERS:
            yield from (Passage(text, tuple(leaves_of)) for text in _split(lines))
            lines, leaves_of = "", []
        lines, leaves_of = lines + line, [*leaves_of, leaf]
    yield from (Passage(text, tuple(leaves_of)) for text in _split(lines))


def _split(text: str) -> list[str]:
    return [text[start:end] for start, end in _shortened(text, 0, len(text))]


def _leaves(value: Any, way: Leaf) -> Iterator[Leaf]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, (*way, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*way, number))
    elif value is not None and value != "":
        yield way


def _at(value: Any, way: Leaf, steps: list[tuple[str, str]]) -> Iterator[Leaf]:
    """The leaves below a path such as `a.b[*].c`; a number may count from the end, `*` is every entry."""
    if not steps:
        yield from _leaves(value, way)
        return
    (number, name), rest = steps[0], steps[1:]
    if isinstance(value, list) and number:
        wanted = range(len(value)) if number == "*" else [int(number) % len(value)] if _is_in(int(number), value) else []
        for one in wanted:
            yield from _at(value[one], (*way, one), rest)
    elif isinstance(value, dict):
        for key in value if name == "*" else [name] if name in value else []:
            yield from _at(value[key], (*way, key), rest)


def _is_in(number: int, entries: list[Any]) -> bool:
    return -len(entries) <= number < len(entries)


def _value(value: Any, leaf: Leaf) -> Any:
    for step in leaf:
        value = value[step]
    return value


def _cut(body: str, places: Sequence[Any]) -> str:
    for start, end in sorted(places, reverse=True):
        body = f"{body[:start]}{ERASED}{body[end:]}"
    return body


def _emptied(value: Any, leaves: Sequence[Any]) -> str:
    for leaf in dict.fromkeys(leaves):
        _value(value, leaf[:-1])[leaf[-1]] = ERASED
    return json.dumps(value, ensure_ascii=False)

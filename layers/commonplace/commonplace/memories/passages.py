"""Find and remove the passages of a document. A passage is a piece of text that becomes a memory."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from commonplace.domain.documents import Document, Form

ERASED = "[erased]"
_ERASED_NAME = re.compile(rf"{re.escape(ERASED)}( \d+)?")
MOST_CHARACTERS = 1_000
_MOST = 1_000
HEADING = re.compile(r"#{1,6}\s")
_STEP = re.compile(r"\[(\*|-?\d+)\]|([^.\[\]]+)")

Leaf = tuple[str | int, ...]
"""The path to a value in a JSON document, as a sequence of names and indexes."""


@dataclass(frozen=True)
class Passage:
    """A piece of a document. `places` has the same format as `PassageOf.places`."""

    text: str
    places: tuple[tuple[int, int], ...]

    @property
    def digest(self) -> str:
        """A digest of the text after case and spaces are normalized."""
        folded = " ".join(unicodedata.normalize("NFKC", self.text).casefold().split())
        return hashlib.blake2b(folded.encode(), digest_size=16).hexdigest()


def passages_of(body: str, form: Form, fields: Sequence[str] | None) -> dict[str, Passage]:
    """Return the passages of a body by digest, in order. Text that is repeated forms one passage."""
    parts: Iterable[Passage]
    if form == "text":
        parts = (Passage(body[start:end], ((start, end),)) for start, end in pieces(body))
    else:
        parts = _split_json(json.loads(body), fields)
    passages: dict[str, Passage] = {}
    for passage in parts:
        if not any(map(str.isalnum, passage.text.replace(ERASED, ""))):
            continue
        before = passages.get(passage.digest)
        passages[passage.digest] = passage if before is None else Passage(before.text, (*before.places, *passage.places))
    return passages


def texts_of(document: Document) -> dict[str, str]:
    """Return the source text of each memory that this document version links to, by memory id."""
    if document.form == "text":
        cuts = {part.memory_id: [document.body[start:end] for start, end in part.places] for part in document.passages}
    else:
        value = json.loads(document.body) if document.passages else {}
        lines = [_format_line(value, leaf, document.fields) for leaf in _iterate_leaves(value, ())]
        cuts = {part.memory_id: [line for at, end in part.places for line in lines[at:end]] for part in document.passages}
    return {memory_id: "\n".join(texts) for memory_id, texts in cuts.items()}


def without_passages(document: Document, memory_ids: Collection[str]) -> Document:
    """Return a document version from which the source texts of `memory_ids` are erased."""
    gone = [place for passage in document.passages if passage.memory_id in memory_ids for place in passage.places]
    left = [passage for passage in document.passages if passage.memory_id not in memory_ids]
    if document.form == "json":
        numbers = {number for start, end in gone for number in range(start, end)}
        value, _ = _Emptying(numbers, with_names=document.fields is None).left(json.loads(document.body))
        body = json.dumps(value, ensure_ascii=False)
    else:
        body = document.body
        for start, end in sorted(gone, reverse=True):
            body = f"{body[:start]}{ERASED}{body[end:]}"
        left = [passage.model_copy(update={"places": _shift_places(passage.places, gone)}) for passage in left]
    return document.model_copy(update={"body": body, "size": len(body.encode()), "passages": tuple(left)})


def _shift_places(places: Iterable[tuple[int, int]], gone: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Shift places to make up for the changed length of erased text before them."""
    shifts = [(end, len(ERASED) - (end - start)) for start, end in gone]
    moves = ((start, end, sum(shift for at, shift in shifts if at <= start)) for start, end in places)
    return tuple((start + by, end + by) for start, end, by in moves)


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield at most about 1,000 spans of paragraphs with their headings, each up to 1,000 characters long."""
    least = 2 ** (len(text) // _MOST).bit_length()  # grows in steps, so that an edit rarely changes all pieces
    start, end, has_words = 0, 0, False
    for line in re.finditer(r"[^\n]*\n?", text):
        is_heading = HEADING.match(line[0]) is not None
        is_whole = has_words and (is_heading or not line[0].strip()) and end - start >= least
        begins_new = is_whole or line.end() - start > MOST_CHARACTERS
        if begins_new:
            yield from _split_span(text, start, end)
            start, has_words = line.start(), False
        end, has_words = line.end(), has_words or bool(line[0].strip() and not is_heading)
    yield from _split_span(text, start, end)


def _split_span(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a span at spaces into trimmed parts of at most 1,000 characters. Parts without a letter or digit are dropped."""
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


def _split_json(value: Any, fields: Sequence[str] | None) -> Iterator[Passage]:
    """Yield values as passages of up to 1,000 characters. If `fields` select up to 1,000 values, each is its own passage."""
    leaves = list(_iterate_leaves(value, ()))
    paths = [list(_STEP.findall(field.strip("$. "))) for field in fields or ()]
    named = {leaf for path in paths for leaf in _find_leaves(value, (), path)}
    present = (number for number, leaf in enumerate(leaves) if _get_value(value, leaf) != ERASED)
    wanted = [number for number in present if fields is None or leaves[number] in named]
    lines, numbers = "", list[int]()
    for number in wanted:
        line = _format_line(value, leaves[number], fields)
        is_alone = fields is not None and len(wanted) <= _MOST
        if numbers and (is_alone or len(lines) + len(line) > MOST_CHARACTERS):
            yield from (Passage(text, _merge_into_ranges(numbers)) for text in _split_long_text(lines))
            lines, numbers = "", []
        lines, numbers = f"{lines}{line}\n", [*numbers, number]
    yield from (Passage(text, _merge_into_ranges(numbers)) for text in _split_long_text(lines))


def _format_line(value: Any, leaf: Leaf, fields: Sequence[str] | None) -> str:
    """Return a value as text. Without `fields`, the names on its path precede it ("pet: name: Momo")."""
    names = [str(name) for name in leaf if isinstance(name, str) and fields is None]
    return ": ".join((*names, str(_get_value(value, leaf))))


def _merge_into_ranges(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Merge consecutive numbers, in the given order, into ranges with exclusive ends, e.g. 1, 2, 3, 7 into (1, 4), (7, 8)."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        begin = ranges.pop()[0] if ranges and ranges[-1][1] == number else number
        ranges.append((begin, number + 1))
    return tuple(ranges)


def _split_long_text(text: str) -> list[str]:
    return [text[start:end] for start, end in _split_span(text, 0, len(text))]


def _iterate_leaves(value: Any, path: Leaf) -> Iterator[Leaf]:
    """Yield the paths to the values in a JSON value, except for null and empty strings."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _iterate_leaves(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _iterate_leaves(inner, (*path, number))
    elif value is not None and value != "":
        yield path


def _find_leaves(value: Any, path: Leaf, steps: list[tuple[str, str]]) -> Iterator[Leaf]:
    """Yield the leaves below a path such as `a.b[*].c`. Negative indexes count from the end. `*` matches every entry."""
    if not steps:
        yield from _iterate_leaves(value, path)
        return
    (number, name), later = steps[0], steps[1:]
    if isinstance(value, list) and number:
        size = len(value)
        wanted = range(size) if number == "*" else [int(number) % size] if -size <= int(number) < size else []
        for index in wanted:
            yield from _find_leaves(value[index], (*path, index), later)
    elif isinstance(value, dict):
        for key in value if name == "*" else [name] if name in value else []:
            yield from _find_leaves(value[key], (*path, key), later)


def _get_value(value: Any, leaf: Leaf) -> Any:
    for step in leaf:
        value = value[step]
    return value


@dataclass
class _Emptying:
    """Erases values from a JSON document by number. If `with_names` is True, names left without a value are erased too."""

    gone: Collection[int]
    with_names: bool
    number: int = 0

    def left(self, value: Any) -> tuple[Any, bool | None]:
        """Return a value after erasure, and whether all of it was erased. For an empty value, the second result is None."""
        if isinstance(value, dict):
            entries = [(name, *self.left(inner)) for name, inner in value.items()]
            return self._name_entries(entries), _combine_erased(is_gone for _, _, is_gone in entries)
        if isinstance(value, list):
            inside = [self.left(inner) for inner in value]
            return [inner for inner, _ in inside], _combine_erased(is_gone for _, is_gone in inside)
        if value is None or value == "":
            return value, None
        self.number += 1
        return (ERASED, True) if value == ERASED or self.number - 1 in self.gone else (value, False)

    def _name_entries(self, entries: list[tuple[str, Any, bool | None]]) -> dict[str, Any]:
        """Return the entries as a dict. If `with_names` is true, "[erased]" with a number replaces erased values' names."""
        taken = {name for name, _, _ in entries}
        free = (name for name in chain([ERASED], (f"{ERASED} {number}" for number in count(2))) if name not in taken)
        goes = (self.with_names and is_gone and not _ERASED_NAME.fullmatch(name) for name, _, is_gone in entries)
        return {next(free) if gone else name: inner for (name, inner, _), gone in zip(entries, goes, strict=True)}


def _combine_erased(parts: Iterable[bool | None]) -> bool | None:
    """Return whether all non-empty parts are erased, or None if all parts are empty."""
    known = {part for part in parts if part is not None}
    return known == {True} if known else None

"""Stream the entries of a JSON file, report invalid entries, and detect duplicates."""

import collections
import hashlib
import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.imports import ForeignFact, RefusedEntry, Unread
from commonplace.domain.strict_json import STRICT, read_object
from commonplace.domain.transfer import MOST_BYTES
from commonplace.importing.sources import Source
from commonplace.use_cases.import_facts import attribution, refused
from commonplace.use_cases.left_out import REFUSED, is_technical, json_text, leaves, words_of

ReadEntries = Iterator[ForeignFact | RefusedEntry | Unread]
ReadEntry = Callable[[str, Mapping[str, Any]], Iterator[ForeignFact]]
"""A function that yields the statements in an entry. Its first argument is the location in the file, for messages."""
OTHER_PARTS, UNKNOWN_FIELD = "another part of the file", "a field that no memory has"
_FORMAT_WORDS = {"user", "assistant", "system", "entity", "preference", "categories"}  # the formats' words, not a user's


@dataclass(frozen=True)
class BrokenLine:
    """A line in a file that isn't a valid JSON object. `content` is the parsed value or the text of the line."""

    error: CommonplaceError
    content: Any


def objects(value: Any) -> list[Any]:
    """Return a list unchanged, or an object in a list of one. Raises `INVALID_JSON` for any other value."""
    if not isinstance(value, (list, Mapping)):
        raise CommonplaceError(ErrorCode.INVALID_JSON, "file: must be a list or an object", "file")
    return value if isinstance(value, list) else [value]


def unused_fields(fields: Mapping[str, Any], *read: str) -> Iterator[Unread]:
    """Yield the fields of an object that no reader uses. `read` contains the names of the fields in use."""
    for name, value in fields.items():
        if name not in read and not is_technical(value):
            yield from (Unread(name, OTHER_PARTS, part) for part in (value if isinstance(value, list) else [value]))


def each(values: Iterable[Any], read: ReadEntry) -> ReadEntries:
    """Yield the statements in each entry, and the fields that no statement uses. An entry that isn't an object is refused."""
    number = 0
    for entry in values:
        if isinstance(entry, Unread):
            yield entry
            continue
        number += 1
        where = f"entry {number}"
        if not isinstance(entry, Mapping):
            yield from refusal(where, entry)
            continue
        facts = list(read(where, entry))
        yield from facts
        plain = [value for fact in facts for value in (fact.content, fact.tags, *fact.extra.values())]
        extra = {name: value for name, value in entry.items() if value not in plain and not is_technical(value)}
        texts = [f"{fact.name} {fact.speaker} {json_text(attribution(fact))}" for fact in facts] if extra else []
        read_words = words_of(" ".join(texts)) | _FORMAT_WORDS
        for name, value in extra.items():
            if not words_of(" ".join(map(str, leaves(value)))) <= read_words:
                yield Unread(where, UNKNOWN_FIELD, {name: value})


def refusal(where: str, value: Any, error: CommonplaceError | None = None) -> Iterator[RefusedEntry | Unread]:
    """Yield the refusal of an entry, and its unread text. If `error` is None, the reason is that it isn't an object."""
    if isinstance(value, BrokenLine):
        value, error = value.content, value.error
    error = error or CommonplaceError(ErrorCode.INVALID_JSON, "must be an object")
    yield Unread(where, REFUSED.format(error.code.label), value)
    yield refused(where, error)


class JsonText:
    """Reads one JSON value at a time, to keep memory use low. Raises `INVALID_JSON` if the text is truncated or invalid."""

    def __init__(self, pieces: Iterable[str], decoder: json.JSONDecoder = STRICT) -> None:
        self._pieces, self._decoder, self._held, self._at, self._read = iter(pieces), decoder, "", 0, 0

    def next(self) -> str:
        """Return the next character that isn't a space, without consuming it, or "" at the end."""
        while True:
            while self._at < len(self._held):
                if (char := self._held[self._at]) not in " \t\r\n\ufeff":
                    return char
                self._at += 1
            self._held, self._at = next(self._pieces, ""), 0
            if not self._held:
                return ""

    def value(self) -> Any:
        """Return the next value. Raises an error if the value is invalid, nested too deeply, or larger than 50 MB."""
        self.next()
        more = True
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
                if end < len(self._held) or not more:  # because a number may continue in the next piece
                    self._at, self._read = end, self._read + 1
                    return value
                why = ""
            except (ValueError, RecursionError) as error:
                why = error.msg if isinstance(error, json.JSONDecodeError) else "is nested too deeply"
            if not more:
                raise self._build_error(why)
            self._held, self._at = self._held[self._at :], 0
            if len(self._held) > MOST_BYTES:
                raise invalid("file", f"has an entry of more than {MOST_BYTES // 1_000_000} MB")
            piece = _read_at_least(self._pieces, len(self._held))
            self._held, more = self._held + piece, bool(piece)

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the next value, which must be a list."""
        self._at += 1
        if self.next() == "]":
            self._at += 1
            return
        while True:
            yield self.value()
            if self._read_mark(",", "]") == "]":
                return

    def fields(self) -> Iterator[str]:
        """Yield the field names of the next value, which must be an object. After each name, callers must read the value."""
        self._at += 1
        names = set[str]()
        if self.next() == "}":
            self._at += 1
            return
        while True:
            if self.next() != '"':
                raise self._build_error("Expecting property name enclosed in double quotes")
            name = str(self.value())
            if name in names:
                raise self._build_error("Key appears twice in an object")
            names.add(name)
            self._read_mark(":")
            yield name
            if self._read_mark(",", "}") == "}":
                return

    def end(self) -> None:
        """Raise an error if there is any text left."""
        if self.next():
            raise self._build_error("Extra data")

    def _read_mark(self, *marks: str) -> str:
        """Read and return the next character, which must be one of `marks`."""
        mark = self.next()
        if mark not in marks or not mark:
            raise self._build_error(f"Expecting {marks[0]!r} delimiter")
        self._at += 1
        return mark

    def _build_error(self, why: str) -> CommonplaceError:
        message = f"file: is truncated, or invalid JSON, after {self._read:,} values: {why}"
        return CommonplaceError(ErrorCode.INVALID_JSON, message, "file")


def array_elements(pieces: Iterable[str]) -> Iterator[Any]:
    """Yield the elements of a JSON array, and finally an error if the array is invalid or truncated."""
    text = JsonText(pieces, json.JSONDecoder())
    try:
        if text.next() == "[":
            yield from text.elements()
        else:
            yield invalid("file", "must be a list")
    except CommonplaceError as error:
        yield error


def entries(source: Source, *keys: str) -> Iterator[Any]:
    """Yield the entries in a JSON file. The file is a list, an object with a list under one of the `keys`, or JSON Lines.

    Only the first of these lists in an object is used. An object without such a list is one entry. An invalid line is
    yielded as `BrokenLine`. Fields outside the list are yielded as `Unread`.
    """
    if source.is_json_lines:
        yield from (_parse_line(line) for line in source.lines() if line.strip())
        return
    text, whole, listed = JsonText(source.pieces()), dict[str, Any](), False
    if text.next() == "[":
        yield from text.elements()
    elif text.next() == "{":
        for name in text.fields():
            if name in keys and text.next() == "[" and not listed:
                listed = True
                yield from text.elements()
            elif listed:
                yield from unused_fields({name: text.value()})
            else:
                whole[name] = text.value()
        yield from unused_fields(whole) if listed else (whole,)
    else:
        raise CommonplaceError(ErrorCode.INVALID_JSON, f"file: must be a list, or an object with {' or '.join(keys)}", "file")
    text.end()


def in_pages(source: Source, *keys: str) -> Iterator[Any]:
    """Yield entries like `entries`, but also from several objects with a list each, such as the pages of an API's result."""
    for entry in entries(source, *keys):
        key = next((key for key in keys if isinstance(entry, Mapping) and isinstance(entry.get(key), list)), None)
        if key is None:
            yield entry
        else:
            yield from entry[key]
            yield from unused_fields(entry, key)


def _parse_line(line: str) -> Any:
    """Return the object in a line of JSON Lines, or a `BrokenLine` if the line isn't a valid object."""
    try:
        return read_object(line)
    except CommonplaceError as error:
        try:
            return BrokenLine(error, json.loads(line))
        except (ValueError, RecursionError):
            return BrokenLine(error, line)


def glance(source: Source, *keys: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the fields of a JSON object, and the first entry that is an object. Lists of entries are replaced by None."""
    text, whole, first = JsonText(source.pieces()), dict[str, Any](), None
    if source.is_json_lines or text.next() != "{":
        return {}, next((entry for entry in entries(source, *keys) if isinstance(entry, Mapping)), {})
    for name in text.fields():
        if name in keys and text.next() == "[":
            whole[name], objects_in = None, (element for element in text.elements() if isinstance(element, Mapping))
            first = next(objects_in, {}) if first is None else first
            collections.deque(objects_in, maxlen=0)
        else:
            whole[name] = text.value()
    return whole, whole if first is None else first


def _read_at_least(pieces: Iterator[str], least: int) -> str:
    """Return at least `least` characters, or all that are left. Doubling the text each time keeps decoding linear."""
    parts, size = list[str](), 0
    while size < max(least, 1) and (piece := next(pieces, "")):
        parts.append(piece)
        size += len(piece)
    return "".join(parts)


def as_line(fields: Mapping[str, Any]) -> str:
    """Return an object's non-empty fields as one line, like `name: Ana; language: Italian`."""
    return "; ".join(f"{name}: {json_text(value)}" for name, value in fields.items() if value not in (None, "", [], {}))


class Fingerprints:
    """Detects duplicate texts by means of a temporary file of keyed hashes. The random key is never stored."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file, self._key = file, secrets.token_bytes(32)
        file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000")
        file.execute("CREATE TABLE seen (fingerprint BLOB PRIMARY KEY, memory_id TEXT, fields BLOB) WITHOUT ROWID")

    @classmethod
    @contextmanager
    def temporary(cls) -> Iterator["Fingerprints"]:
        """Yield an empty set of fingerprints, which is deleted at the end of the `with` block."""
        with closing(sqlite3.connect("")) as file:  # SQLite deletes an unnamed database when it is closed
            yield cls(file)

    def add(self, fingerprint: bytes, memory_id: str | None, fields: bytes = b"") -> tuple[str | None, bool] | None:
        """Add a fingerprint. If it is known, return its first `memory_id` and whether the `fields` are equal too."""
        row = (self._hash_value(fingerprint), memory_id, self._hash_value(fields))
        if self._file.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", row).rowcount:
            return None
        values = self._file.execute("SELECT memory_id, fields FROM seen WHERE fingerprint = ?", row[:1]).fetchone()
        return values[0], values[1] == row[2]

    def _hash_value(self, value: bytes) -> bytes:
        return hashlib.blake2b(value, key=self._key, digest_size=16).digest()

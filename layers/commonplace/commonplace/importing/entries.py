"""The entries of a JSON file: one by one, of a large file too, those that are none, and which were there already."""

import collections
import hashlib
import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import RefusedEntry
from commonplace.domain.strict_json import STRICT
from commonplace.domain.transfer import MOST_BYTES
from commonplace.importing.sources import Source
from commonplace.use_cases.import_facts import refused
from commonplace.use_cases.record_files import object_lines


def objects(given: Any, *keys: str) -> list[Any]:
    """The entries of a file: the list itself, or the one under the first of the keys that is there."""
    if isinstance(given, Mapping):
        given = next((given[key] for key in keys if isinstance(given.get(key), list)), [given])
    if not isinstance(given, list):
        raise CommonplaceError(ErrorCode.INVALID_JSON, f"file: must be a list, or an object with {' or '.join(keys)}", "file")
    return given


def numbered(given: Iterable[Any]) -> Iterator[tuple[str, Mapping[str, Any]] | RefusedEntry]:
    """Entries with what a person calls them; what is no object is refused."""
    for number, one in enumerate(given, 1):
        where = f"entry {number}"
        if isinstance(one, Mapping):
            yield where, one
        else:
            none = CommonplaceError(ErrorCode.INVALID_JSON, "must be an object")
            yield refused(where, one if isinstance(one, CommonplaceError) else none)


class JsonText:
    """A JSON text that comes in pieces, read value by value: of a large file one entry is held, not the whole.

    Raises `INVALID_JSON` where it breaks off or is no JSON.
    """

    def __init__(self, pieces: Iterable[str], decoder: json.JSONDecoder = STRICT) -> None:
        self._pieces, self._decoder, self._held, self._at, self._read = iter(pieces), decoder, "", 0, 0

    def next(self) -> str:
        """The next character that is no space, which stays; "" at the end."""
        while True:
            while self._at < len(self._held):
                if (char := self._held[self._at]) not in " \t\r\n\ufeff":
                    return char
                self._at += 1
            self._held, self._at = next(self._pieces, ""), 0
            if not self._held:
                return ""

    def value(self) -> Any:
        """The next value, decoded by the standard library as soon as all of it is there."""
        self.next()
        more = True
        while True:
            try:
                found, end = self._decoder.raw_decode(self._held, self._at)
                if end < len(self._held) or not more:  # a number may go on in the next piece
                    self._at, self._read = end, self._read + 1
                    return found
                why = ""
            except (ValueError, RecursionError) as error:
                why = error.msg if isinstance(error, json.JSONDecodeError) else "is nested too deeply"
            if not more:
                raise self._broken(why)
            self._held, self._at = self._held[self._at :], 0
            if len(self._held) > MOST_BYTES:
                raise unreadable("file", f"has an entry of more than {MOST_BYTES // 1_000_000} MB")
            piece = _as_much(self._pieces, len(self._held))
            self._held, more = self._held + piece, bool(piece)

    def elements(self) -> Iterator[Any]:
        """The elements of the list that comes next."""
        yield from (self.value() for _ in self._items("]"))

    def fields(self) -> Iterator[str]:
        """The names in the object that comes next. Whoever takes one reads its value before the next."""
        for _ in self._items("}"):
            if self.next() != '"':
                raise self._broken("Expecting property name enclosed in double quotes")
            name = str(self.value())
            self._mark(":")
            yield name

    def end(self) -> None:
        """Raises where more comes."""
        if self.next():
            raise self._broken("Extra data")

    def _items(self, end: str) -> Iterator[None]:
        """Once for each item of what comes next, which `end` closes."""
        self._at += 1
        if self.next() == end:
            self._at += 1
            return
        while True:
            yield
            if self._mark(",", end) == end:
                return

    def _mark(self, *marks: str) -> str:
        found = self.next()
        if found not in marks or not found:
            raise self._broken(f"Expecting {marks[0]!r} delimiter")
        self._at += 1
        return found

    def _broken(self, why: str) -> CommonplaceError:
        told = f"file: breaks off, or is no JSON, after {self._read:,} values: {why}"
        return CommonplaceError(ErrorCode.INVALID_JSON, told, "file")


def array_elements(pieces: Iterable[str]) -> Iterator[Any]:
    """The elements of a JSON array that comes in pieces, one by one; where it breaks off, that as the last."""
    text = JsonText(pieces, json.JSONDecoder())
    try:
        if text.next() == "[":
            yield from text.elements()
        else:
            yield unreadable("file", "must be a list")
    except CommonplaceError as error:
        yield error


def entries(source: Source, *keys: str, whole: dict[str, Any] | None = None) -> Iterator[Any]:
    """The entries of a JSON file, one by one: of a list, of the first list under one of the keys, or an object on each line.

    An object without such a list is an entry itself; its fields go to `whole`. A line that is none comes as what is wrong
    with it.
    """
    if source.stands_in_lines:
        yield from (found for _, found in object_lines(source.lines()))
        return
    text, fields, listed = JsonText(source.pieces()), {} if whole is None else whole, False
    if text.next() == "[":
        yield from text.elements()
    elif text.next() == "{":
        for name in text.fields():
            if name in fields:
                raise CommonplaceError(ErrorCode.INVALID_JSON, f"file: the key {json.dumps(name[:40])} stands twice", "file")
            fields[name] = None
            if name in keys and text.next() == "[" and not listed:
                listed = True
                yield from text.elements()
            else:
                fields[name] = text.value()
        yield from () if listed else (fields,)
    else:
        raise CommonplaceError(ErrorCode.INVALID_JSON, f"file: must be a list, or an object with {' or '.join(keys)}", "file")
    text.end()


def glance(source: Source, *keys: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The fields of a JSON object, without the first of those lists, and the first entry that is an object."""
    whole = dict[str, Any]()
    found = (one for one in entries(source, *keys, whole=whole) if isinstance(one, Mapping))
    first = next(found, {})
    if whole:
        collections.deque(found, maxlen=0)  # for the fields after the list
    return whole, first


def _as_much(pieces: Iterator[str], least: int) -> str:
    """More of a text: as much again as is there, so that a long element is not tried too often."""
    found, size = list[str](), 0
    while size < max(least, 1) and (piece := next(pieces, "")):
        found.append(piece)
        size += len(piece)
    return "".join(found)


def unreadable(field: str | None, why: str) -> CommonplaceError:
    """What is wrong with an entry."""
    return CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{field}: {why}" if field else why, field)


def one_line(fields: Mapping[str, Any]) -> str:
    """An object as a line for people, of what is filled in: `name: Ana; language: Italian`."""
    filled = {name: one for name, one in fields.items() if one not in (None, "", [], {})}
    told = (f"{name}: {one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)}" for name, one in filled.items())
    return "; ".join(told)


class Fingerprints:
    """Which words were there already, in a temporary file: hashes under a key that nobody else has and nobody keeps."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file, self._key = file, secrets.token_bytes(32)
        file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000")
        file.execute("CREATE TABLE seen (fingerprint BLOB PRIMARY KEY, memory_id TEXT) WITHOUT ROWID")

    @classmethod
    @contextmanager
    def kept(cls) -> Iterator["Fingerprints"]:
        """Some that go afterwards, with their file."""
        with closing(sqlite3.connect("")) as file:  # without a name: a temporary one
            yield cls(file)

    def add(self, fingerprint: bytes, memory_id: str | None) -> tuple[str | None] | None:
        keyed = hashlib.blake2b(fingerprint, key=self._key, digest_size=16).digest()
        if self._file.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (keyed, memory_id)).rowcount:
            return None
        found: tuple[str | None] = self._file.execute("SELECT memory_id FROM seen WHERE fingerprint = ?", (keyed,)).fetchone()
        return found

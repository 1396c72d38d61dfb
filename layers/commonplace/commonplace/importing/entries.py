"""The entries of a JSON file: one by one, of a large file too, those that are none, and which were there already."""

import collections
import hashlib
import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ForeignFact, RefusedEntry, Unread
from commonplace.domain.strict_json import STRICT, read_object
from commonplace.domain.transfer import MOST_BYTES
from commonplace.importing.sources import Source
from commonplace.use_cases.import_facts import refused, said_by
from commonplace.use_cases.left_out import REFUSED, is_technical, json_text, leaves, words_of

Found = Iterator[ForeignFact | RefusedEntry | Unread]
ReadEntry = Callable[[str, Mapping[str, Any]], Iterator[ForeignFact]]
"""Gives the statements of an entry. `str`: its place in the file, for people."""
OTHER_PARTS, NOT_KEPT = "another part of the file", "a field that no memory keeps"
_STRUCTURE = {"user", "assistant", "system", "entity", "preference", "categories"}  # words of the forms themselves


@dataclass(frozen=True)
class BrokenLine:
    """A line of a file that is no object. `said`: what it holds."""

    error: CommonplaceError
    said: Any


def objects(given: Any) -> list[Any]:
    """The list itself, or a list of the one object; raises `INVALID_JSON` for anything else."""
    if not isinstance(given, (list, Mapping)):
        raise CommonplaceError(ErrorCode.INVALID_JSON, "file: must be a list or an object", "file")
    return given if isinstance(given, list) else [given]


def beside(given: Mapping[str, Any], *read: str) -> Iterator[Unread]:
    """The parts of an object that are not read."""
    for name, value in given.items():
        if name not in read and not is_technical(value):
            yield from (Unread(name, OTHER_PARTS, part) for part in (value if isinstance(value, list) else [value]))


def each(given: Iterable[Any], read: ReadEntry) -> Found:
    """The statements of each entry, and its fields that none of them has; what is no object is refused."""
    number = 0
    for one in given:
        if isinstance(one, Unread):
            yield one
            continue
        number += 1
        where = f"entry {number}"
        if not isinstance(one, Mapping):
            yield from refusal(where, one)
            continue
        facts = list(read(where, one))
        yield from facts
        plain = [value for fact in facts for value in (fact.content, fact.tags, *fact.rest.values())]
        rest = {name: value for name, value in one.items() if value not in plain and not is_technical(value)}
        texts = [f"{fact.name} {fact.speaker} {json_text(said_by(fact))}" for fact in facts] if rest else []
        kept = words_of(" ".join(texts)) | _STRUCTURE
        for name, value in rest.items():
            if not words_of(" ".join(map(str, leaves(value)))) <= kept:
                yield Unread(where, NOT_KEPT, {name: value})


def refusal(where: str, given: Any, error: CommonplaceError | None = None) -> Iterator[RefusedEntry | Unread]:
    """What is told of an entry that can't be read, and its words. `error`: why; else it is no object."""
    if isinstance(given, BrokenLine):
        given, error = given.said, given.error
    error = error or CommonplaceError(ErrorCode.INVALID_JSON, "must be an object")
    yield Unread(where, REFUSED.format(error.code.label), given)
    yield refused(where, error)


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
        self._at += 1
        if self.next() == "]":
            self._at += 1
            return
        while True:
            yield self.value()
            if self._mark(",", "]") == "]":
                return

    def fields(self) -> Iterator[str]:
        """The names in the object that comes next. Whoever takes one reads its value before the next."""
        self._at += 1
        names = set[str]()
        if self.next() == "}":
            self._at += 1
            return
        while True:
            if self.next() != '"':
                raise self._broken("Expecting property name enclosed in double quotes")
            name = str(self.value())
            if name in names:
                raise self._broken("Key stands twice in one object")
            names.add(name)
            self._mark(":")
            yield name
            if self._mark(",", "}") == "}":
                return

    def end(self) -> None:
        """Raises where more comes."""
        if self.next():
            raise self._broken("Extra data")

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


def entries(source: Source, *keys: str) -> Iterator[Any]:
    """The entries of a JSON file, one by one: of a list, of the first list under one of the keys, or an object on each line.

    An object without such a list is an entry itself. A line that is none comes as a `BrokenLine`, and what stands beside the
    list as `Unread`.
    """
    if source.stands_in_lines:
        yield from (_line(line) for line in source.lines() if line.strip())
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
                yield from beside({name: text.value()})
            else:
                whole[name] = text.value()
        yield from beside(whole) if listed else (whole,)
    else:
        raise CommonplaceError(ErrorCode.INVALID_JSON, f"file: must be a list, or an object with {' or '.join(keys)}", "file")
    text.end()


def in_pages(source: Source, *keys: str) -> Iterator[Any]:
    """The same where each of several objects may have such a list, as the pages of an answer do."""
    for one in entries(source, *keys):
        key = next((key for key in keys if isinstance(one, Mapping) and isinstance(one.get(key), list)), None)
        if key is None:
            yield one
        else:
            yield from one[key]
            yield from beside(one, key)


def _line(line: str) -> Any:
    """The object of a line; a `BrokenLine` where it is none."""
    try:
        return read_object(line)
    except CommonplaceError as error:
        try:
            return BrokenLine(error, json.loads(line))
        except (ValueError, RecursionError):
            return BrokenLine(error, line)


def glance(source: Source, *keys: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The fields of a JSON object, without those lists, and the first entry that is an object."""
    text, whole, first = JsonText(source.pieces()), dict[str, Any](), None
    if source.stands_in_lines or text.next() != "{":
        return {}, next((one for one in entries(source, *keys) if isinstance(one, Mapping)), {})
    for name in text.fields():
        if name in keys and text.next() == "[":
            whole[name], objects_in = None, (one for one in text.elements() if isinstance(one, Mapping))
            first = next(objects_in, {}) if first is None else first
            collections.deque(objects_in, maxlen=0)
        else:
            whole[name] = text.value()
    return whole, whole if first is None else first


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
    return "; ".join(f"{name}: {json_text(one)}" for name, one in fields.items() if one not in (None, "", [], {}))


class Fingerprints:
    """Which words were there already, in a temporary file: hashes under a key that nobody else has and nobody keeps."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file, self._key = file, secrets.token_bytes(32)
        file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000")
        file.execute("CREATE TABLE seen (fingerprint BLOB PRIMARY KEY, memory_id TEXT, fields BLOB) WITHOUT ROWID")

    @classmethod
    @contextmanager
    def kept(cls) -> Iterator["Fingerprints"]:
        """Some that go afterwards, with their file."""
        with closing(sqlite3.connect("")) as file:  # without a name: a temporary one
            yield cls(file)

    def add(self, fingerprint: bytes, memory_id: str | None, fields: bytes = b"") -> tuple[str | None, bool] | None:
        row = (self._keyed(fingerprint), memory_id, self._keyed(fields))
        if self._file.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", row).rowcount:
            return None
        found = self._file.execute("SELECT memory_id, fields FROM seen WHERE fingerprint = ?", row[:1]).fetchone()
        return found[0], found[1] == row[2]

    def _keyed(self, value: bytes) -> bytes:
        return hashlib.blake2b(value, key=self._key, digest_size=16).digest()

"""The entries of a JSON file: one by one, of a large file too, and those that are none."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ForeignFact, RefusedEntry, Unread
from commonplace.domain.transfer import MOST_BYTES
from commonplace.use_cases.import_facts import REFUSED, refused, said_by
from commonplace.use_cases.left_out import is_technical, json_text, leaves, words_of

Found = Iterator[ForeignFact | RefusedEntry | Unread]
OTHER_PARTS, NOT_KEPT = "another part of the file", "a field that no memory keeps"
_STRUCTURE = {"user", "assistant", "system", "entity", "preference", "categories"}  # words of the forms themselves


def objects(given: Any, *keys: str) -> list[Any]:
    """The entries of a file: the list itself, or the one under the first of the keys that is there."""
    if isinstance(given, Mapping):
        given = next((given[key] for key in keys if isinstance(given.get(key), list)), [given])
    if not isinstance(given, list):
        raise CommonplaceError(ErrorCode.INVALID_JSON, f"file: must be a list, or an object with {' or '.join(keys)}", "file")
    return given


def list_in(given: Any, *keys: str) -> tuple[list[Any], list[Unread]]:
    """The entries of a file, and what stands beside them. The file is a list, an object with a list under one of the keys,
    a list of such objects, or one entry."""
    entries, rest = list[Any](), list[Unread]()
    for page in given if isinstance(given, list) else objects(given):
        key = next((key for key in keys if isinstance(page, Mapping) and isinstance(page.get(key), list)), None)
        entries += [page] if key is None else page[key]
        rest += [] if key is None else beside(page, key)
    return entries, rest


def beside(given: Mapping[str, Any], *read: str) -> list[Unread]:
    """The parts of an object that are not read."""
    return [
        Unread(name, OTHER_PARTS, part)
        for name, value in given.items()
        if name not in read and not is_technical(value)
        for part in (value if isinstance(value, list) else [value])
    ]


def each(
    given: Iterable[Any], read: Callable[[str, Mapping[str, Any]], Iterator[ForeignFact]], lines: Sequence[str] = ()
) -> Found:
    """The statements of each entry, and its fields that none of them has; what is no object is refused.

    `lines`: the entries as they stand in the file.
    """
    for number, one in enumerate(given, 1):
        where = f"entry {number}"
        if isinstance(one, Mapping):
            facts = list(read(where, one))
            yield from facts
            plain = [value for fact in facts for value in (fact.content, fact.tags, *fact.rest.values())]
            rest = {name: value for name, value in one.items() if value not in plain and not is_technical(value)}
            texts = [f"{fact.name} {fact.speaker} {json_text(said_by(fact))}" for fact in facts] if rest else []
            kept = words_of(" ".join(texts)) | _STRUCTURE
            for name, value in rest.items():
                if not words_of(" ".join(map(str, leaves(value)))) <= kept:
                    yield Unread(where, NOT_KEPT, {name: value})
            continue
        error = one if isinstance(one, CommonplaceError) else CommonplaceError(ErrorCode.INVALID_JSON, "must be an object")
        yield refused(where, error)
        yield Unread(where, REFUSED.format(error.code.label), _loose(lines[number - 1]) if error is one and lines else one)


def _loose(line: str) -> Any:
    """What a line holds that is no object of its own, or the line itself."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def first_object(given: Any, *keys: str) -> Mapping[str, Any]:
    """The first entry that is an object; an empty one where there is none."""
    entries = objects(given, *keys) if isinstance(given, (list, Mapping)) else []
    return next((one for one in entries if isinstance(one, Mapping)), {})


def array_elements(pieces: Iterable[str]) -> Iterator[Any]:
    """The elements of a JSON array that comes in pieces, one by one; where it breaks off, that as the last.

    Each is decoded by the standard library as soon as it is there: of a large file one element is held, not the whole.
    """
    decoder, pieces, held, at, begun = json.JSONDecoder(), iter(pieces), "", 0, False
    while True:
        at = _after(held, at, " \t\r\n," if begun else " \t\r\n")
        if held[at : at + 1] == "]" and begun:
            return
        try:
            if begun:
                found, at = decoder.raw_decode(held, at)
                yield found
                continue
            begun, at = held[at] == "[", at + 1
            if not begun:
                yield unreadable("file", "must be a list")
                return
        except (ValueError, IndexError, RecursionError):
            held, at = held[at:], 0
            if len(held) > MOST_BYTES:
                yield unreadable("file", f"has an entry of more than {MOST_BYTES // 1_000_000} MB")
                return
            more = _as_much(pieces, len(held))
            if not more:
                yield unreadable("file", "breaks off, or is no JSON from here on")
                return
            held += more


def _after(text: str, at: int, blank: str) -> int:
    while at < len(text) and text[at] in blank:
        at += 1
    return at


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

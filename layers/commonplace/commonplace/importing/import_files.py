"""What a file to be imported holds: a conversation's turns or messages, or the records of an export."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commonplace.domain.errors import CommonplaceError, ErrorCode

if TYPE_CHECKING:
    from commonplace.domain.transfer import ImportFormat
    from commonplace.use_cases.record_files import Line

_NUMBERED = re.compile(r"(?:turns|records)\.(\d+): ")


@dataclass(frozen=True)
class ImportFile:
    """Turns, messages or, from an export, records; and the line of each, where they stood line by line."""

    items: list[Any]
    lines: list[int]

    @contextmanager
    def told_by_line(self) -> Iterator[None]:
        """The engine counts from 0; a person who wrote line by line looks for the line."""
        try:
            yield
        except CommonplaceError as error:
            numbered = _NUMBERED.match(error.message)
            if not (numbered and self.lines):
                raise
            why = f"line {self.lines[int(numbered[1])]}: {error.message[numbered.end() :]}"
            raise CommonplaceError(error.code, why, error.field) from error


def read_import(text: str) -> ImportFile:
    """Reads a JSON array, an object with `turns` or `messages`, or a JSON object per line.

    A line may hold a conversation of its own, as `messages`. Raises `INVALID_JSON`.
    """
    from commonplace.domain.strict_json import read_json

    rows = _lines(text)
    first = next(iter(rows.values()), {})
    if len(rows) > 1 or {"text", "role"} & first.keys():
        turns = [(line, turn) for line, row in rows.items() for turn in _conversation(row)]
        return ImportFile([turn for _, turn in turns], [line for line, _ in turns])
    whole = read_json(text)
    found = whole.get("turns", whole.get("messages")) if isinstance(whole, dict) else whole
    if not isinstance(found, list):
        why = 'must be a list of turns or messages, {"turns": [...]}, {"messages": [...]}, or one per line'
        raise CommonplaceError(ErrorCode.INVALID_JSON, f"file: {why}")
    return ImportFile(found, [])


def _lines(text: str) -> dict[int, dict[str, Any]]:
    """The objects of a file that has one on each line, by the line's number; nothing for other files."""
    from commonplace.use_cases.record_files import object_lines, stands_line_by_line

    if not text.strip():
        raise CommonplaceError(ErrorCode.INVALID_JSON, "file: holds no turns", "file")
    return _whole(object_lines(text)) if stands_line_by_line(text) else {}


def read_export(text: str) -> ImportFile:
    """The records of an export, JSON Lines or CSV, each of which must be one."""
    from commonplace.use_cases.record_files import read_lines

    form: ImportFormat = "csv" if text.removeprefix("\ufeff").lstrip().startswith("memory_id,") else "jsonl"
    records = _whole(read_lines(text, form))
    return ImportFile(list(records.values()), list(records))


def _whole(lines: "Iterable[Line]") -> dict[int, dict[str, Any]]:
    """The objects by their lines; raises what is wrong with the first line that is none."""
    found: dict[int, dict[str, Any]] = {}
    for number, one in lines:
        if isinstance(one, CommonplaceError):
            raise CommonplaceError(one.code, f"line {number}: {one.message}", "file")
        found[number] = one
    return found


def _conversation(row: dict[str, Any]) -> list[Any]:
    """The turns of one line: itself, or those of a whole conversation."""
    from commonplace.use_cases.import_conversation import turns_of_chat

    messages = row.get("messages")
    return list(turns_of_chat(messages)) if isinstance(messages, list) else [row]

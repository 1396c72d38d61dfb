"""Write records as JSON Lines and CSV, and read them back."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.memory import Memory
from commonplace.domain.strict_json import read_json, read_object
from commonplace.domain.transfer import MOST_BYTES, MOST_DEPTH, MOST_LINE_BYTES, MOST_LINES, ImportFormat

HEADER = "commonplace_export"
"""The only field in the first line of an export. Its value is the format of the other lines."""
FORM = 1
HISTORY = "history"
"""An extra field in an exported record. Its value lists the changes to the record with their times, oldest first."""
Record = Mapping[str, Any]
Line = tuple[int, dict[str, Any] | CommonplaceError]
"""A line number, from 1, with a record or an error."""
_COLUMNS = (*(name for name in Memory.model_fields if name != "user_id"), HISTORY)
_AS_JSON = {"tags", "concepts", "importance", "confidence", "position", "access_count", "version", HISTORY}
_NEVER_EMPTY = {"raw_text", "normalized_text"}  # in any other column, an empty cell means a missing field
_FORMULA = re.compile(r"'*[=+\-@\t\r]")  # matches cells that a spreadsheet would evaluate, and their quoted forms


def jsonl_lines(records: Iterable[Record]) -> Iterator[str]:
    """Yield the lines of a JSON Lines export, which are a header and one record per line."""
    yield json.dumps({HEADER: FORM}) + "\n"
    for record in records:
        yield json.dumps(record, ensure_ascii=False) + "\n"


def csv_lines(records: Iterable[Record]) -> Iterator[str]:
    """Yield an export as CSV with column names. Cells that a spreadsheet would evaluate start with an apostrophe."""
    yield _format_row(_COLUMNS)
    for record in records:
        yield _format_row([_format_cell(name, record.get(name)) for name in _COLUMNS])


def read_lines(text: str, form: ImportFormat) -> Iterator[Line]:
    """Yield the records in a file with their line numbers. Raises `PAYLOAD_TOO_LARGE`, or an error for an unknown format."""
    if len(text) > MOST_BYTES or len(text.encode(errors="surrogatepass")) > MOST_BYTES:
        raise too_large(f"is larger than {MOST_BYTES // 1_000_000} MB")
    rows = _parse_json_lines(text) if form == "jsonl" else _parse_csv_rows(text)
    for count, (line, fields) in enumerate(rows):
        if count >= MOST_LINES:
            raise too_large(f"has more than {MOST_LINES:,} lines")
        yield line, fields


def too_large(why: str, field: str | None = None) -> CommonplaceError:
    """Return the error for a file that exceeds a limit. `why` completes the sentence "the file …"."""
    return CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, f"the file {why}; take it in piece by piece", field)


def is_export(first: Record) -> bool:
    """Return whether the first line of a file shows that it is an export. Raises an error for an unknown format."""
    if HEADER in first and first != {HEADER: FORM}:
        raise invalid("file", f"is an export of another form than {FORM}; upgrade commonplace")
    return HEADER in first or {"memory_id", "raw_text"} <= first.keys()


def _parse_json_lines(text: str) -> Iterator[Line]:
    """Yield each line's number with its object or error. Blank lines and the header of an export are skipped."""
    first = True
    for number, line in enumerate(text.split("\n"), 1):  # strings may contain other line breaks, such as U+2028
        if not line.strip():
            continue
        try:
            fields: dict[str, Any] | CommonplaceError = _read_checked(line)
        except CommonplaceError as error:
            fields = error
        if not (first and isinstance(fields, dict) and is_export(fields) and HEADER in fields):
            yield number, fields
        first = False


def _read_checked(line: str) -> dict[str, Any]:
    if len(line.encode(errors="surrogatepass")) > MOST_LINE_BYTES:
        raise CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, f"is longer than {MOST_LINE_BYTES // 1_000} KB")
    fields = read_object(line)
    if _is_deeper(fields, MOST_DEPTH):
        raise CommonplaceError(ErrorCode.INVALID_JSON, f"is nested deeper than {MOST_DEPTH} levels")
    return fields


def _is_deeper(value: object, levels: int) -> bool:
    """Return whether a JSON value nests more than `levels` objects or lists inside it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inner is not None and (levels == 0 or any(_is_deeper(value, levels - 1) for value in inner))


def _parse_csv_rows(text: str) -> Iterator[Line]:
    """Yield each row's line with its record or error. Raises `INVALID_ARGUMENT` for broken CSV or wrong column names."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    names: list[str] | None = None
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise invalid("file", f"is no CSV from line {line} on: {error}") from None
        if cells is None:
            return
        if names is None:
            names = cells
            if not {"memory_id", "raw_text"} <= set(names):
                raise invalid("file", "its first line must name the columns, memory_id and raw_text among them")
            if any(names.count(name) > 1 for name in _COLUMNS):
                raise invalid("file", "its first line names a column twice")
        elif cells:
            yield line, _build_record(names, cells)


def _build_record(names: list[str], cells: list[str]) -> dict[str, Any] | CommonplaceError:
    """Return a row as a record without its empty cells (texts may be empty), or the error of a malformed row."""
    if len(cells) != len(names):
        return CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"has {len(cells)} cells, and there are {len(names)} columns")
    if len("".join(cells).encode(errors="surrogatepass")) > MOST_LINE_BYTES:
        return CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, f"is longer than {MOST_LINE_BYTES // 1_000} KB")
    record: dict[str, Any] = {}
    for name, cell in zip(names, cells, strict=True):
        if not cell and name not in _NEVER_EMPTY:
            continue
        try:
            record[name] = read_json(cell) if name in _AS_JSON else unquoted(cell)
        except CommonplaceError as error:
            return CommonplaceError(error.code, f"{name}: {error.message}", name)
    return record


def quoted(text: str) -> str:
    """Prefix a cell with an apostrophe if a spreadsheet would evaluate the cell."""
    return f"'{text}" if _FORMULA.match(text) else text


def unquoted(cell: str) -> str:
    """Return the text of a cell, without the apostrophe that `quoted` may have added."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _format_cell(name: str, value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if name in _AS_JSON else quoted(text)


def _format_row(cells: Iterable[str]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerow(cells)
    return out.getvalue()

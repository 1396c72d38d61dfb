"""Read a file in the format of TinyDB's JSON storage, which consists of tables of numbered documents."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid

DATE = "{TinyDate}:"
"""The prefix that TinyDB's serializer puts before a date."""
_ENCODINGS = ("utf-8-sig", "cp1252")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Document:
    """A document in a table. NaN and infinite values are replaced by None."""

    table: str
    number: str
    fields: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the document, which is unique within its file."""
        return f"{self.table}/{self.number}"


@dataclass(frozen=True)
class TinyFile:
    """The documents in a file, in order, and the file's encoding. `not_numbers` counts the NaN and infinite values."""

    documents: list[Document]
    encoding: str
    not_numbers: int


def read_tinydb(data: bytes, tables: Sequence[str] = ()) -> TinyFile:
    """Read the documents in a file, or only in `tables`. Raises `INVALID_JSON`, or `INVALID_ARGUMENT` for unknown tables."""
    text, encoding = _decode_file(data)
    not_numbers: list[str] = []
    whole = _parse_json(text, encoding, data.startswith(_BOM), not_numbers) if text.strip() else {}
    if not isinstance(whole, dict) or not all(isinstance(table, dict) for table in whole.values()):
        why = "is no TinyDB file: it must hold an object of tables, and each table its documents by their numbers"
        raise _build_error(why)
    for table in tables:
        if table not in whole:
            raise invalid("table", f"there is no table {table}; there are {', '.join(whole) or 'none'}")
    return TinyFile(list(_iterate_documents(whole, tables or list(whole))), encoding.removesuffix("-sig"), len(not_numbers))


def _decode_file(data: bytes) -> tuple[str, str]:
    """Return the text and its encoding, UTF-8 or else cp1252. Raises `INVALID_JSON` if neither fits."""
    for encoding in _ENCODINGS:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError as error:
            broken = error
    raise CommonplaceError(ErrorCode.INVALID_JSON, f"file: is neither UTF-8 nor cp1252 at byte {broken.start}", "file")


def _parse_json(text: str, encoding: str, marked: bool, not_numbers: list[str]) -> Any:
    """Parse JSON. NaN and infinite numbers become None and are listed in `not_numbers`."""

    def finite(digits: str) -> float | None:
        if math.isfinite(value := float(digits)):
            return value
        not_numbers.append(digits)
        return None

    try:
        return json.loads(text, object_pairs_hook=_build_object, parse_constant=finite, parse_float=finite)
    except json.JSONDecodeError as error:
        at = len(text[: error.pos].encode(encoding.removesuffix("-sig"))) + (len(_BOM) if marked else 0)
        message = f"file: is broken at byte {at} (line {error.lineno}): {error.msg}"
        raise CommonplaceError(ErrorCode.INVALID_JSON, message, "file") from None
    except ValueError:
        raise _build_error("contains a number with too many digits") from None
    except RecursionError:
        raise _build_error("is nested too deeply") from None


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _build_error("has a key twice in one object, which TinyDB never writes: one of the two would be lost")
    return fields


def _iterate_documents(whole: Mapping[str, Mapping[str, Any]], tables: Sequence[str]) -> Iterator[Document]:
    for table in tables:
        for number, fields in whole[table].items():
            if not isinstance(fields, dict):
                raise _build_error(f"is no TinyDB file: {table}/{number} is no document")
            yield Document(table, number, fields)


def _build_error(why: str) -> CommonplaceError:
    return CommonplaceError(ErrorCode.INVALID_JSON, f"file: {why}", "file")

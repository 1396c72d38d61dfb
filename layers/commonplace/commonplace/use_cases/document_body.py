"""What a document may say: printable, 256 KB at the most, and without the secrets in it."""

import json
from typing import Any, NoReturn

from pydantic_core import PydanticCustomError

from commonplace.contract.validate import redaction_under_key
from commonplace.domain.documents import MOST_BYTES, Form
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import printable
from commonplace.domain.strict_json import read_object
from commonplace.text.redaction import redact

_DEEPEST = 100
_MOST_OF_WAY = 200
"""How many characters of the names that a value stands under are looked at, the innermost ones."""


def clean_body(body: str, form: Form) -> tuple[str, tuple[str, ...]]:
    """The body without secrets, and their kinds. Of a JSON object each value is looked at under all of its names.

    Raises `INVALID_JSON`, `INVALID_ARGUMENT` or `TEXT_TOO_LONG`; no message quotes the body.
    """
    _check_printable(body)
    _check_size(body)
    if form == "text":
        found = redact(body)
        clean, kinds = found.text, list(found.kinds)
    else:
        kinds = []
        clean = json.dumps(_redacted(_object(body), "", kinds, 0), ensure_ascii=False)
    _check_size(clean)
    return clean, tuple(dict.fromkeys(kinds))


def _object(body: str) -> dict[str, Any]:
    try:
        return read_object(body)
    except CommonplaceError as error:
        _refuse(error.code, error.message)


def _redacted(value: Any, way: str, kinds: list[str], depth: int) -> Any:
    """A value without secrets. `way`: the names that it stands under, the innermost last."""
    if depth > _DEEPEST:
        _refuse(ErrorCode.INVALID_JSON, f"is nested deeper than {_DEEPEST} levels")
    if isinstance(value, dict):
        return {
            _redacted(name, "", kinds, depth): _redacted(one, f"{way} {name}"[-_MOST_OF_WAY:], kinds, depth + 1)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_redacted(one, way, kinds, depth + 1) for one in value]
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return value
    _check_printable(str(value))
    found = redaction_under_key(str(value), way) if way else redact(str(value))
    kinds += found.kinds
    return found.text if found.kinds else value


def _check_printable(text: str) -> None:
    try:
        printable(text)
    except PydanticCustomError as error:
        _refuse(ErrorCode.INVALID_ARGUMENT, str(error))


def _check_size(body: str) -> None:
    if len(body.encode()) > MOST_BYTES:
        _refuse(ErrorCode.TEXT_TOO_LONG, f"must have {MOST_BYTES // 1024} KB at the most")


def _refuse(code: ErrorCode, why: str) -> NoReturn:
    raise CommonplaceError(code, f"body: {why}", "body") from None

"""Converts the arguments that clients send to the declared types, for every interface except Python.

Models and their clients write numbers as text or as `10.0`, write objects and lists as JSON strings, and fill unused fields
with `""` or null. The value of a string field is never converted.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import Sent
from commonplace.domain.strict_json import read_json

_WHOLE = re.compile(r"-?[0-9]{1,18}(\.0+)?")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?")
_MOST_JSON = 1_000_000  # maximum length of a string that is parsed as JSON, in characters
_BOOLEANS = {"true": True, "false": False}
_EMPTY: tuple[Any, ...] = (None, "", {}, [])


def read_flag(text: str, field: str) -> bool:
    """Parse `true` or `false`, ignoring case. Raises `INVALID_ARGUMENT`, with the name `field`, for any other text."""
    value = _BOOLEANS.get(text.lower())
    if value is None:
        raise invalid(field, "must be true or false")
    return value


def as_declared(kind: type[BaseModel], value: Any) -> Any:
    """Convert arguments to the types that `kind` declares. Values that can't be converted are left for validation.

    An optional field that contains `""` or null is dropped. If the field selects memories to change (`Sent.selects`), an
    empty value raises `INVALID_ARGUMENT`, because the change would affect all memories. The conversion is idempotent.
    """
    return _read_object(kind, value, "", selects=False) if isinstance(value, Mapping) else value


def _read_object(kind: type[BaseModel], fields: Mapping[str, Any], path: str, selects: bool) -> dict[str, Any]:
    """Convert an object's fields. In errors, `path` precedes a field name. If `selects` is true, empty fields are errors."""
    read: dict[str, Any] = {}
    for name, value in fields.items():
        field = kind.model_fields.get(name)
        if field is None:
            read[name] = value
            continue
        sent = next((mark for mark in field.metadata if isinstance(mark, Sent)), Sent())
        narrows = selects or sent.selects
        read[name] = _read_value(value, sent.form or field.annotation, f"{path}{name}", narrows)
        if narrows and read[name] in _EMPTY:
            why = f"{path}{name}: is empty, which would mean all memories; leave it out if that is meant"
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, f"{path}{name}")
        if read[name] in (None, "") and (sent.optional or not field.is_required()):
            del read[name]
    return read


def _read_value(value: Any, declared: Any, path: str, selects: bool) -> Any:
    """Convert a value and the values in it to the declared type, or return it unchanged if that is impossible."""
    parts = list(_iterate_parts(declared))
    forms = [get_origin(part) for part in parts]
    kinds = [part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)]
    lists = [part for part, form in zip(parts, forms, strict=True) if form in (list, tuple)]
    if isinstance(value, str) and str not in parts and Literal not in forms:
        value = _decode_text(value, parts, wants=(*([list] if lists else []), *([dict] if kinds or dict in forms else [])))
    elif isinstance(value, float) and int in parts and value.is_integer():
        return int(value)
    if isinstance(value, list) and lists:
        return [_read_value(item, get_args(lists[0])[0], f"{path}.{number}", selects) for number, item in enumerate(value)]
    if isinstance(value, Mapping) and kinds:
        likeliest = max(kinds, key=lambda kind: len(kind.model_fields.keys() & value.keys()))
        return _read_object(likeliest, value, f"{path}.", selects)
    return value


def _decode_text(text: str, parts: list[Any], wants: tuple[type, ...]) -> Any:
    """Decode a string for a field that is not a string. If it encodes no suitable value, return the string unchanged."""
    if bool in parts:
        return _BOOLEANS.get(text.lower(), text)
    if int in parts:
        return int(text.partition(".")[0]) if _WHOLE.fullmatch(text.strip()) else text
    if float in parts:
        return float(text) if _NUMBER.fullmatch(text.strip()) else text
    if not wants or len(text) > _MOST_JSON:
        return text
    try:
        value = read_json(text)
    except CommonplaceError:
        return text
    return value if value is None or isinstance(value, wants) else text


def _iterate_parts(declared: Any) -> Iterator[Any]:
    """Yield a type and, recursively, the members of its unions and annotations."""
    yield declared
    if get_origin(declared) not in (list, tuple, dict):
        for part in get_args(declared):
            yield from _iterate_parts(part)

"""Arguments that came as strings, as JSON values: what each one is, the tool's own request model says."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.formats.bedrock_agents import REST
from commonplace.models.fields import Request
from commonplace.strict_json import read_json

_NUMBERS = (bool, int, float)


def typed(kind: type[Request], given: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers and booleans of strings, lists and objects of strings of JSON, everything else as it came.

    What its field can't read stays a string, for the check of the whole request to refuse by name. `options` of a tool
    that has no such field are further arguments, together in one string of JSON.
    """
    fields = kind.model_fields
    if REST in given and REST not in fields:
        return typed(kind, _unfolded(given))
    return {name: _value(name, text, fields[name]) if name in fields else text for name, text in given.items()}


def _value(name: str, text: Any, field: FieldInfo) -> Any:
    if not isinstance(text, str):
        return text
    parts = list(_parts(field.annotation))
    if any(_is_nested(part) for part in parts):
        return _json(name, text)
    number = next((part for part in parts if part in _NUMBERS), None)
    if number is None:
        return text
    try:
        return TypeAdapter(number).validate_strings(text)
    except ValidationError:
        return text


def _unfolded(given: Mapping[str, Any]) -> dict[str, Any]:
    more = _json(REST, given[REST])
    if not isinstance(more, dict):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{REST}: must be a JSON object", REST)
    twice = next((name for name in more if name in given), None)
    if twice is not None:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{twice}: was given twice", twice)
    return {name: value for name, value in given.items() if name != REST} | more


def _json(name: str, text: str) -> Any:
    try:
        return read_json(text)
    except CommonplaceError as error:
        raise CommonplaceError(ErrorCode.INVALID_JSON, f"{name}: must be JSON in a string: {error.message}", name) from None


def _parts(annotation: Any) -> Iterator[Any]:
    """The annotation and, of `X | None` and `Annotated`, what they are made of."""
    yield annotation
    if get_origin(annotation) is not list:
        for part in get_args(annotation):
            yield from _parts(part)


def _is_nested(annotation: Any) -> bool:
    return get_origin(annotation) is list or (isinstance(annotation, type) and issubclass(annotation, BaseModel))

"""Validates a tool's arguments, and redacts secrets in every text before other code sees the text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import MAX_TEXT, in_zone
from commonplace.text.foundation.characters import WORD
from commonplace.text.redaction import Redaction, redact
from commonplace.text.redaction.assignments import describes, kind_under, measures, parts_of_name

AnyRequest = TypeVar("AnyRequest", bound=BaseModel)
_STATEMENTS = {"text", "content", "raw_text", "normalized", "value"}  # refused if they contain only a secret
_IDS = {"id", "memory_id", "memory_ids", "cursor", "run_id", "upload_id"}  # only looked up, never stored
_FILES = {"data"}  # redacted record by record when the file is read
_CODES = {"extra_forbidden": ErrorCode.UNKNOWN_FIELD, "missing": ErrorCode.MISSING_FIELD, "empty_text": ErrorCode.EMPTY_TEXT}
_TYPES = {
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type", "mapping_type"), "an object"),
    **dict.fromkeys(("list_type", "tuple_type"), "a list: [...]"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("datetime_type", "datetime_parsing", "datetime_from_date_parsing"), "a time in ISO 8601"),
    "string_type": "a string",
}
"""Maps pydantic's error types to the names of the required JSON types."""
_SUBJECT = re.compile(r"^(Input|Value|String|List|Tuple|Dictionary|Datetime) should ")


def validate(kind: type[AnyRequest], arguments: Mapping[str, Any], zone: tzinfo | None) -> tuple[AnyRequest, list[str]]:
    """Return the validated and redacted request, and the kinds of secrets found in it.

    Datetimes without an offset are taken to be in `zone`. Errors, such as `SECRET_ONLY`, have status 400 and name the field.
    """
    request = check(kind, arguments)
    kinds: list[str] = []
    # Use the key as it was given, because lower case joins its words: "gateCode" becomes "gatecode".
    key = arguments.get("key") if getattr(request, "key", None) is not None else None
    return _redact_model(request, "", zone, kinds, key), list(dict.fromkeys(kinds))


def check(kind: type[AnyRequest], arguments: Mapping[str, Any]) -> AnyRequest:
    """Parse the arguments as a request of `kind`, or raise an error with status 400 that names the first invalid field."""
    if not isinstance(arguments, Mapping):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "the arguments must be a JSON object")
    try:
        return kind.model_validate(dict(arguments))
    except ValidationError as error:
        # Use only the location and message, because the error's own text would quote the input, which may contain a secret.
        first: dict[str, Any] = {**error.errors(include_url=False, include_input=False)[0]}
        if not first["loc"] and (name := next((argument for argument in arguments if not str(argument).isprintable()), None)):
            raise CommonplaceError(ErrorCode.UNKNOWN_FIELD, f"{name}: there is no such field", name) from None
        field = ".".join(str(part) or '""' for part in _find_keys(first["loc"], arguments)) or None
        too_long = first["type"] == "string_too_long" and first.get("ctx", {}).get("max_length") == MAX_TEXT
        code = ErrorCode.TEXT_TOO_LONG if too_long else _CODES.get(first["type"], ErrorCode.INVALID_ARGUMENT)
        raise CommonplaceError(code, f"{field or 'arguments'}: {_format_message(kind, first)}", field) from None


def _find_keys(places: tuple[Any, ...], value: Any) -> Iterator[Any]:
    """Yield the keys and indices that lead to the invalid value, without the union members that pydantic tried."""
    for number, place in enumerate(places):
        listed = isinstance(value, list | tuple) and isinstance(place, int)
        if listed or (isinstance(value, Mapping) and place in value):
            value = value[place]
        elif not isinstance(value, Mapping) or number < len(places) - 1:
            continue
        yield place


def _format_message(kind: type[BaseModel], error: Mapping[str, Any]) -> str:
    if error["type"] == "extra_forbidden":
        return f"there is no such field{_suggest_fields(kind, error['loc'])}"
    if error["msg"] == "Field required":
        return "is required"
    if error["type"] in _TYPES:
        return f"must be {_TYPES[error['type']]}"
    return _SUBJECT.sub("must ", str(error["msg"])).replace(" after validation", "")


def _suggest_fields(kind: type[BaseModel], place: Sequence[Any]) -> str:
    """Suggest the field closest to an unknown name, or list all fields of the object. Return "" inside a list."""
    known: type[BaseModel] | None = kind
    for part in place[:-1]:
        annotation = known.model_fields[part].annotation if known is not None and part in known.model_fields else None
        inner = (
            kind for kind in (annotation, *get_args(annotation)) if isinstance(kind, type) and issubclass(kind, BaseModel)
        )
        known = next(inner, None)
    fields = [] if known is None else list(known.model_fields)
    near = get_close_matches(str(place[-1]).lower(), fields, 1, 0.7)
    return f"; did you mean {near[0]}?" if near else f"; the fields are {', '.join(fields)}" if fields else ""


def moment_in(zone: tzinfo | None, value: datetime, path: str) -> datetime:
    """Return a datetime, in `zone` if it has no offset. Raises `INVALID_ARGUMENT` if it is outside the supported range."""
    try:
        return in_zone(value, zone)
    except PydanticCustomError as error:
        raise invalid(path, str(error)) from None


def redacted_value(value: str, key: str) -> tuple[str, list[str]]:
    """Redact a value again once its key is known, and return it with the kinds of secrets found. Raises `SECRET_ONLY`."""
    kinds: list[str] = []
    return _redact_text(value, "value", kinds, key), kinds


def _redact_model(model: Any, path: str, zone: tzinfo | None, kinds: list[str], key: Any = None) -> Any:
    """Redact a request's texts, and set the time zone of its datetimes. Add the kinds of secrets found to `kinds`."""
    changed: dict[str, Any] = {}
    for name in type(model).model_fields:
        value = getattr(model, name)
        sibling = getattr(model, "context", None) or key or getattr(model, "key", None)
        cleaner = _redact_value(value, f"{path}{name}", zone, kinds, sibling)
        if cleaner is not value:
            changed[name] = cleaner
    return model.model_copy(update=changed) if changed else model


def _redact_value(value: Any, path: str, zone: tzinfo | None, kinds: list[str], sibling: Any = None) -> Any:
    """Redact the texts in a value at `path`, and give its datetimes a zone. Drops list items that become empty."""
    if isinstance(value, BaseModel):
        return _redact_model(value, f"{path}.", zone, kinds)
    if isinstance(value, datetime):
        return moment_in(zone, value, path)
    if isinstance(value, list):
        return [item for item in (_redact_value(item, path, zone, kinds) for item in value) if item != ""]
    if isinstance(value, str) and path not in _IDS | _FILES:
        return _redact_text(value, path, kinds, sibling if isinstance(sibling, str) else None)
    return value


def _redact_text(text: str, path: str, kinds: list[str], sibling: str | None) -> str:
    """Redact a text, and add the kinds of secrets found in it to `kinds`.

    `sibling` is the message before a `text`, or the key of a `value`. Raises `SECRET_ONLY` if a statement is just a secret.
    """
    if path == "value" and sibling is not None:
        redaction = redaction_under_key(text, sibling)
    else:
        redaction = redact(text, sibling if path == "text" else None)
    if not redaction.kinds:
        return text
    kinds.extend(redaction.kinds)
    if "tags" in path:
        return "" if redaction.only_secret else redaction.text
    if path == "key":
        raise CommonplaceError(ErrorCode.SECRET_ONLY, "key: contains a secret, and secrets are never stored", path)
    if not redaction.only_secret or path not in _STATEMENTS:
        return redaction.text
    raise CommonplaceError(ErrorCode.SECRET_ONLY, f"{path}: contains only a secret, and secrets are never stored", path)


def redaction_under_key(value: str, key: str) -> Redaction:
    """Redact a value with the help of its key. For example, 4471 is a secret under `gate_code`. Counts and dates are kept."""
    names = parts_of_name(key)
    if measures(names, value):
        return redact(value)
    redaction = _redact_as_answer(value, key)
    is_split = names != [word.lower() for word in WORD.findall(key)]  # "backupCodes" contains two words
    if not redaction.kinds and is_split and not describes(names):
        redaction = _redact_as_answer(value, " ".join(names))
    kind = None if redaction.kinds else kind_under(names, value)
    return redaction if kind is None else Redaction(f"[redacted:{kind}]", (kind,), only_secret=True)


def _redact_as_answer(value: str, key: str) -> Redaction:
    """Redact a value both as the answer to a question about its key and as an entry under its key."""
    name = " ".join(WORD.findall(key))
    answer = redact(value, f"What is the {name}?")
    entry = redact(f"{name}: {answer.text}")
    redaction = redact(entry.text.partition(": ")[2] or entry.text)
    return replace(redaction, kinds=tuple(dict.fromkeys((*answer.kinds, *entry.kinds))))

"""Parse external JSON strictly. Unlike `json.loads`, these functions reject NaN, Infinity and duplicate keys."""

import json
import math
from typing import Any, NoReturn

from commonplace.domain.errors import CommonplaceError, ErrorCode

_SHOWN = 40  # how many characters of a key a message shows


def read_json(text: str | bytes) -> Any:
    """Parse JSON encoded in UTF-8. Raises `INVALID_JSON` with a message that never quotes a value."""
    try:
        written = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        return STRICT.decode(written)
    except UnicodeDecodeError:
        raise _build_error("is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise _build_error(f"{error.msg} (line {error.lineno}, column {error.colno})") from None
    except ValueError:
        raise _build_error("contains a number with too many digits") from None  # `json` raises no other ValueError here
    except RecursionError:
        raise _build_error("is nested too deeply") from None


def read_object(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object. Raises `INVALID_JSON` if the value is not an object."""
    value = read_json(text)
    if not isinstance(value, dict):
        raise _build_error('must be a JSON object such as {"query": "tea"}')
    return value


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise _build_error(f"the key {json.dumps(key[:_SHOWN])} appears twice in one object")
        fields[key] = value
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise _build_error(f"{name} is not JSON")


def _parse_finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _build_error("contains a number that is too large")
    return value


def _build_error(why: str) -> CommonplaceError:
    return CommonplaceError(ErrorCode.INVALID_JSON, why)


STRICT = json.JSONDecoder(object_pairs_hook=_build_object, parse_constant=_refuse_constant, parse_float=_parse_finite)
"""A decoder that follows the rules of `read_json`, but raises `json.JSONDecodeError` for invalid syntax."""

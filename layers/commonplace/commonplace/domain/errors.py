"""Errors for callers. Each error has a code from a fixed set, an HTTP status, and a flag for whether a retry may help."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from importlib.util import find_spec
from traceback import walk_tb
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

Extra = Literal["aws", "claude", "langchain", "langgraph", "openai-agents", "pydantic-ai", "strands"]
_EXTRAS: dict[Extra, tuple[str, ...]] = {
    "aws": ("botocore", "opensearchpy"), "claude": ("anthropic",), "langchain": ("langchain_core",),
    "langgraph": ("langgraph",), "openai-agents": ("agents",), "pydantic-ai": ("pydantic_ai",), "strands": ("strands",),
}  # fmt: skip


class ErrorCode(Enum):
    """The error codes. Each has a label, an HTTP status, and a flag for whether the same call may succeed later."""

    INVALID_ARGUMENT = ("invalid_argument", 400, False)
    UNKNOWN_FIELD = ("unknown_field", 400, False)
    MISSING_FIELD = ("missing_field", 400, False)
    EMPTY_TEXT = ("empty_text", 400, False)
    TEXT_TOO_LONG = ("text_too_long", 400, False)
    SECRET_ONLY = ("secret_only", 400, False)
    INVALID_JSON = ("invalid_json", 400, False)
    UNAUTHORIZED = ("unauthorized", 401, False)
    FORBIDDEN = ("forbidden", 403, False)
    UNKNOWN_TOOL = ("unknown_tool", 404, False)
    NOT_FOUND = ("not_found", 404, False)
    KEY_NOT_FOUND = ("key_not_found", 404, False)
    METHOD_NOT_ALLOWED = ("method_not_allowed", 405, False)
    CONFLICT = ("conflict", 409, True)
    LEASE_LOST = ("lease_lost", 409, True)
    NOT_MERGEABLE = ("not_mergeable", 409, False)
    ERASED = ("erased", 410, False)
    PAYLOAD_TOO_LARGE = ("payload_too_large", 413, False)
    TOO_MANY_REQUESTS = ("too_many_requests", 429, True)
    INTERNAL = ("internal", 500, True)
    STORAGE_UNAVAILABLE = ("storage_unavailable", 503, True)

    def __init__(self, label: str, status: int, retryable: bool) -> None:
        self.label = label
        self.status = status
        self.retryable = retryable


def escaped(text: str) -> str:
    """Return `text` for display, with unprintable characters escaped, e.g. as `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def refuse_half_characters(text: str, field: str) -> str:
    """Return `text` unchanged. Raises `INVALID_ARGUMENT` if it has an unpaired surrogate, which no store can encode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise invalid(field, f"must not contain half a character, U+{ord(text[error.start]):04X}") from None
    return text


_KINDS: dict[type, str] = {str: "a text", bytes: "bytes", int: "a whole number", bool: "true or false"}
AnyValue = TypeVar("AnyValue", str, bytes, int, bool)
AnyItem = TypeVar("AnyItem")


def of_type(kind: type[AnyValue], value: AnyValue, field: str) -> AnyValue:
    """Return `value` unchanged. Raises `INVALID_ARGUMENT` unless its type is `kind`."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise invalid(field, f"must be {_KINDS[kind]}")
    return value


def list_of(values: Iterable[AnyItem], field: str) -> list[AnyItem]:
    """Return `values` as a list. Raises `INVALID_ARGUMENT` for strings, bytes, mappings and values that aren't iterable."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise invalid(field, "must be a list")
    return list(values)


@dataclass
class CommonplaceError(Exception):
    """A failure that the caller can act on. `field` is the dotted path of the argument at fault, if any.

    `message` and `field` may quote a caller's text, so unprintable characters in them are escaped.
    """

    code: ErrorCode
    message: str
    field: str | None = None

    def __post_init__(self) -> None:
        self.message = escaped(self.message)
        self.field = None if self.field is None else escaped(self.field)

    def __str__(self) -> str:
        return f"{self.code.label}: {self.message}"

    def body(self) -> dict[str, object]:
        """Return the JSON object that every interface sends to report this error."""
        return {
            "error": {"code": self.code.label, "message": self.message, "field": self.field, "retryable": self.code.retryable}
        }


def invalid(field: str, why: str) -> CommonplaceError:
    """Return an `INVALID_ARGUMENT` error whose message starts with the name of the field."""
    return CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{field}: {why}", field)


def time_zone(name: str, field: str) -> ZoneInfo:
    """Return the time zone with this IANA name. If it is unknown, raise `INVALID_ARGUMENT` and suggest a similar name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError if the name is a folder of the time zone database
        known = sorted(zone for zone in available_timezones() if "/" in zone or zone == "UTC")
        like = "".join(get_close_matches(name[:64], known, n=1)) or "Europe/Berlin"
        raise invalid(field, f"there is no time zone {name[:64]}; give an IANA name such as {like}") from None


def places_of(error: BaseException) -> str:
    """Return the code locations in a traceback, innermost last. They are logged because the message may quote a user."""
    return ", ".join(f"{frame.f_globals.get('__name__')}:{line}" for frame, line in walk_tb(error.__traceback__))


def require_extra(extra: Extra, configured: str) -> None:
    """Raise `INVALID_ARGUMENT` with installation instructions if a package from an optional extra is not installed.

    The message starts with `configured`, which describes the setting that needs the extra. No package is imported.
    """
    if any(find_spec(package) is None for package in _EXTRAS[extra]):
        why = f"{configured}, which needs an extra that is not installed: {how_to_install(extra)}"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why)


def how_to_install(extra: Extra) -> str:
    """Return instructions for installing an extra. A clone is needed, because Commonplace is on no package index."""
    return f"run pip install '.[{extra}]' in a clone of Commonplace"

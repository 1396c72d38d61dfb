"""Keys and tokens that show what they are: by a service's format, ours and those that detect-secrets knows."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module, resources
from typing import Any, NamedTuple

from commonplace.redaction.view import Span, View

_RUN = re.compile(r"[\w\-+/=.:~]{16,}", re.ASCII)
# Importing the library takes a tenth of a second: hashes, identifiers and links alone are no reason to.
_ORDINARY = re.compile(
    r"(?:[0-9a-f]{7,128}|[0-9A-F]{7,128}|(?!\d{6}-\d{6}-\d{6}-)[\d.:/_-]+|[0-9A-HJKMNP-TV-Z]{26}"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})[.:]?"
)
_REST = re.compile(r"(?:[\w\-+/=~%]|\.(?=\w))*", re.ASCII)


class _Format(NamedTuple):
    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("formats.toml").read_text("utf-8"))


@cache
def _formats() -> list[_Format]:
    rows = _table()["format"]
    return [_Format(row["kind"], tuple(row["hint"]), re.compile(row["pattern"], re.ASCII)) for row in rows]


@cache
def _library() -> list[_Format]:
    found: list[_Format] = []
    for name, kind in _table()["library"].items():
        module, _, finder = name.partition(".")
        plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), finder)
        found.extend(_Format(kind, (), pattern) for pattern in plugin.denylist)
    return found


def find_formats(view: View) -> Iterator[Span]:
    """Spans of keys and tokens with a known format, each to the end of its run of token characters."""
    text = view.text
    runs = [match for match in _RUN.finditer(text) if not _ORDINARY.fullmatch(match[0])]
    if not runs:
        return
    formats = [one for one in _formats() if any(hint in text for hint in one.hints)]
    if any(re.search(r"\d", match[0]) for match in runs):
        formats += _library()
    for one in formats:
        done = 0
        for match in one.pattern.finditer(text):
            if match.start() >= done:
                span = _stretched(text, Span(*_secret_part(match), one.kind))
                done = span.end
                yield span


def _secret_part(match: re.Match[str]) -> tuple[int, int]:
    # The library's patterns for assignments hold the value in their last group; a group that only names the service
    # (GitHub's) stands at the beginning of the secret.
    if match.re.groups and match.start(match.re.groups) > match.start():
        return match.span(match.re.groups)
    return match.span()


def _stretched(text: str, span: Span) -> Span:
    """`span` to the end of the token it ends in: a pattern's fixed length must not leave the tail of a longer one."""
    rest = _REST.match(text, span.end)
    return span._replace(end=rest.end()) if rest else span

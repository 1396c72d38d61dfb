"""Keys and tokens that show what they are: by a service's format, or random-looking beside words for secrets."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import resources
from math import log2
from typing import NamedTuple

from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import compiled, expression

_RUN = re.compile(r"(?<![\w+/=.~@-])[A-Za-z0-9_+/=.~-]{20,}")
_NAME = re.compile(r"^[0-9A-Fa-f-]+$|\w\.(?:com|org|net|io|html?|py|js|png|jpe?g|pdf)\b")
_BEFORE, _AFTER = 60, 24
# Of one case, as hexadecimal, base 32 and licence keys are: hashes and identifiers look the same, so only the words
# beside such a run tell, and nothing public may stand near.
_PLAIN = re.compile(
    r"(?<![\w+/=.@:-])(?:[0-9a-f]{20,128}|[0-9A-F]{20,128}|[a-z2-7]{16,64}|[A-Z2-7]{16,64}|[a-z0-9]{24,64}|[A-Z0-9]{24,64}"
    r"|[0-9a-f]{32}(?:-[0-9a-f]{8}){2}|[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,15}|[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}"
    r"|[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,8})"
    r"(?![\w+/=@-]|\.\w|:\w{3,}\.)"
)
_LONGEST_PUBLIC = 40

_FORMAT_RUN = re.compile(r"[\w\-+/=.:~]{16,}", re.ASCII)
# Hashes, identifiers and links: a text without any other run is not searched.
_ORDINARY = re.compile(
    r"(?:[0-9a-f]{7,128}|[0-9A-F]{7,128}|(?!\d{6}-\d{6}-\d{6}-)[\d.:/_-]+|[0-9A-HJKMNP-TV-Z]{26}"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})[.:]?"
)
_REST = re.compile(r"(?:[\w\-+/=~%]|\.(?=\w))*", re.ASCII)


def find_entropy(view: View) -> Iterator[Span]:
    """Spans of mixed strings of 20 or more characters that stand near a word for a secret, not near one for a hash."""
    for match in _RUN.finditer(view.text):
        run = match[0].rstrip(".=-~")
        if not _random(run):
            continue
        before = view.folded[max(0, match.start() - _BEFORE) : match.start()]
        after = view.folded[match.end() : match.end() + _AFTER].partition("\n")[0]
        secret, public = _last(compiled("token_formats.near"), before), _last(compiled("token_formats.public"), before)
        if secret > public or (public < 0 and compiled("token_formats.near").search(after)):
            yield Span(*match.span(), "api_key")
    for match in _PLAIN.finditer(view.text) if compiled("token_formats.named").search(view.folded) else ():
        if len(re.findall(r"\d", match[0])) >= 2 and re.search(r"[A-Za-z]", match[0]) and _is_named(view, match):
            yield Span(*match.span(), "api_key")


def _is_named(view: View, match: re.Match[str]) -> bool:
    before = view.folded[max(0, match.start() - _BEFORE) : match.start()]
    after = view.folded[match.end() : match.end() + _AFTER].partition("\n")[0]
    if compiled("token_formats.public").search(before[-_LONGEST_PUBLIC:]):
        return False
    if compiled("token_formats.beside").search(before):
        return True
    if compiled("token_formats.public").search(after):
        return False
    return bool(
        compiled("token_formats.named").search(before)
        or re.match(rf"\s(?:is|as|es|ist|est|como|als|comme|ist der|\W)[^.\n]*?{expression('token_formats.named')}", after)
    )


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((match.start() for match in pattern.finditer(text)), default=-1)


def _random(run: str) -> bool:
    kinds = sum(bool(re.search(one, run)) for one in ("[a-z]", "[A-Z]", r"\d"))
    if kinds < 3 or _NAME.search(run):
        return False
    # Words with signs between them are names; what is random has digits inside its longest piece.
    # "mockErrorResponse429" is a name with a number behind it.
    if not re.search(r"\d", run.rstrip("0123456789")):
        return False
    longest = max(re.split(r"[_\-./+=~]+", run), key=len)
    entropy = -sum(n / len(run) * log2(n / len(run)) for n in Counter(run).values())
    return entropy >= (3.5 if len(longest) >= 12 and re.search(r"\d", longest[1:-1]) else 4.4)


class _Format(NamedTuple):
    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


@cache
def _formats() -> list[_Format]:
    rows = tomllib.loads(resources.files(__package__).joinpath("formats.toml").read_text("utf-8"))["format"]
    return [_Format(row["kind"], tuple(row["hint"]), re.compile(row["pattern"], re.ASCII)) for row in rows]


def find_formats(view: View) -> Iterator[Span]:
    """Spans of keys and tokens with a known format, each to the end of its run of token characters."""
    text = view.text
    runs = [match for match in _FORMAT_RUN.finditer(text) if not _ORDINARY.fullmatch(match[0])]
    if not runs:
        return
    formats = [one for one in _formats() if any(hint in text for hint in one.hints)]
    for one in formats:
        done = 0
        for match in one.pattern.finditer(text):
            if match.start() >= done:
                span = _stretched(text, Span(*_secret_part(match), one.kind))
                done = span.end
                yield span


def _secret_part(match: re.Match[str]) -> tuple[int, int]:
    # Where a pattern also reads what announces the secret, its last group is the secret.
    if match.re.groups and match.start(match.re.groups) > match.start():
        return match.span(match.re.groups)
    return match.span()


def _stretched(text: str, span: Span) -> Span:
    """`span` to the end of the token it ends in: a pattern's fixed length must not leave the tail of a longer one."""
    rest = _REST.match(text, span.end)
    return span._replace(end=rest.end()) if rest else span

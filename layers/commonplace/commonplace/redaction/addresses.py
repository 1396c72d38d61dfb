"""Passwords inside addresses: `postgres://user:password@host`, `WIFI:S:Home;T:WPA;P:password;;`."""

import re
from collections.abc import Iterator

from commonplace.redaction.view import HIDDEN, Span, View
from commonplace.redaction.vocabulary import words

# Up to the last "@" of the authority: people put "@", ":" and "/" into passwords without encoding them.
_WEB = re.compile(r"(?i)(?<=://)[^\s/@:\"'<>]{0,200}:([^\s/\"'<>]{1,300})@(?=[\w\[])")
_SERVER = re.compile(r"(?i)(?<=://)(?<!http://)(?<!https://)[^\s/@:\"'<>]{0,200}:([^\s\"'<>]{1,300})@(?=[\w\[])")
_DRIVER = re.compile(r"(?<![\w/:])[\w.\-]{1,60}:([^\s:@/\"']{1,100})@(?:tcp|unix)\(")
# Oracle: user and password apart by a slash.
_ORACLE = re.compile(r"(?i)(?:thin:|sqlplus )[\w.$#-]{1,60}/([^\s@/\"']{2,100})@")
# What the square codes on routers say: "WIFI:S:Home;T:WPA;P:hunter2;;".
_NETWORK = re.compile(r"(?i)(?<![a-z])wifi:(?:(?!p:)(?:\\.|[^;\n\\]){0,80};){0,5}p:((?:\\.|[^;\n\\]){1,100})")
# A line of .pgpass: host, port, database, user, password.
_COLUMNS = re.compile(r"(?<![\w/:.-])[\w.*\-]{1,80}:(?:\d{2,5}|\*):[\w*\-]{1,60}:[\w.\-@]{1,60}:([^\s:]{3,100})")
_REFERENCE = re.compile(r"[$%{<\[][^\s]*[}>\]%]|\$\w+|\*{3,}|[xX]{3,}|\.{3,}|" + HIDDEN)


def find_addresses(view: View) -> Iterator[Span]:
    """Spans of the passwords in addresses; user and host stay."""
    if "wifi:" in view.folded:
        yield from (Span(*match.span(1), "password") for match in _NETWORK.finditer(view.text))
    if view.text.count(":") > 3:
        yield from (Span(*match.span(1), "password") for match in _COLUMNS.finditer(view.text))
    if "@" not in view.text:
        return
    for pattern in (_WEB, _SERVER, _DRIVER, _ORACLE):
        for match in pattern.finditer(view.text):
            password = match[1]
            port_and_path = re.match(r"\d{1,5}/", password)
            if not port_and_path and not _REFERENCE.fullmatch(password) and password.lower() not in words("blank"):
                yield Span(*match.span(1), "password")

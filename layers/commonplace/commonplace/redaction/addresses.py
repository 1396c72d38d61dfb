"""Passwords inside addresses: `postgres://user:password@host`, `https://user:password@host`, `user:password@tcp(host)`."""

import re
from collections.abc import Iterator

from commonplace.redaction.view import HIDDEN, Span, View

# Up to the last "@" of the authority: people put "@", ":" and "/" into passwords without encoding them.
_WEB = re.compile(r"(?i)(?<=://)[^\s/@:\"'<>]{0,200}:([^\s/\"'<>]{1,300})@(?=[\w\[])")
_SERVER = re.compile(r"(?i)(?<=://)(?<!http://)(?<!https://)[^\s/@:\"'<>]{0,200}:([^\s\"'<>]{1,300})@(?=[\w\[])")
_DRIVER = re.compile(r"(?<![\w/:])[\w.\-]{1,60}:([^\s:@/\"']{1,100})@(?:tcp|unix)\(")
_REFERENCE = re.compile(r"[$%{<\[][^\s]*[}>\]%]|\$\w+|\*{3,}|[xX]{3,}|\.{3,}|" + HIDDEN)


def find_addresses(view: View) -> Iterator[Span]:
    """Spans of the passwords in addresses; user and host stay."""
    if "@" not in view.text:
        return
    for pattern in (_WEB, _SERVER, _DRIVER):
        for match in pattern.finditer(view.text):
            password = match[1]
            port_and_path = re.match(r"\d{1,5}/", password)
            if not port_and_path and not _REFERENCE.fullmatch(password):
                yield Span(*match.span(1), "password")

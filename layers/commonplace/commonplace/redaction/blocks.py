"""Private keys as blocks of text: PEM, OpenSSH, PGP, PuTTY; whole, cut off, on one line or quoted."""

import re
from collections.abc import Iterable, Iterator

from commonplace.redaction.view import Span, View

_EDGE = re.compile(r"-{2,5} ?(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{2,5}")
_PUTTY = re.compile(r"Private-Lines: *\d+")
_MAC = re.compile(r"\s*Private-MAC:\s*[0-9a-fA-F]+")
_PIECE = re.compile(r"(?:\\[nrt]|[^\s\\])+|\\")
# Header lines of a block, and the marks that quoting and string literals put around its lines.
_HEADER = re.compile(r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Encryption):[^\n]*")
_WRAPPING = "\"'>|,`"
# A long run, or one that no word of prose looks like: with a digit, a sign, or a capital inside.
_MATERIAL = re.compile(r"(?:[\w+/=\\-]{16,}|(?=[A-Za-z]*[0-9+/=])[\w+/=\\-]+|[A-Za-z]+[a-z][A-Z][A-Za-z]*|\.\.\.|…|>)")


# Every entry of a Kubernetes secret, whatever its name.
_SECRET = re.compile(r"(?:\\n|\b)kind[\"']?\s{0,3}:\s{0,3}[\"']?Secret\b")
_DATA = re.compile(r"(?:\\n|\b)(?:data|stringData)[\"']?\s{0,3}:(?:\\n|[\s{])*(?=[\w\"'])")
_ENTRY = re.compile(r"(?:\\n|[\s,\"'])*([A-Za-z_][\w.-]{0,60})[\"']?\s{0,3}:[ ]{0,3}[\"']?([\w+/=.-]{4,4000})[\"']?")


def find_blocks(view: View) -> Iterator[Span]:
    """Spans of private keys, from the first line (also where it is missing) to the last (also where it is missing)."""
    if "PRIVATE KEY" in view.text:
        yield from _armored(view.text)
    if "Private-Lines" in view.text:
        for match in _PUTTY.finditer(view.text):
            end = _material_end(view.text, match.end())
            mac = _MAC.match(view.text, end)
            yield Span(match.end(), mac.end() if mac else end, "private_key")
    if "Secret" in view.text and _SECRET.search(view.text):
        yield from _manifest(view.text)


def _manifest(text: str) -> Iterator[Span]:
    for data in _DATA.finditer(text):
        at = data.end()
        while (entry := _ENTRY.match(text, at)) and entry[1] not in ("kind", "metadata", "type", "apiVersion"):
            yield Span(*entry.span(2), "token")
            at = entry.end()


def _armored(text: str) -> Iterator[Span]:
    begin: re.Match[str] | None = None
    done = 0
    for edge in _EDGE.finditer(text):
        if edge[1] == "END":
            yield Span(begin.start() if begin else _material_start(text, done, edge.start()), edge.end(), "private_key")
            begin, done = None, edge.end()
        else:
            if begin:
                yield Span(begin.start(), _material_end(text, begin.end()), "private_key")
            begin, done = edge, edge.end()
    if begin:
        yield Span(begin.start(), _material_end(text, begin.end()), "private_key")


def _material_end(text: str, start: int) -> int:
    end = at = start
    while piece := _PIECE.search(text, at):
        header = _HEADER.match(text, piece.start())
        if header:
            at = header.end()
            continue
        bare = piece[0].strip(_WRAPPING)
        if bare and not _MATERIAL.fullmatch(bare):
            break
        at = piece.end()
        end = at if bare else end
    return end


def _material_start(text: str, floor: int, end: int) -> int:
    start = end
    pieces: Iterable[re.Match[str]] = list(_PIECE.finditer(text, floor, end))
    for piece in reversed(list(pieces)):
        if not _MATERIAL.fullmatch(piece[0].strip(_WRAPPING) or ">"):
            break
        start = piece.start()
    return start

"""Private keys: as blocks of text (PEM, OpenSSH, PGP), as recovery phrases, and those whose checksum tells them."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from unicodedata import normalize

from commonplace.text.foundation.characters import LETTERS, bare_in_place
from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import compiled, words

_LANGUAGES = ("english", "spanish", "french", "italian", "japanese")
_BETWEEN = re.compile(r"(?:[\s,;|/\-\"'`.):]|\d{1,2}(?!\d))+")
_NEAR = 40
_LENGTHS = (12, 15, 18, 21, 24)
_LEAST, _LEAST_ANNOUNCED = 12, 6
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_STANDS_ALONE = r"(?<![A-Za-z0-9])(?:{})(?![A-Za-z0-9])"
_CHECKED = re.compile(_STANDS_ALONE.format(f"[5KL9c][{_BASE58}]{{50,51}}|[a-z]prv[{_BASE58}]{{107}}"))
_HEX = re.compile(_STANDS_ALONE.format("(?:0x)?[0-9a-fA-F]{64}"))
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


@cache
def _vocabularies() -> tuple[frozenset[str], ...]:
    from mnemonic import Mnemonic

    lists = [Mnemonic(language).wordlist for language in _LANGUAGES]
    return tuple(frozenset(bare_in_place(normalize("NFKC", word)) for word in words) for words in lists)


def find_wallets(view: View) -> Iterator[Span]:
    """Spans of recovery phrases (announced: from 6 words on; else 12) and of private keys of wallets."""
    yield from _phrases(view)
    for match in _CHECKED.finditer(view.text):
        if _checks(match[0]):
            yield Span(*match.span(), "wallet_key")
    for match in _HEX.finditer(view.text):
        if compiled("keys.hex_word").search(view.folded, max(0, match.start() - 60), match.start()):
            yield Span(*match.span(), "wallet_key")


def _phrases(view: View) -> Iterator[Span]:
    announced: list[int] | None = None
    for found in _stretches(view.folded):
        if len(found) < _LEAST_ANNOUNCED:
            continue
        if announced is None:
            announced = [match.end() for match in compiled("keys.announced").finditer(view.folded)]
        ends = [end for end in announced if found[0].start() - _NEAR < end <= found[-1].start()]
        near = bool(ends)
        found = [word for word in found if word.start() >= ends[0]] if ends else found
        if near and len(found) in _LENGTHS and found[0].start() - ends[0] < 8:
            # A full phrase right behind its name, also from a list of found that is not among ours.
            yield Span(found[0].start(), found[-1].end(), "recovery_phrase")
            continue
        least = _LEAST_ANNOUNCED if near else _LEAST
        if len(found) < least:
            continue
        for vocabulary in _vocabularies():
            for first, last in _members([word[0] in vocabulary for word in found], least):
                # A phrase of twelve whose last word is misspelt, or is in another list.
                last = len(found) - 1 if near and len(found) - first in _LENGTHS else last
                if near or not _is_talk(found[first : last + 1]):
                    yield Span(found[first].start(), found[last].end(), "recovery_phrase")


def _is_talk(found: list[re.Match[str]]) -> bool:
    # The lists have "just", "one", "more", "that", "you": a sentence may be made of nothing else.
    common = words("function", "qualifier", "filler", "leadin", "remark", "number")
    return sum(word[0] in common for word in found) * 5 >= len(found) * 2


def _stretches(text: str) -> Iterator[list[re.Match[str]]]:
    # Words of the length that the lists have, with nothing but blanks, commas and numbering between them. In a
    # sentence "I", "a", "to", "of" come between long before the twelfth: the lists are not even loaded.
    stretch: list[re.Match[str]] = []
    for word in LETTERS.finditer(text):
        fits = (3 if word[0].isascii() else 2) <= len(word[0]) <= 8
        if stretch and not (fits and _BETWEEN.fullmatch(text, stretch[-1].end(), word.start())):
            yield stretch
            stretch = []
        if fits:
            stretch.append(word)
    yield stretch


def _members(flags: list[bool], least: int) -> Iterator[tuple[int, int]]:
    first: int | None = None
    last = count = 0
    for place, member in enumerate([*flags, False, False]):
        if member:
            first, last, count = (place if first is None else first), place, count + 1
        elif first is not None and (place - last > 1 or count < least):
            # One word that is not in the list may be a slip of the pen, once the rest has shown what it is.
            if count >= least:
                yield first, last
            first, count = None, 0


def _checks(key: str) -> bool:
    number = 0
    for char in key:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


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

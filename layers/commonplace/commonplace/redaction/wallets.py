"""Keys of wallets: recovery phrases of BIP-39 words, private keys whose checksum tells them."""

import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from unicodedata import normalize

from commonplace.redaction.view import Span, View, fold
from commonplace.redaction.vocabulary import words

_LANGUAGES = ("english", "spanish", "french", "italian", "japanese")
_ANNOUNCED = re.compile(
    r"(?:seed|recovery|backup|mnemonic|secret|wallet)[ -]?(?:phrase|words?)|mnemonic|(?:12|24|twelve|twenty.four) words"
    r"|frase (?:semilla|de recuperacion|de respaldo|mnemonica|secreta)|(?:12|24) palabras"
    r"|(?:seed|wiederherstellungs|mnemonic)-?\s?(?:phrase|worter|satz)|(?:12|24) worter"
    r"|phrase (?:de recuperation|secrete|mnemonique|de recup|seed)|(?:12|24) mots"
    r"|(?:words|palabras|worter|mots) (?:of|for|from|to|de|del|du|der|des|vom|von|zur|zum|fur|pour) [^\n:.]{0,16}(?:wallet|ledger"
    r"|trezor|metamask|billetera|cartera|monedero|portefeuille|recover|recuperaci|wiederherst)|(?:wallet|ledger|trezor|metamask)(?:'s)? words"
    r"|(?<![a-z])(?:(?:my|the|mis|las|meine|die|mes|les)\s){1,2}(?:words|palabras|worter|mots)(?=\s?:)|(?:doce|veinticuatro) palabras|(?:zwolf|vierundzwanzig) worter|(?:douze|vingt-quatre) mots|(?:12|24)(?:個の)?単語"
    r"|(?:リカバリー|シード|復元|ニーモニック)(?:フレーズ|ワード)?"
)
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"(?:[\s,;|/\-\"'`.):]|\d{1,2}(?!\d))+")
_NEAR = 40
_LENGTHS = (12, 15, 18, 21, 24)
_LEAST, _LEAST_ANNOUNCED = 12, 6
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_CHECKED = re.compile(
    r"(?<![A-Za-z0-9])(?:[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}|[a-z]prv[1-9A-HJ-NP-Za-km-z]{107})(?![A-Za-z0-9])"
)
_HEX = re.compile(r"(?<![A-Za-z0-9])(?:0x)?[0-9a-fA-F]{64}(?![A-Za-z0-9])")
_HEX_WORD = re.compile(
    r"priv(?:ate)?[ _-]?key|wallet[ _-]?key|secret[ _-]?(?:exponent|key)|clave privada|llave privada"
    r"|(?:privater?|geheimer?) schlussel|cle privee|秘密鍵|プライベートキー"
)


@cache
def _vocabularies() -> tuple[frozenset[str], ...]:
    from mnemonic import Mnemonic

    lists = [Mnemonic(language).wordlist for language in _LANGUAGES]
    return tuple(frozenset(fold(normalize("NFKC", word)) for word in words) for words in lists)


def find_wallets(view: View) -> Iterator[Span]:
    """Spans of recovery phrases (announced: from 6 words on; else 12) and of private keys of wallets."""
    yield from _phrases(view)
    for match in _CHECKED.finditer(view.text):
        if _checks(match[0]):
            yield Span(*match.span(), "wallet_key")
    for match in _HEX.finditer(view.text):
        if _HEX_WORD.search(view.folded, max(0, match.start() - 60), match.start()):
            yield Span(*match.span(), "wallet_key")


def _phrases(view: View) -> Iterator[Span]:
    announced: list[int] | None = None
    for found in _stretches(view.folded):
        if len(found) < _LEAST_ANNOUNCED:
            continue
        if announced is None:
            announced = [match.end() for match in _ANNOUNCED.finditer(view.folded)]
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
    for word in _WORD.finditer(text):
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

"""A text as sentences of plain words: lower case, no accents, contractions written out, every digit a zero."""

import re
import unicodedata

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_STOPS = frozenset("!.?;。！？…")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*|[?!.;:,…¿¡。！？、，]|[\U0001F300-\U0001FAFF\u2600-\u27BF]")
_DIGIT = re.compile(r"\d")
_QUOTES = str.maketrans("’‘`´“”", "''''\"\"")
_LAST_FOLDED = "\u058f"  # Latin, Greek, Cyrillic, Armenian: beyond them a mark is part of the letter
# What one of these is found in may hold a contraction; everything else skips the rewriting.
_CONTRACTED = re.compile(r"'|nt\b|\b(?:im|ive|gonna|wanna|gotta)\b")
_REWRITES = [
    (re.compile(pattern), written_out)
    for pattern, written_out in (
        (r"\s+'\s?(?=(?:m|s|re|ve|ll|d|t)\b)", "'"),
        (r"\b(?:can't|cannot|cant)\b", "can not"),
        (r"\b(?:won't|wont)\b", "will not"),
        (r"n't\b", " not"),
        (r"\b(do|does|did|is|was|have|has|are|should|would|could)nt\b", r"\1 not"),
        (r"\b(?:i'm|im)\b", "i am"),
        (r"\bive\b", "i have"),
        (r"'re\b", " are"),
        (r"'ve\b", " have"),
        (r"'ll\b", " will"),
        (r"'d\b", " would"),
        (r"\bgonna\b", "going to"),
        (r"\bwanna\b", "want to"),
        (r"\bgotta\b", "got to"),
    )
]


def normal(text: str) -> str:
    """The text in the one spelling that the cue table and the features are written in."""
    plain = _folded(unicodedata.normalize("NFKC", text).translate(_QUOTES).lower())
    if _CONTRACTED.search(plain) or "cannot" in plain:
        for pattern, written_out in _REWRITES:
            plain = pattern.sub(written_out, plain)
    return _DIGIT.sub("0", plain)


def words(plain: str) -> list[str]:
    """The words and the marks of a text that `normal` has been over."""
    return _WORD.findall(plain)


def sentences(plain: str) -> list[list[str]]:
    """The words by sentence, each with its closing mark; one empty sentence where there is no word at all."""
    found: list[list[str]] = [[]]
    for word in words(plain):
        found[-1].append(word)
        if word in _STOPS:
            found.append([])
    return [sentence for sentence in found if any(word not in _STOPS for word in sentence)] or [[]]


def _folded(text: str) -> str:
    if text.isascii():
        return text
    return "".join(char if char > _LAST_FOLDED else _bare(char) for char in text)


def _bare(char: str) -> str:
    return "".join(part for part in unicodedata.normalize("NFKD", char) if unicodedata.category(part) != "Mn")

"""Detect scripts by their characters. Remove accents and invisible characters, and straighten apostrophes."""

import re
import unicodedata

# Parts of character classes, without their brackets.
HIRAGANA = r"\u3041-\u309f"
KANA = r"\u3041-\u30ff"
HAN = r"\u3400-\u9fff"
HANGUL = r"\uac00-\ud7af"
UNSPACED = rf"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff{KANA}{HAN}\uf900-\ufaff"
"""The scripts without spaces between words, which are Thai, Lao, Burmese, Khmer, Japanese and Chinese."""

LETTERS = re.compile(r"[^\W\d_]+")
"""Matches a run of letters."""
WORD = re.compile(r"[^\W_]+")
"""Matches a run of letters and digits."""

_KANA, _KANA_OR_HAN = re.compile(f"[{KANA}]"), re.compile(f"[{KANA}{HAN}]")
_MARKS = re.compile("[\u0300-\u036f]")
_DISGUISES = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_APOSTROPHES = "\u2018\u2019\u02bc\u00b4"


def has_kana(text: str) -> bool:
    return _KANA.search(text) is not None


def has_kana_or_han(text: str) -> bool:
    """Return whether a text contains Japanese or Chinese characters."""
    return _KANA_OR_HAN.search(text) is not None


def straight(text: str) -> str:
    """Replace each curly apostrophe (’) with a straight one. Every character keeps its position."""
    return text.replace("’", "'")


def undisguised(text: str) -> str:
    """Return the text without invisible tag characters and direction controls, which can hide text from readers."""
    return text if text.isascii() else _DISGUISES.sub("", text)


def bare(text: str) -> str:
    """Return the text in lower case, without accents and other marks. `ß` becomes "ss". The length may change."""
    lower = text.casefold()
    if lower.isascii():
        return lower
    unmarked = _MARKS.sub("", unicodedata.normalize("NFD", lower).replace("ı", "i"))
    return unicodedata.normalize("NFC", unmarked)


def _build_unmarking_table() -> dict[int, str]:
    """Map Latin letters to lower case without marks. Other letters keep theirs, because "ga" would become "ka"."""
    table = {}
    for code in range(0xC0, 0x250):
        base = unicodedata.normalize("NFD", chr(code))[0].lower()
        table[code] = base if len(base) == 1 else chr(code)
    return table | {ord(char): "'" for char in _APOSTROPHES}


_UNMARKED = _build_unmarking_table()


def bare_in_place(text: str) -> str:
    """Return the text in lower case, without Latin accents and with straight apostrophes. The length doesn't change."""
    if text.isascii():
        return text.lower()
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lowered.translate(_UNMARKED)

"""Words as they are compared: lower case and bare of marks."""

import re
import unicodedata

_MARKS = re.compile("[\u0300-\u036f]")


def fold(text: str) -> str:
    """Lower case without the marks of Latin, Greek and Cyrillic letters."""
    lower = text.casefold()
    if lower.isascii():
        return lower
    bare = _MARKS.sub("", unicodedata.normalize("NFD", lower).replace("ı", "i"))
    return unicodedata.normalize("NFC", bare)

"""Quotations: long ones, and short ones of what somebody said. A title or a quoted word in an own sentence stays own."""

import re
from collections.abc import Iterator

from commonplace.extraction.own_words.cues import cue
from commonplace.extraction.own_words.view import Span

_CLOSING = {
    '"': '"', "“": "”“", "„": "“”", "”": "”", "«": "»", "»": "«", "‹": "›", "「": "」", "『": "』", "‘": "’", "'": "'",
}  # fmt: skip
_OPENING = re.compile(r"""(?<![\w\ue000])["'‘“”„«»‹](?=[^\s,.;:!?)])|["“„«](?=\s[^\n]{3,80}\s»)|[「『]""")
_ELISION = re.compile(r"['‘’](?:cause|em|til|bout|round|n|twas|tis|cos|cuz|s|\d)", re.IGNORECASE)
_REACH = 4_000
_SINGLE_REACH = 400
_SAID_BEFORE, _SAID_AFTER = 40, 30
# The most that a title has, or a phrase that somebody uses in a sentence of their own.
_FEW_WORDS, _TITLE_WORDS, _FEW_LETTERS = 5, 12, 16
_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_SMALL = frozenset(
    "of the a an and or in on at to for with from by de la le les du des el los y der die das und van het".split()
)


def find_quotations(view: str) -> Iterator[Span]:
    """Quotations with their marks."""
    at = 0
    while opening := _OPENING.search(view, at):
        end = _end(view, opening.start())
        if end and _is_foreign(view, opening.start(), end):
            yield Span(opening.start(), end)
        at = end or opening.end()


def _end(view: str, start: int) -> int:
    """Where the quotation that opens there ends, 0 if nowhere. Over several paragraphs only the last closes."""
    mark = view[start]
    if mark in "'‘":
        return _single_end(view, start)
    limit = min(len(view), start + _REACH)
    ends = [end for closing in _CLOSING[mark] if (end := view.find(closing, start + 1, limit)) > 0]
    if mark == '"':
        ends = [end for end in ends if not view[end - 1 : end].isspace() and not view[end + 1 : end + 2].isalnum()]
    if ends:
        return min(ends) + 1
    first = start == 0 or view[start - 1] == "\n"
    if not first and mark in '"”»':
        return 0
    paragraph = view.find("\n\n", start)
    return paragraph if paragraph >= 0 else len(view)


def _single_end(view: str, start: int) -> int:
    """An apostrophe is no quotation mark: the closing one stands behind a word and before none."""
    if _ELISION.match(view, start):
        return 0
    for end in range(start + 2, min(len(view), start + _SINGLE_REACH)):
        if view[end] == "\n":
            return 0
        if view[end] in "'’" and not view[end - 1].isspace() and not view[end + 1 : end + 2].isalnum():
            return end + 1
    return 0


def _is_foreign(view: str, start: int, end: int) -> bool:
    text = view[start + 1 : end - 1].strip()
    words = text.split()
    if _UNSPACED.search(text):
        few, longest = len(text) <= 4, len(text) <= _FEW_LETTERS
    else:
        few, longest = len(words) < 3, len(words) <= (_TITLE_WORDS if _is_title(words) else _FEW_WORDS)
    return not longest or (not few and (_is_said(view, start, end) or _stands_alone(view, start, end)))


def _is_title(words: list[str]) -> bool:
    return all(word[:1].isupper() or word[:1].isdigit() or word.lower() in _SMALL for word in words)


def _is_said(view: str, start: int, end: int) -> bool:
    before = view[max(0, start - _SAID_BEFORE) : start].rpartition("\n")[2]
    return bool(cue("said_before").search(before) or cue("said_after").match(view[end : end + _SAID_AFTER]))


def _stands_alone(view: str, start: int, end: int) -> bool:
    """Whether it is all there is in its line, but for a mark of who said it."""
    before = view[max(0, start - 1) : start]
    after = view[end : end + 1]
    return before in ("", "\n") and after in ("", "\n")

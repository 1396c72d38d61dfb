"""Backup codes in a list: "codes de secours : hbcks-vgnxg zcq3l-44uhv", "backup codes 1. 7882 8124 2. 6258 5875"."""

import re
from collections.abc import Iterator

from commonplace.redaction.view import Span, View

_ANNOUNCED = re.compile(
    r"(?:(?:back ?up|recovery|rescue|emergency|scratch|2fa|one[- ]time|single[- ]use)[ -]codes|(?:sicherungs|wiederherstellungs|backup-?|not(?:fall)?"
    r"|ersatz|einmal|recovery-?)codes|tan-?(?:liste|block)|codes de (?:secours|recuperation|sauvegarde|recup|backup)"
    r"|codigos de (?:respaldo|recuperacion|seguridad|emergencia|reserva|backup|un solo uso)"
    r"|(?:バックアップ|リカバリー|復旧|予備の?)コード)"
)
_AHEAD = re.compile(r"[^\n.!?:\d]{0,40}?(?:[:：]|\s-|(?=\s\d{1,2}[.)]\s)|は)")
_NUMBERING = re.compile(r"[\s,;/|•*·-]*(?:\d{1,2}[.)]\s{1,2}|#\d{1,2}:?\s)?")
_ITEM = re.compile(
    r"\d{4} \d{4}(?!\w)|\d{3} \d{3}(?!\w)|[a-z0-9]{3,8}(?:-[a-z0-9]{3,8}){1,3}(?![\w-])|[a-z0-9]{6,12}(?![\w-])"
)
_SHAPE = re.compile(r"[a-z0-9]")
_FEWEST, _MOST = 2, 40


def find_listings(view: View) -> Iterator[Span]:
    """Spans of backup codes in a list, each its own."""
    if not re.search(r"\d", view.text):
        return
    for announced in _ANNOUNCED.finditer(view.folded):
        ahead = _AHEAD.match(view.folded, announced.end())
        if ahead:
            for start, end in _items(view.folded, ahead.end()):
                yield Span(start, end, "one_time_code")


def _items(text: str, at: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    shape = ""
    while len(found) < _MOST:
        numbering = _NUMBERING.match(text, at)
        item = _ITEM.match(text, numbering.end() if numbering else at)
        if not item or (found and _SHAPE.sub("x", item[0]) != shape):
            break
        shape = _SHAPE.sub("x", item[0])
        found.append(item.span())
        at = item.end()
    figures = any(re.search(r"\d", text[start:end]) for start, end in found)
    return found if len(found) >= _FEWEST and figures else []

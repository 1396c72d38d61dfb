"""Codes beside what they open or from where they came: in words, in lists, by a text message."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from commonplace.text.foundation.numbers import said_digits
from commonplace.text.redaction.openers import is_like_year_or_price, stands_alone
from commonplace.text.redaction.values import tokens
from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import compiled, either, words

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.,:/#$€£+-])(?<!\d\s)(?:\d{3}[ -]\d{3}|\d{4,8})(?![a-z0-9%€$£]|[ .,:/-]{1,2}\d)")
_LEFT, _RIGHT = 60, 90

_WORD = re.compile(r"[a-zß]+")
_BETWEEN = re.compile(r",?[\s-]{1,2}")
_BEHIND = re.compile(r"([a-z']+)[\s,\"]{1,3}$|[:=]\s?$")
_FEWEST, _OPENED_BEFORE, _OPENED_AFTER = 4, 60, 60
_AHEAD = re.compile(r"[^\n.!?:\d]{0,40}?(?:[:：]|\s-|(?=\s\d{1,2}[.)]\s)|は)")
_NUMBERING = re.compile(r"[\s,;/|•*·-]*(?:\d{1,2}[.)]\s{1,2}|#\d{1,2}:?\s)?")
_ITEM = re.compile(
    r"\d{4} \d{4}(?!\w)|\d{3} \d{3}(?!\w)|[a-z0-9]{3,8}(?:-[a-z0-9]{3,8}){1,3}(?![\w-])|[a-z0-9]{6,12}(?![\w-])"
)
_SHAPE = re.compile(r"[a-z0-9]")
_FEWEST_LISTED, _MOST = 2, 40


def find_arrivals(view: View) -> Iterator[Span]:
    """Spans of numbers that are said to have come in, and to be typed in soon."""
    for match in _NUMBER.finditer(view.folded):
        start, end = match.span()
        came = compiled("codes.before").search(view.folded, max(0, start - _LEFT), start) or compiled("codes.after").match(
            view.folded, end
        )
        if not came:
            continue
        near = view.folded[max(0, start - _LEFT) : end + _RIGHT]
        medium, hurry = compiled("codes.medium").search(near) is not None, compiled("codes.hurry").search(near) is not None
        if not (medium and hurry if len(match[0]) < 6 else medium or hurry) or is_like_year_or_price(match[0]):
            continue
        if (
            compiled("codes.after").match(view.folded, end)
            or compiled("codes.steps").match(view.folded, end)
            or stands_alone(view, start, end)
        ):
            yield Span(start, end, "one_time_code")


def find_said(view: View) -> Iterator[Span]:
    """Spans of four or more figures in words, where a lock is near and something leads to them."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(view.folded):
        if run and not (word[0] in said_digits() and _BETWEEN.fullmatch(view.folded, run[-1].end(), word.start())):
            yield from _code(view, run)
            run = []
        if word[0] in said_digits():
            run.append(word)
    yield from _code(view, run)


def _code(view: View, run: list[re.Match[str]]) -> Iterator[Span]:
    if len(run) < _FEWEST:
        return
    start, end = run[0].start(), run[-1].end()
    values = [said_digits()[word[0]] for word in run]
    steps = {after - before for before, after in pairwise(values)}
    # "eins zwei drei vier": somebody counts.
    if steps in ({1}, {-1}):
        return
    near = view.folded[max(0, start - _OPENED_BEFORE) : end + _OPENED_AFTER]
    behind = _BEHIND.search(view.folded, max(0, start - 20), start)
    leads = behind and (
        behind[1] is None or behind[1] in words("link", "with_it", "enter", "typing", "lock_links", "in_again", "at")
    )
    following = tokens(view, end, 1)
    counted = following and following[0].word in words("unit")
    if leads and not counted and _lock().search(near):
        yield Span(start, end, "code")


@cache
def _lock() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![a-z])(?:[a-z]{{0,12}}?(?:{either(sorted(words('locks')))})|parking|handy|movil|telephone|phone)(?![a-z])"
    )


def find_listings(view: View) -> Iterator[Span]:
    """Spans of backup codes in a list, each its own."""
    if not re.search(r"\d", view.text):
        return
    for announced in compiled("codes.announced").finditer(view.folded):
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
    return found if len(found) >= _FEWEST_LISTED and figures else []

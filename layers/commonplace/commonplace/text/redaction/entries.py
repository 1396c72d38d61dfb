"""What one gets in with, behind a verb: "the laptop unlocks with kestrel.over.the.weir", "I type x to log in"."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.text.redaction.openers import SERIES, is_like_year_or_price, stands_alone
from commonplace.text.redaction.values import digits, is_branded, is_mixed, is_passphrase, quoted, tokens
from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import compiled, either, expression, words

_KEYS_PRESSED = re.compile(r"(?:ctrl|alt|cmd|shift|win|strg|fn|maj|option)[+-]")
_COUNTED = "0123456789 9876543210"
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
_JOINTS = ("/", "&", "+")
_OF_DOCUMENT = 30


def find_entries(view: View) -> Iterator[Span]:
    """Spans of what something is unlocked or entered with."""
    if _with_it().search(view.folded):
        for pattern in _entries():
            yield from _ways_in(view, pattern)
    if " what " in view.folded:
        yield from _ways_in(view, _what_is_used())
    if _typing().search(view.folded):
        yield from _ways_in(view, _typed())
        yield from _ways_in(view, _to_get_in())


@cache
def _entries() -> tuple[re.Pattern[str], ...]:
    # German has its verb in two, the second part behind: "schaltet man mit 85213 aus", "kommt man mit 4471 rein".
    with_it, again = either(sorted(words("with_it"))), either(sorted(words("in_again")))
    reach = rf"[^\d\n.!?;]{{0,40}}?\s(?:{with_it})\s(?:(?:the|el|la|le|der|dem|den)\s)?(?:{expression('openers.code')}\s)?(?=(?P<value>\d(?: \d){{2,9}}|\S{{3,80}}))"
    whole = rf"(?<![a-z])(?:s')?(?P<verb>{either(sorted(words('unlocking', 'entering')))})[a-zß]{{0,6}}{reach}"
    behind = rf"(?=(?:\S{{2,40}}\sund\s)?(?:\S{{3,40}}|\d(?: \d){{2,9}})\s(?:{again})(?![a-z]))"
    parted = rf"(?<![a-z])(?P<verb>{either(sorted(words('parted')))}){reach}{behind}"
    return re.compile(whole), re.compile(parted)


@cache
def _with_it() -> re.Pattern[str]:
    return re.compile(rf"\s(?:{either(sorted(words('with_it')))})\s")


@cache
def _typing() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{either(sorted(words('typing', 'using')))})\s")


@cache
def _typed() -> re.Pattern[str]:
    verbs = either(sorted(words("unlocking", "entering")))
    return re.compile(
        rf"(?<![a-z])(?:(?P<used>{either(sorted(words('using')))})|{either(sorted(words('typing')))})\s"
        rf"(?=(?P<value>\S{{6,80}})\s(?:to|para|pour|um)\s(?:(?:mich|sich|dich|me|te|se|vous)\s)?(?P<verb>{verbs}))"
    )


@cache
def _what_is_used() -> re.Pattern[str]:
    # "teapot-Gorilla-55 is what I log into the site with"
    verbs = either(sorted(words("unlocking", "entering", "typing")))
    return re.compile(rf"(?<!\S)[\"'“]?(?P<value>\S{{6,80}})\s(?:is|was)\swhat\s(?:i|we|you|he|she|they)\s(?P<verb>{verbs})")


@cache
def _to_get_in() -> re.Pattern[str]:
    # "to decrypt the archive use seven-lemon-trucks"
    verbs, use = either(sorted(words("unlocking", "entering"))), either(sorted(words("using", "typing")))
    return re.compile(
        rf"(?<![a-z])(?:to|para|pour|um|zum)\s(?P<verb>{verbs})[^\d\n.!?;]{{0,30}}?\s(?:{use})\s(?P<value>\S{{6,80}})"
    )


def _ways_in(view: View, pattern: re.Pattern[str]) -> Iterator[Span]:
    for match in pattern.finditer(view.folded):
        if compiled("entries.fails").search(match[0]):
            continue
        loose = match["verb"] in words("loose") or (match.groupdict().get("used") and match["verb"] not in words("entering"))
        if loose and compiled("entries.document").search(view.folded, max(0, match.start() - _OF_DOCUMENT), match.start()):
            loose = False
        value = _value(view, match.start("value"), not loose)
        if value:
            yield Span(*value, "password" if match["verb"] in words("entering") else "code")


def _value(view: View, at: int, words_too: bool) -> tuple[int, int] | None:
    parts = tokens(view, at, 3)
    joint = len(parts) == 3 and (parts[1].text in _JOINTS or parts[1].text in words("and"))
    if words_too and joint and _is_made_up(parts[2].text):
        return parts[2].start, parts[2].end
    inside = quoted(view, parts[0].raw_start)
    if inside:
        return inside if words_too or is_mixed(view.text[slice(*inside)]) else None
    number = digits(view, parts[0].start, 3)
    if number:
        text = view.text[slice(*number)]
        enough = sum(map(str.isdigit, text)) >= 4
        # "it opened with 4 3 2 1": a countdown, "opens with 1 9 4 4" is none.
        if " " in text and not words_too and (not enough or text.replace(" ", "") in _COUNTED):
            return None
        if SERIES.fullmatch(text):
            return number
        return number if enough and not is_like_year_or_price(text) and stands_alone(view, *number) else None
    text = parts[0].text
    signed = len(text) >= 8 and (is_passphrase(text) or re.search(r"[^\w.-]|_", text[:-1]) is not None)
    return (parts[0].start, parts[0].end) if (words_too or signed) and _is_made_up(parts[0].text) else None


def _is_made_up(text: str) -> bool:
    named = _KEYS_PRESSED.match(text.lower()) or is_branded(text)
    return not named and not _CONSTANT.fullmatch(text) and len(text) >= 6 and (is_mixed(text) or is_passphrase(text))

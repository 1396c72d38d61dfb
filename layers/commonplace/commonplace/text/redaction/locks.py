"""Codes of locks, where the lock is named and no code, and combinations that are turned: "the safe: R14 L32 R7"."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.text.redaction.openers import FIGURES, NUMBER, SERIES, is_like_year_or_price, stands_alone
from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import compiled, either, expression, words

# "the lockbox is left of the door, combo 6038", "screen time on the ipad is 8140", "Fahrradschloss: 7-2-9-4"
_SAID = (
    r"(?:\s?[:=→]|'s\s|[\s(,](?:{links})(?:\s(?:{fillers})){{0,2}}:?|\s(?=\d{{1,2}}(?:-\d{{1,2}}){{2}}))\s?"
    r"(?:the\s|el\s|le\s|die\s)?"
)
_LIKE_TIME = re.compile(r"(?:[01]?\d|2[0-3])[ .]?[0-5][05]")

_FIGURE = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_REACH, _FEWEST = 70, 3


def find_locks(view: View) -> Iterator[Span]:
    """Spans of codes behind or before the name of what they open."""
    if not (FIGURES.search(view.text) and _lock().search(view.folded)):
        return
    for pattern in _shown():
        for match in pattern.finditer(view.folded):
            yield Span(*match.span("value"), "code")
    for pattern in _told():
        for match in pattern.finditer(view.folded):
            if _is_code(view, match):
                yield Span(*match.span("value"), "code")


@cache
def _lock() -> re.Pattern[str]:
    return re.compile(f"{_locks()}|combo|parking")


@cache
def _locks() -> str:
    return either(sorted(words("locks")))


@cache
def _shown() -> tuple[re.Pattern[str], ...]:
    own = rf"(?:(?:{either(sorted(words('own')))})\s|l')?(?:[a-z'ß]{{2,15}}\s)?"
    enter = either(sorted(words("enter")))
    keyed, opens = expression("locks.keyed"), either(sorted(words("opens")))
    return (
        # "Gartentor 4471 und Raute"
        re.compile(rf"(?<![a-z])[a-zß]{{0,12}}?(?:{_locks()})\s{NUMBER}\s(?:{expression('locks.press')})(?![a-z])"),
        # "key safe left of the porch, 2719 opens it"
        re.compile(
            rf"(?:{_locks()})(?![a-z])[^\d\n.!?]{{0,50}}[,:;(]\s{NUMBER}\s(?:{opens})\s"
            r"(?:it|that|them|la|lo|es|ihn|sie|both)(?![a-z])"
        ),
        # "Schlüsseltresor neben der Tür, 4431, danach wieder rein"
        re.compile(
            rf"{expression('locks.key_box')}(?![a-z])"
            r"[^\d\n.!?]{0,50}[,:;(]\s(?P<value>(?!(?:19|20)\d\d)\d{4,6})(?=[,.;!)]|$)"
        ),
        # "para el garaje hay que marcar el 7729"
        re.compile(
            rf"(?<![a-z])(?:for|para|pour|furs?)\s{own}(?:{_locks()}|parking)\s[^\d\n.!?]{{0,25}}?(?<![a-z])(?:{enter}|faire)\s"
            rf"(?:the\s|el\s|le\s|die\s)?{NUMBER}(?=[.,;!?\s]|$)"
        ),
        # "so give her 5582 for the keypad"
        re.compile(rf"(?:give|tell|text|send)\s(?:her|him|them|me|us)\s{NUMBER}\sfor\s{own}{keyed}"),
    )


@cache
def _told() -> tuple[re.Pattern[str], ...]:
    links, fillers = either(sorted(words("lock_links", "enter"))), either(sorted(words("filler")))
    said = _SAID.format(links=links, fillers=fillers)
    return (
        re.compile(rf"(?<![a-z])[a-zß]{{0,12}}?(?P<lock>{_locks()})(?![a-z])[^\d\n.!?]{{0,60}}?{said}{NUMBER}"),
        re.compile(
            rf"(?<![a-z])[a-zß]{{0,12}}?(?P<lock>{_locks()})\s{expression('locks.where')}\s{NUMBER}(?=[,.;!)]|$|\s(?:and|und|et|y|you|du|t'as|tienes|danach|puis|despues)\s)"
        ),
        # "si t'arrives avant moi : portail 7714, l'appart est ouvert"
        re.compile(
            rf"(?<![a-z])[a-zß]{{0,12}}?(?P<lock>{expression('locks.by_name')})\s{NUMBER}(?<!00)(?=[,.;!)](?!\d)|$|\s(?:{expression('locks.press')}|einstellen|et|puis|dann)(?![a-z]))"
        ),
        # "the safe opens with mum's birthday, 061187"
        re.compile(
            rf"(?<![a-z])[a-zß]{{0,12}}?(?P<lock>{_locks()})(?![a-z])[^\d\n.!?]{{0,60}}?{expression('locks.birthday')}"
            rf"(?![a-z])[^\d\n.!?]{{0,20}}[,:(]\s?{NUMBER}(?=[,.;!)]|$)"
        ),
        # "my wife set our alarm to 8055"
        re.compile(
            r"(?<![a-z])(?:set|changed|reset|puse|cambie|stelle|mis)\s(?:[a-z]{2,7}\s){1,2}"
            rf"(?P<lock>{_locks()})\s(?:to|a|en|auf|sur)\s{NUMBER}"
        ),
    )


def _is_code(view: View, match: re.Match[str]) -> bool:
    value = match["value"].strip("#*")
    if SERIES.fullmatch(value) or re.search(r"[a-z]", value):
        return True
    # "my locker number is 214": what it is called, not what opens it.
    if compiled("locks.called").search(view.folded, match.end("lock"), match.start("value")):
        return False
    at_a_time = match["lock"].startswith("alarm") and _LIKE_TIME.fullmatch(value)
    # "locker is 214": of three figures only what is turned.
    short = len(value) < 4 and not match["lock"].endswith(("lock", "suitcase", "schloss", "koffer", "cadenas", "candado"))
    return not at_a_time and not short and not is_like_year_or_price(value) and stands_alone(view, *match.span("value"))


def find_turns(view: View) -> Iterator[Span]:
    """Spans of what a dial is turned to, where a lock is named before it."""
    if len(_FIGURE.findall(view.text)) < _FEWEST:
        return
    for match in compiled("locks.turns").finditer(view.folded):
        before = view.folded[max(0, match.start() - _REACH) : match.start()]
        if re.search(rf"(?<![a-z])[a-zß]{{0,12}}?(?:{either(sorted(words('locks')))}|combo)(?![a-z])", before):
            yield Span(*match.span(), "code")

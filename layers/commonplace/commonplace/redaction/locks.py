"""Codes of locks, where the lock is named and no code: "bike lock: 7-2-9-4", "the safe: R14 L32 R7"."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.redaction.openers import FIGURES, NUMBER, SERIES, is_like_year_or_price, stands_alone
from commonplace.redaction.view import Span, View
from commonplace.redaction.vocabulary import either, words

# "the lockbox is left of the door, combo 6038", "screen time on the ipad is 8140", "Fahrradschloss: 7-2-9-4"
_SAID = (
    r"(?:\s?[:=→]|'s\s|[\s(,](?:{links})(?:\s(?:{fillers})){{0,2}}:?|\s(?=\d{{1,2}}(?:-\d{{1,2}}){{2}}))\s?"
    r"(?:the\s|el\s|le\s|die\s)?"
)
_PRESS = (
    r"eingeben|eintippen|drucken|wahlen|tippen|und (?:raute|stern)|(?:then|and) (?:hash|star|pound|enter|press)"
    r"|y (?:almohadilla|campan\w+|asterisco)|(?:puis|et) (?:etoile|diese|la cloche|la clochette)"
)
_LIKE_TIME = re.compile(r"(?:[01]?\d|2[0-3])[ .]?[0-5][05]")
_CALLED = re.compile(r"(?<![a-z])(?:number|no\.?|nr\.?|nummer|numero|model|modell?o?|unit)(?![a-z])")
# "R14 L32 R7", "14 right, 32 left, 7 right"
_SIDE = r"(?:left|right|links|rechts|izquierda|derecha|gauche|droite|izq|der|l|r)"
_TURNS = (
    rf"(?P<value>{_SIDE}[\s-]?\d{{1,2}}(?:[\s,;/-]{{1,3}}(?:then\s)?{_SIDE}[\s-]?\d{{1,2}}){{2,4}}(?!\d)"
    rf"|\d{{1,2}}[\s-]?{_SIDE}(?:[\s,;/-]{{1,3}}(?:then\s)?\d{{1,2}}[\s-]?{_SIDE}){{2,4}}(?![a-z]))"
)


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
    return re.compile(f"{_locks()}|combo")


@cache
def _locks() -> str:
    return either(sorted(words("locks")))


@cache
def _shown() -> tuple[re.Pattern[str], ...]:
    own = rf"(?:(?:{either(sorted(words('own')))})\s|l')?(?:[a-z'ß]{{2,15}}\s)?"
    enter = either(sorted(words("enter")))
    keyed, opens = r"(?:keypad|alarm|(?:key\s?|lock\s?)box|intercom|lock|safe)", either(sorted(words("opens")))
    return (
        # "Gartentor 4471 und Raute"
        re.compile(rf"(?<![a-z])[a-zß]{{0,12}}?(?:{_locks()})\s{NUMBER}\s(?:{_PRESS})(?![a-z])"),
        # "key safe left of the porch, 2719 opens it"
        re.compile(
            rf"(?:{_locks()})(?![a-z])[^\d\n.!?]{{0,50}}[,:;(]\s{NUMBER}\s(?:{opens})\s"
            r"(?:it|that|them|la|lo|es|ihn|sie|both)(?![a-z])"
        ),
        re.compile(rf"(?<![a-z])(?:{_locks()}|combo)(?![a-z])[^\d\n.!?]{{0,40}}?[\s(]{_TURNS}"),
        # "para el garaje hay que marcar el 7729"
        re.compile(
            rf"(?<![a-z])(?:for|para|pour|fur)\s{own}(?:{_locks()})\s[^\d\n.!?]{{0,25}}?(?<![a-z])(?:{enter})\s"
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
        # "my wife set our alarm to 8055"
        re.compile(
            r"(?<![a-z])(?:set|changed|reset|puse|cambie|stelle|mis)\s(?:[a-z]{2,7}\s){1,2}"
            rf"(?P<lock>{_locks()})\s(?:to|a|en|auf|sur)\s{NUMBER}"
        ),
    )


def _is_code(view: View, match: re.Match[str]) -> bool:
    value = match["value"].strip("#*")
    if SERIES.fullmatch(value) or re.search(r"[a-d]", value):
        return True
    # "my locker number is 214": what it is called, not what opens it.
    if _CALLED.search(view.folded, match.end("lock"), match.start("value")):
        return False
    at_a_time = match["lock"].startswith("alarm") and _LIKE_TIME.fullmatch(value)
    # "locker is 214": of three figures only what is turned.
    short = len(value) < 4 and not match["lock"].endswith(("lock", "suitcase", "schloss", "koffer", "cadenas", "candado"))
    return not at_a_time and not short and not is_like_year_or_price(value) and stands_alone(view, *match.span("value"))

"""Codes known by what they do: "use 4471 for the gate", "4471 opens the garage", "use 834920 to log in"."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.text.redaction.values import digits, tokens
from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import either, expression, words

FIGURES = re.compile(r"\d.?\d.{0,2}\d")
# Figures, on French door phones with one of the letters A to D.
NUMBER = r"(?P<value>[#*]?(?:\d(?:[ \-.]?\d){2,9}|\d{1,6}[a-d]\d{2,4}|\d{3,6}[a-d]|[a-d]\d{3,6}|[a-z](?:\s\d){3,6})[#*]?)(?![\w@%])"
# French door phones: "interphone 77B14 3e étage", "Bât C, code A7714, 3e étage"
_LETTERED = r"(?P<value>\d{2,4}[ab]\d{1,3}|[ab]\d{4,5}|\d{4,5}[ab])(?![\w-])"
_ONE_TIME = "one_time_code"
_AS_CODE = r"(?:as|como|als|comme)"
SERIES = re.compile(r"\d{1,2}(?:[-. ]\d{1,2}){2,4}")
_LIKE_YEAR_OR_PRICE = re.compile(r"(?:19|20)\d\d|\d+\.\d\d?|\d{1,3}\.\d{3}")


def find_openers(view: View) -> Iterator[Span]:
    """Spans of codes beside a verb for entering them, or for what they open or prove."""
    if FIGURES.search(view.text):
        for pattern, kind in _patterns():
            for match in pattern.finditer(view.folded):
                yield Span(*match.span("value"), kind)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    enter, at, opens, finishes = (either(sorted(words(name))) for name in ("enter", "at", "opens", "finishes"))
    place, with_it = either(sorted(words("places"))), either(sorted(words("with_it")))
    own = rf"(?:(?:{either(sorted(words('own')))})\s|l')?(?:[a-z'ß]{{2,15}}\s)?"
    begin = rf"(?<![a-z0-9])(?:{enter})\s(?:the\s)?(?:code\s|pin\s)?(?:ein\s)?{NUMBER}"
    proving = rf"\s(?:[a-z']{{1,12}}\s){{0,2}}?(?:{finishes})(?![a-z])"
    said: tuple[tuple[str, str], ...] = (
        (
            rf"{expression('openers.to_open')}[^\d\n.]{{0,40}}?(?:{expression('openers.it_is')}|{enter})\s(?:el\s|le\s|die\s)?{NUMBER}",
            "code",
        ),
        (rf"{expression('openers.to_open')}\s{own}(?:{place})[,:]?\s(?:you\s|just\s|please\s)?(?:{enter})\s{NUMBER}", "code"),
        (rf"(?<![a-z])(?:{opens}|get into|get in)\s{own}(?:{place})\s(?:{with_it})\s(?:code\s)?{NUMBER}", "code"),
        (rf"{begin}\s(?:[a-z]{{2,10}}\s)?(?:{at})\s{own}(?:{place})(?![a-z])", "code"),
        (rf"(?<![\w.]){NUMBER}\s(?:{opens})\s{own}(?:{place})(?![a-z])", "code"),
        (
            rf"(?:texted|sent|emailed|got|received)\s(?:me\s|us\s)?(?:[a-z]-)?{NUMBER}\s(?:twice\s|again\s)?(?:to|for){proving}",
            _ONE_TIME,
        ),
        (rf"(?<![a-z])(?:code|codigo)\s{NUMBER}\s(?:to|for|para|pour|zum|um|zur){proving}", _ONE_TIME),
        (rf"{begin}\s{_AS_CODE}\s{own}(?:[a-z]{{2,12}}\s)?{expression('openers.code')}", "code"),
        (rf"{begin}\s(?:[a-z]{{2,10}}\s)?(?:{at}){proving}", _ONE_TIME),
    )
    said += (
        (rf"(?<![a-z]){expression('openers.door_phone')} {_LETTERED}", "code"),
        # "tippst du 4431 ein geht die Tür auf", "tu tapes 4431 et la porte s'ouvre"
        (
            rf"(?<![a-z])(?:(?:{enter})\s{expression('openers.one_types')}){NUMBER}"
            rf"\s?,?\s{expression('openers.and_then')}[^\d\n.!?]{{0,25}}?(?:{expression('openers.gives_way')})(?![a-z])",
            "code",
        ),
        # "am Automaten musst du 4431 eintippen"
        (
            rf"{expression('openers.must')}{NUMBER}\s{expression('openers.type')}",
            "code",
        ),
        # "en bas c'est 58B26 pour la porte"
        (
            rf"(?<![a-z])(?:{expression('openers.it_is')})\s(?:le\s|el\s|die\s)?{NUMBER}\s(?:pour|para|fur|for)\s{own}(?:{place})(?=[\s,.;!]|$)",
            "code",
        ),
    )
    return tuple((re.compile(pattern), kind) for pattern, kind in said)


def is_like_year_or_price(text: str) -> bool:
    """Whether a number rather tells a year or a price."""
    return bool(_LIKE_YEAR_OR_PRICE.fullmatch(text))


def stands_alone(view: View, start: int, end: int) -> bool:
    """Whether no unit is behind the number: what follows, if anything, goes on with the sentence."""
    # "the safe is 1200 pounds", "opens with 300 guests": a word that the sentence could not go on with is a unit.
    if not digits(view, start, 3):
        return False
    following = tokens(view, end, 2)
    if not following or not view.text[end : end + 1].isspace():
        return True
    if following[0].word in words("between_measures"):
        return False
    return following[0].word in words("function", "link", "also", "in_again") or not following[0].word.isalnum()

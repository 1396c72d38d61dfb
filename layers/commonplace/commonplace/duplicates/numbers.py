"""Numbers, dates and times of day in one spelling."""

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from commonplace.duplicates.language import Language
from commonplace.duplicates.tokenization import CURRENCIES, Word

_EXCESSIVELY = "too-much"  # "too old"; "me too" adds nothing
_HALVES: Mapping[tuple[str, ...], str] = {
    ("in", "the", "morning"): "a.m.",
    ("in", "the", "afternoon"): "pm",
    ("in", "the", "evening"): "pm",
}
_MOST_DAYS = 31
_CLOCK, _NOON = re.compile(r"(?:1[3-9]|2[0-3]):[0-5]\d"), 12


def counted(words: list[Word], own: Language) -> Iterator[Word]:
    """Number words as digits, `fifty-seven` as 57, a currency sign behind its number, `6 am` apart from `I am`."""
    signs = frozenset(CURRENCIES.values())
    before = Word("")
    skip = False
    for word, following in zip_longest(words, words[1:], fillvalue=Word("")):
        if skip or not word.text:
            skip = False
            continue
        number = own.numbers.get(word.text, word.text)
        ones = own.numbers.get(following.text, "") if not following.pause else ""
        if word.text in signs and following.text[:1].isdigit():
            yield following._replace(pause=word.pause)
            yield word._replace(pause="")
            skip = True
        elif number != word.text and len(number) > 1 and number.endswith("0") and number != "10" and len(ones) == 1:
            yield word._replace(text=number[0] + ones)
            skip = True
        elif _is_late(number):
            hour, _, minute = number.partition(":")
            yield word._replace(text=f"{int(hour) - _NOON}:{minute}".removesuffix(":00"))
            if following.text != "pm":
                yield Word("pm")
        elif number == "am" and before.text[-1:].isdigit():
            yield word._replace(text="a.m.")
        elif number == "too" and following.text and not following.pause:
            yield word._replace(text=_EXCESSIVELY)
        else:
            yield word._replace(text=number) if number != word.text else word
        before = word


def _is_late(number: str) -> bool:
    """Whether it is a time after one in the afternoon, on a clock of 24 hours."""
    return bool(_CLOCK.fullmatch(number)) and int(number[:2]) > _NOON


def dated(words: list[Word], own: Language) -> list[Word]:
    """Dates as `may 12`, times as `10 a.m.`: "12 May", "the 12th of May", "ten in the morning"."""
    found: list[Word] = []
    for word in words:
        text = word.text
        day = found[-2] if len(found) > 1 and found[-1].text == "of" else found[-1] if found else Word("")
        if text in own.words["months"] and _is_day(day.text) and not word.pause:
            found[-1 if found[-1] is day else -2 :] = [word._replace(pause=day.pause), Word(_cardinal(day.text))]
        elif found and found[-1].text in own.words["months"] and _is_day(text) and not word.pause:
            found.append(word._replace(text=_cardinal(text)))
        else:
            found.append(word)
        half = _HALVES.get((*(part.text for part in found[-3:]),)) if len(found) > len("day") else None
        if half and found[-4].text.isdigit():
            found[-3:] = [Word(half)]
    return found


def _is_day(text: str) -> bool:
    number = _cardinal(text)
    return number.isdigit() and 1 <= int(number) <= _MOST_DAYS


def _cardinal(text: str) -> str:
    return text[:-2] if text[:1].isdigit() and text[-2:] in ("st", "nd", "rd", "th") else text

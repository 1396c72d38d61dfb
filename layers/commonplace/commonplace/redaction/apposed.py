"""Secrets that their noun only explains: "it was Hydrangea9, the old router password", "probier 6642, der alte Türcode"."""

import re
from functools import cache

from commonplace.redaction.reading import Spans
from commonplace.redaction.values import is_branded, is_mixed
from commonplace.redaction.view import View
from commonplace.redaction.vocabulary import Noun, either, words

PLACED = ("in", "since", "of", "at", "by", "for", "from", "until", "before", "after", "en", "desde", "de", "seit",
          "im", "von", "bis", "depuis", "dans", "number", "only")  # fmt: skip
"""Before a number that is a place or a time."""
LOOSE = frozenset({"a", "this", "that", "un", "una", "ein", "eine", "une"})
"""Articles that do not say whose secret it is."""
_VALUE = re.compile(r"(?:^|(?<=[\s\"'“«(]))(\d(?: \d){3,7}|[^\s,]{4,60}?)[\"'”»]?$")
_BEFORE = re.compile(r"([a-z']+)[\s\"'“«(]*$")
_FIGURES = re.compile(r"[#*]?\d(?:[ -]?\d){3,7}[#*]?")
_YEAR = re.compile(r"(?:19|20)\d\d")
# Behind a noun of which nothing more is said: "..., my netflix password, stopped working".
_STANDS_APART = re.compile(
    r"\s*(?:[,;!).\n]|$)"
    r"|\s(?:for|to|at|on|from|vieja|nueva|antigua|de|del|du|des|pour|von|vom|fur|furs|zum|zur|der|btw|if|in case)(?![a-z])"
)


def apposed(view: View, noun: Noun, floor: int) -> Spans:
    """The value between `floor` and `noun` that ends where the words for the secret begin, empty for none."""
    if noun.name == "plain_code" or not _STANDS_APART.match(view.folded, noun.end):
        return []
    joint = _joint().search(view.folded, floor, noun.start)
    match = _VALUE.search(view.text, floor, joint.start()) if joint else None
    if not match or _YEAR.fullmatch(match[1]) or is_branded(match[1]):
        return []
    before = _BEFORE.search(view.folded, floor, match.start(1))
    if before and before[1] in PLACED:
        return []
    made_up = noun.value != "digits" and is_mixed(match[1]) and len(match[1]) >= 6
    figures = noun.value in ("digits", "code", "words") and _FIGURES.fullmatch(match[1])
    # "order 448201, the pin", "I bought the Yale YRD256, the door lock"
    led = before is None or before[1] in words("leadin", "link", "enter")
    shows_itself = made_up and noun.value == "words" and not match[1].isupper()
    return [match.span(1)] if shows_itself or ((figures or made_up) and led) else []


@cache
def _joint() -> re.Pattern[str]:
    owned = rf"(?:(?:{either(sorted(words('own') - LOOSE))})\s|l')(?:[a-z'ß]{{2,15}}\s){{0,2}}(?:[a-zß]{{2,20}}-)?"
    return re.compile(rf"(?:,\s|\s[-–—]\s|\s\((?=[a-z])){owned}$")

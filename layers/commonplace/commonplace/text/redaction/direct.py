"""Values right behind their noun ("PIN 4821"), or that their noun only explains ("it was Hydrangea9, the old password")."""

import re
from functools import cache
from itertools import pairwise

from commonplace.text.redaction.reading import Spans, read
from commonplace.text.redaction.values import Token, digits, is_branded, is_mixed, is_passphrase, quoted
from commonplace.text.redaction.view import View
from commonplace.text.redaction.vocabulary import Noun, compiled, either, words

# The same line, or a line that holds nothing else.
_BESIDE = re.compile(r"(?:'s|s')?[ \t\u3000]{1,3}|\n(?=\S{4,40}(?:\n|$))")
_TURNED = re.compile(r"[ck]ombin\w+\s\d{1,2}(?:-\d{1,2}){2,4}(?![\w-])")
_YEAR = re.compile(r"(?:19|20)\d\d")
# "PUK for the sim in the dash cam 40718826"
_FAR, _REACH = 5, 12
# What a value must have, without a verb, to be one: so many characters.
_LEAST = {"pass": 6, "api_key": 8, "token": 10, "private_key": 12, "password": 4}

_VALUE = re.compile(r"(?:^|(?<=[\s\"'“«(]))(\d(?: \d){3,7}|[^\s,]{4,60}?)[\"'”»]?$")
_BEFORE = re.compile(r"([a-z']+)[\s\"'“«(]*$")
_FIGURES = re.compile(r"[#*]?\d(?:[ -]?\d){3,7}[#*]?")
_APPOSED_YEAR = re.compile(r"(?:19|20)\d\d")


def find_direct(view: View, noun: Noun, parts: list[Token]) -> Spans:
    """The value that `parts`, the words behind `noun`, begin with or lead to without a verb; empty for none."""
    head = parts[0]
    if head.word in words("compound") or not _stands_free(view, noun):
        return []
    if not head.text and head.ends == ",":
        return _between_commas(view, noun, parts)
    if not _BESIDE.match(view.text, noun.end):
        return []
    if noun.name == "bare_key":
        # "wifi: network PineLodge, key maple-otter-71"
        return read(view, head.raw_start, "key", bold=False) if len(head.text) >= 8 and is_mixed(head.text) else []
    if noun.name == "plain_code":
        return read(view, head.raw_start, "code", bold=False) if re.search(r"\d{3}|\d-\d{1,2}-\d", head.text) else []
    if quoted(view, head.raw_start):
        return read(view, head.raw_start, noun.value)
    if head.word in words("recent"):
        return read(view, head.raw_end, noun.value, bold=False)
    if _shows_itself(view, noun, head) and (found := read(view, head.raw_start, noun.value, bold=False)):
        return found
    return _after_phrase(view, noun, parts)


def _stands_free(view: View, noun: Noun) -> bool:
    before = view.folded[max(0, noun.start - 40) : noun.start]
    if noun.name == "plain_code" and _TURNED.match(view.folded, noun.start):
        return True
    if noun.name == "plain_code":
        sent = before.rstrip().rpartition(" ")[2] in words("services")
        return sent or compiled("direct.into").search(before) is not None or _lock().search(before) is not None
    if noun.name == "bare_key":
        return compiled("direct.network").search(before) is not None
    return not (
        noun.name == "pass" and view.folded.startswith("pass", noun.start) and compiled("direct.passing").search(before)
    )


@cache
def _lock() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{either(sorted(words('locks')))})(?![a-z])")


def _between_commas(view: View, noun: Noun, parts: list[Token]) -> Spans:
    # "the old alarm code, 4471, no longer works"
    if len(parts) < 2 or not (parts[1].ends or len(parts) == 2) or view.text[noun.end : noun.end + 1] != ",":
        return []
    figure = noun.value in ("digits", "code") and digits(view, parts[1].start, 4)
    return read(view, parts[1].raw_start, noun.value, bold=False) if figure or is_mixed(parts[1].text) else []


def _shows_itself(view: View, noun: Noun, head: Token) -> bool:
    if noun.name not in _LEAST and digits(view, head.start, 3):
        return True
    if noun.value == "digits" or (noun.name == "api_key" and digits(view, head.start, 16)):
        return True
    if noun.name in ("password", "pass") and head.text.isdigit():
        return len(head.text) >= _LEAST[noun.name] and not _YEAR.fullmatch(head.text)
    if noun.name == "password" and is_passphrase(head.text) and len(head.text) >= 12:
        return words("function", "compound").isdisjoint(re.split(r"[^a-z]+", head.word))
    return is_mixed(head.text) and len(head.text) >= _LEAST.get(noun.name, 4)


def _after_phrase(view: View, noun: Noun, parts: list[Token]) -> Spans:
    # "code d'entrée de l'immeuble 45B12", "PIN for my card 4821"
    if noun.value not in ("digits", "code", "words") or parts[0].word not in words("of", "whereabouts", "places"):
        return []
    stops = words("link", "arrow", "numbered", "function") - words("own")
    for place, (before, part) in enumerate(pairwise(parts[:_REACH])):
        inside = before.word in words("of", "inside")
        if before.ends or (before.word in stops and not inside):
            return []
        if inside:
            continue
        figure = part.text.strip("#*").isdigit() and len(part.text) >= 4 and noun.value != "words"
        if figure and place >= _FAR and _YEAR.fullmatch(part.text):
            return []
        if figure or (noun.value != "digits" and is_mixed(part.text)):
            return read(view, part.raw_start, noun.value, bold=False)
    return []


def apposed(view: View, noun: Noun, floor: int) -> Spans:
    """The value between `floor` and `noun` that ends where the words for the secret begin, empty for none."""
    if noun.name == "plain_code" or not compiled("direct.stands_apart").match(view.folded, noun.end):
        return []
    joint = _joint().search(view.folded, floor, noun.start)
    match = _VALUE.search(view.text, floor, joint.start()) if joint else None
    if not match or _APPOSED_YEAR.fullmatch(match[1]) or is_branded(match[1]):
        return []
    before = _BEFORE.search(view.folded, floor, match.start(1))
    if before and before[1] in words("before_place"):
        return []
    made_up = noun.value != "digits" and is_mixed(match[1]) and len(match[1]) >= 6
    figures = noun.value in ("digits", "code", "words") and _FIGURES.fullmatch(match[1])
    # "order 448201, the pin", "I bought the Yale YRD256, the door lock"
    led = before is None or before[1] in words("leadin", "link", "enter")
    shows_itself = made_up and noun.value == "words" and not match[1].isupper()
    return [match.span(1)] if shows_itself or ((figures or made_up) and led) else []


@cache
def _joint() -> re.Pattern[str]:
    owned = (
        rf"(?:(?:{either(sorted(words('own') - words('of_anybody')))})\s|l')(?:[a-z'ß]{{2,15}}\s){{0,2}}(?:[a-zß]{{2,20}}-)?"
    )
    return re.compile(rf"(?:,\s|\s[-–—]\s|\s\((?=[a-z])){owned}$")

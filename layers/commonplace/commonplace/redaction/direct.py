"""Values that stand right behind their noun: "PIN 4821", "user admin pass hunter2", "code for the gate 4471"."""

import re
from itertools import pairwise

from commonplace.redaction.reading import Spans, read
from commonplace.redaction.tokens import Token
from commonplace.redaction.values import digits, is_mixed, quoted
from commonplace.redaction.view import View
from commonplace.redaction.vocabulary import Noun, words

# The same line, or a line that holds nothing else.
_BESIDE = re.compile(r"(?:'s|s')?[ \t\u3000]{1,3}|\n(?=\S{4,40}(?:\n|$))")
# Passes that are no password.
_PASSING = re.compile(
    r"(?:n't|(?<![a-z])(?:forward|backward|boarding|ski|bus|day|season|hall|mountain|train|rail|gym|museum|free|game|first|second|single"
    r"|one|must|to|will|can|and|did|i|a|we|they|you|he|she|low|high|band|park|press|backstage|week|month|annual"
    r"|city))\s$"
)
_INTO = re.compile(
    r"(?<![a-z])(?:get in|enter|entr[ae]r|hinein|eintreten|reinkommen|open|unlock|ouvrir|abrir|offnen)(?![a-z])"
)
_RECENT = ("now", "ahora", "jetzt", "maintenant", "currently", "still")
_YEAR = re.compile(r"(?:19|20)\d\d")
# What a value must have, without a verb, to be one: so many characters.
_LEAST = {"pass": 6, "api_key": 8, "token": 10, "private_key": 12, "password": 4}


def find_direct(view: View, noun: Noun, parts: list[Token]) -> Spans:
    """The value that `parts`, the words behind `noun`, begin with or lead to without a verb; empty for none."""
    head = parts[0]
    if head.word in words("compound") or not _stands_free(view, noun):
        return []
    if not head.text and head.ends == ",":
        return _between_commas(view, noun, parts)
    if not _BESIDE.match(view.text, noun.end):
        return []
    if noun.name == "plain_code":
        return read(view, head.raw_start, "code", bold=False) if re.search(r"\d{3}", head.text) else []
    if quoted(view, head.raw_start):
        return read(view, head.raw_start, noun.value)
    if head.word in _RECENT:
        return read(view, head.raw_end, noun.value, bold=False)
    if _shows_itself(view, noun, head):
        return read(view, head.raw_start, noun.value, bold=False)
    return _after_phrase(view, noun, parts)


def _stands_free(view: View, noun: Noun) -> bool:
    before = view.folded[max(0, noun.start - 40) : noun.start]
    if noun.name == "plain_code":
        return _INTO.search(before) is not None
    return noun.name != "bare_key" and not (
        noun.name == "pass" and view.folded.startswith("pass", noun.start) and _PASSING.search(before)
    )


def _between_commas(view: View, noun: Noun, parts: list[Token]) -> Spans:
    # "the old alarm code, 4471, no longer works"
    if len(parts) < 2 or not (parts[1].ends or len(parts) == 2) or view.text[noun.end : noun.end + 1] != ",":
        return []
    figure = noun.value in ("digits", "code") and digits(view, parts[1].start, 4)
    return read(view, parts[1].raw_start, noun.value, bold=False) if figure or is_mixed(parts[1].text) else []


def _shows_itself(view: View, noun: Noun, head: Token) -> bool:
    if noun.name not in _LEAST and digits(view, head.start, 3):
        return True
    if noun.value == "digits":
        return True
    if noun.name in ("password", "pass") and head.text.isdigit():
        return len(head.text) >= _LEAST[noun.name] and not _YEAR.fullmatch(head.text)
    return is_mixed(head.text) and len(head.text) >= _LEAST.get(noun.name, 4)


def _after_phrase(view: View, noun: Noun, parts: list[Token]) -> Spans:
    # "code d'entrée de l'immeuble 45B12", "PIN for my card 4821"
    if noun.value not in ("digits", "code", "words") or parts[0].word not in words("of", "whereabouts", "places"):
        return []
    stops = words("link", "arrow", "numbered", "function") - words("own")
    for before, part in pairwise(parts[:7]):
        if before.ends or (before.word in stops and before.word not in words("of")):
            return []
        if before.word in stops or before.word in words("of"):
            continue
        figure = part.text.strip("#*").isdigit() and len(part.text) >= 4 and noun.value != "words"
        if figure or (noun.value != "digits" and is_mixed(part.text)):
            return read(view, part.raw_start, noun.value, bold=False)
    return []

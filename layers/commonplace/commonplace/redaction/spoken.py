"""Secrets as people say them, noun first: "my wifi password is blue monkey 42", "PIN 4821", "la clave: 1234"."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.redaction.reading import Spans, is_plain_answer, read
from commonplace.redaction.tokens import Token, tokens
from commonplace.redaction.values import digits, is_blank, is_mixed, quoted
from commonplace.redaction.view import Span, View
from commonplace.redaction.vocabulary import Noun, words

# "password: x", "**PIN** = 4821", "Passwort (WLAN): x", "code -> 4471", "| password | x |"
_SIGN = re.compile(r"[*_\"'`]{0,3}(?:\s\([^()\n]{0,40}\))?[*_]{0,2}\s{0,3}(?P<sign>:=|[:=]|=>|-+>|→|\||…|\.\.\.)[*_]{0,2}\s{0,4}")
_DASH = re.compile(r"\s{1,3}[-–—~]+\s{1,3}")
_QUESTION = re.compile(r"\s?\?+\s{1,3}")
_OWNER = re.compile(r"(?:'s|s')?[ \t\u3000]{1,3}|\n(?=\S{4,40}(?:\n|$))")
_PROGRAM = re.compile(r"[(\[{.<>=/\\_-](?!\s)")
# A message from a service: "Your Uber code is 4482".
_YOURS = re.compile(r"(?i:your|tu|su|ihr|dein|votre|ton)\s(?:[A-Z][\w.-]{1,20}\s){1,2}$")
_IS = re.compile(r"'s\s{1,3}(?=\S)")
# Passes that are no password.
_PASSING = re.compile(
    r"(?:forward|backward|boarding|ski|bus|day|season|hall|mountain|train|rail|gym|museum|free|game|first|second|single|one|must|to"
    r"|will|can|and|did|i|a|n't|we|they|you|he|she|low|high|band|park|press|backstage|week|month|annual|city)\s$"
)
_ARROWS = ("->", "→", "=>", "-", "–", "—", "|")
_RECENT = ("now", "ahora", "jetzt", "maintenant", "currently", "still")
_BETWEEN = 12
_CHANGED = re.compile(r"(?<![a-z])(?:geandert|gesetzt|gestellt|changed|set|reset|updated|switched|cambi\w+|change)(?![a-z])")
_DATING, _POINTING = ("in", "en", "de", "from", "von", "por", "par", "mit"), ("to", "from", "with", "auf", "zu", "von")
_SHORT = {"pass": 6, "api_key": 8, "token": 10, "private_key": 12, "password": 4}


def find_spoken(view: View, named: list[Noun]) -> Iterator[Span]:
    """Spans of the values that follow the nouns for a secret, `named`."""
    done = 0
    for place, noun in enumerate(named):
        if noun.start < done:
            continue
        beyond = named[place + 2].start if place + 2 < len(named) else len(view.text)
        found = _value(view, noun, beyond)
        if found and noun.value in ("digits", "code"):
            found += _twins(view, found[-1])
        for start, end in found:
            done = max(done, end)
            yield Span(start, end, noun.kind)


def _twins(view: View, found: tuple[int, int]) -> Iterator[tuple[int, int]]:
    # "the PIN for one card is 4821 and for the other 9920"
    length = found[1] - found[0]
    before = ""
    for part in tokens(view, found[1]):
        if part.text.isdigit() and len(part.text) == length >= 4 and before not in (*_DATING, "since", "room", "at"):
            yield part.start, part.end
        if re.search(r"[.!?]", view.text[part.end : part.raw_end]):
            return
        before = part.word


def _value(view: View, noun: Noun, beyond: int) -> Spans:
    sign = _SIGN.match(view.text, noun.end)
    if sign:
        held = tokens(view, sign.end(), 1)
        blank = held and not held[0].text.isdigit() and (is_blank(held[0].text) or is_blank(view.text[held[0].raw_start : held[0].raw_end]))
        return read(view, sign.end(), noun.value) if not blank and (noun.name != "plain_code" or _alone(view, noun)) else []
    dash = _DASH.match(view.text, noun.end) or _QUESTION.match(view.text, noun.end)
    if dash:
        return read(view, dash.end(), noun.value, bold=is_plain_answer(tokens(view, dash.end(), 5)[:4]))
    possessive = _IS.match(view.folded, noun.end)
    if possessive and (found := read(view, possessive.end(), noun.value)):
        return found
    return _linked(view, noun, beyond)


def _alone(view: View, noun: Noun) -> bool:
    # "Code: 4471", "the code is 4471", not "course code: 1010": any word before it might say what code it is.
    if _YOURS.search(view.text, max(0, noun.start - 40), noun.start):
        return True
    before = re.search(r"([a-z0-9'ß]*)[\s*_\"(\[-]*$", view.folded[max(0, noun.start - 24) : noun.start])
    return before is None or not before[1] or before[1] in words("own") or bool(re.search(r"\n\W*$", before[0]))


def _linked(view: View, noun: Noun, beyond: int) -> Spans:
    if noun.name == "plain_code" and not _alone(view, noun):
        return []
    parts = tokens(view, noun.end, _BETWEEN + 2, beyond)
    if _PROGRAM.match(view.text, noun.end) or view.text[noun.start - 1 : noun.start] in ("_", "."):
        return []
    if not parts or ("\n" in view.text[noun.end : parts[0].raw_start] and not _OWNER.match(view.text, noun.end)) or parts[0].word in words("compound"):
        return []
    direct = _direct(view, noun, parts)
    if direct or (direct := _after_phrase(view, noun, parts)):
        return direct
    named = False
    for place, part in enumerate(parts[:_BETWEEN]):
        following = parts[place + 1] if place + 1 < len(parts) else None
        colon = (part.text or place) and re.search(r"[:=]$", view.text[part.raw_start : part.raw_end])
        as_is = part.word in words("enter") or (place and (part.word == "as" or part.text in _ARROWS))
        if place and view.text[part.raw_start] == "(" and (found := read(view, part.raw_start + 1, noun.value, bold=False)):
            return found
        if part.word in words("link") or colon or as_is:
            strange = named or as_is or (colon and place == 0 and _is_strange(part))
            if found := read(view, part.raw_end, noun.value, bold=not strange):
                return found
        elif part.word in words("arrow") and following and (found := _arrow(view, noun, place, parts)):
            return found
        if place == 0 and part.word not in words("qualifier", "link", "arrow") and not _aside(view, noun):
            # "the password Netflix is ..." goes on; what any other word does to the noun, nobody knows.
            named = _is_strange(part)
            if not following or not (following.word in words("link") or following.text in ("", "=")):
                return []
        if part.ends == ".":
            return []
    return []


def _is_strange(part: Token) -> bool:
    return part.word not in words("qualifier", "link") and not part.text[:1].isupper()


def _aside(view: View, noun: Noun) -> bool:
    return view.text[noun.end : noun.end + 1] == "," or view.text[noun.end : noun.end + 2] == " ("


def _direct(view: View, noun: Noun, parts: list[Token]) -> Spans:
    # "user admin pass hunter2", "PIN 4821", 'the password "swordfish"'
    if len(parts) > 1 and not parts[0].text and parts[0].ends == "," and parts[1].ends and noun.value not in ("key", "random"):
        # "the old alarm code, 4471, no longer works"
        return read(view, parts[1].raw_start, noun.value, bold=False)
    if noun.name in ("plain_code", "bare_key") or (noun.name == "pass" and _PASSING.search(view.folded[max(0, noun.start - 12) : noun.start])) or not _OWNER.match(view.text, noun.end):
        return []
    head = parts[0]
    if quoted(view, head.raw_start) or (digits(view, head.start, 3) and noun.name not in _SHORT):
        return read(view, head.raw_start, noun.value, bold=noun.value == "words")
    if noun.value == "digits":
        return read(view, head.raw_start, "digits")
    if head.word in _RECENT:
        return read(view, head.raw_end, noun.value, bold=False)
    if noun.name == "password" and re.fullmatch(r"(?:19|20)\d\d", head.text):
        return []
    least = _SHORT.get(noun.name, 4)
    if len(head.text) >= least and (is_mixed(head.text) or noun.name == "password" and head.text.isdigit()):
        return read(view, head.raw_start, noun.value, bold=False)
    return []


def _after_phrase(view: View, noun: Noun, parts: list[Token]) -> Spans:
    # "code d'entrée de l'immeuble 45B12", "PIN for my card 4821"
    if noun.value not in ("digits", "code", "words") or noun.name == "plain_code" or parts[0].word not in words("of"):
        return []
    for before, part in zip(parts, parts[1:7], strict=False):
        if before.ends or before.word in words("link", "arrow", "numbered") | words("of") | words("function") - words("own"):
            if before.ends or before.word not in words("of"):
                return []
            continue
        figure = part.text.strip("#*").isdigit() and len(part.text) >= 4 and noun.value != "words"
        if figure or (noun.value != "digits" and is_mixed(part.text)):
            return read(view, part.raw_start, noun.value, bold=False)
    return []


def _changes(view: View, noun: Noun) -> bool:
    # German puts the verb behind: "das Passwort auf hunter2 geändert".
    before, after = view.folded[max(0, noun.start - 40) : noun.start], view.folded[noun.end : noun.end + 60]
    return bool(_change().search(before) or _CHANGED.search(after))


@cache
def _change() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, sorted(words('change'))))})")


def _arrow(view: View, noun: Noun, place: int, parts: list[Token]) -> Spans:
    following, changed = parts[place + 1], _changes(view, noun)
    dated = re.fullmatch(r"(?:19|20)\d\d", following.text) and parts[place].word in _DATING
    if dated or not (changed or (place < 2 and parts[place].word in _POINTING)):
        return []
    last = place + 2 >= len(parts) or bool(following.ends) or parts[place + 2].word in words("function", "changed")
    takes = noun.value if noun.value != "words" or changed else "code"
    return read(view, following.raw_start, takes, bold=last)

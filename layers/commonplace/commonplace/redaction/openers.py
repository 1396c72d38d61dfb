"""Codes known by what they do: "use 4471 for the gate", "the safe opens with 17-03-88", "bike lock: 7-2-9-4"."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.redaction.tokens import tokens
from commonplace.redaction.values import digits, is_mixed, is_passphrase, quoted
from commonplace.redaction.view import Span, View
from commonplace.redaction.vocabulary import either, words

_FIGURES = re.compile(r"\d.?\d.?\d")
# Figures, on French door phones with one of the letters A to D.
_NUMBER = r"(?P<value>[#*]?(?:\d(?:[ \-.]?\d){2,9}|\d{2,6}[a-d]\d{2,4}|\d{3,6}[a-d]|[a-d]\d{3,6})[#*]?)(?![\w@%])"
_TO_OPEN = (
    r"(?:to|pour|para|um)\s(?:open|unlock|disarm|get into|get in|enter|r?entrer|ouvrir|acceder|deverrouiller|entrer dans|abrir"
    r"|desbloquear|entrar al?|entrar en|offnen)"
)
_IT_IS = r"(?:it's|it is|c'est|es|ist)"
_PRESS = (
    r"eingeben|eintippen|drucken|wahlen|tippen|und (?:raute|stern)|(?:then|and) (?:hash|star|pound|enter|press)"
    r"|y (?:almohadilla|campan\w+|asterisco)|(?:puis|et) (?:etoile|diese|la cloche|la clochette)"
)
_ONE_TIME = "one_time_code"
_AS_CODE = r"(?:as|como|als|comme)"
_CODE = r"(?:code|pin|password|passcode|passwort|clave|contrasena|mot de passe)"
# "the lockbox is left of the door, combo 6038", "screen time on the ipad is 8140", "Fahrradschloss: 7-2-9-4"
_SAID = r"(?:\s?[:=→]|[\s(,](?:{links})(?:\s(?:{fillers})){{0,2}}:?|\s(?=\d{{1,2}}(?:-\d{{1,2}}){{2}}))\s?(?:the\s|el\s|le\s|die\s)?"
_SERIES = re.compile(r"\d{1,2}(?:[-. ]\d{1,2}){2,4}")
_LIKE_YEAR_OR_PRICE = re.compile(r"(?:19|20)\d\d|\d+\.\d\d?|\d{1,3}\.\d{3}")
_LIKE_TIME = re.compile(r"(?:[01]?\d|2[0-3])[ .]?[0-5][05]")
_KEYS_PRESSED = re.compile(r"(?:ctrl|alt|cmd|shift|win|strg|fn|maj|option)[+-]")
# Behind a verb for entering: what the service or the program is called, not what is typed.
_BRANDED = re.compile(
    r"(?:office|microsoft|auth|web|m|python|passkey|apple|google|windows|face)-?\d+|7-?zip|face-?id\d*"
    r"|(?:aes|rsa|sha|tls|ssl|wpa|ed|x|chacha|md|hmac|luks|argon|oauth|sso|saml)[-_.]?v?\d[\w.-]*"
)
_BETWEEN_MEASURES = ("by", "x", "per", "par")
_JOINT = ("and", "und", "et", "y", "/", "&", "+")


def find_openers(view: View) -> Iterator[Span]:
    """Spans of codes beside a verb for entering them, what they open, or what they prove; of what one gets in with."""
    if _FIGURES.search(view.text):
        for pattern, kind in _patterns():
            for match in pattern.finditer(view.folded):
                yield Span(*match.span("value"), kind)
        for match in _locked().finditer(view.folded):
            if _is_code(view, match):
                yield Span(*match.span("value"), "code")
    if _with_it().search(view.folded):
        yield from _ways_in(view)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    enter, at, opens, finishes = (either(sorted(words(name))) for name in ("enter", "at", "opens", "finishes"))
    place, with_it = either(sorted(words("places"))), either(sorted(words("with_it")))
    own = rf"(?:(?:{either(sorted(words('own')))})\s|l')?(?:[a-z'ß]{{2,15}}\s)?"
    begin = rf"(?<![a-z0-9])(?:{enter})\s(?:the\s)?(?:code\s|pin\s)?(?:ein\s)?{_NUMBER}"
    said = (
        (rf"{_TO_OPEN}[^\d\n.]{{0,40}}?(?:{_IT_IS}|{enter})\s(?:el\s|le\s|die\s)?{_NUMBER}", "code"),
        (rf"(?<![a-z])[a-zß]{{0,12}}?(?:{either(sorted(words('locks')))})\s{_NUMBER}\s(?:{_PRESS})(?![a-z])", "code"),
        (rf"{_TO_OPEN}\s{own}(?:{place})[,:]?\s(?:you\s|just\s|please\s)?(?:{enter})\s{_NUMBER}", "code"),
        (rf"(?<![a-z])(?:{opens}|get into|get in)\s{own}(?:{place})\s(?:{with_it})\s(?:code\s)?{_NUMBER}", "code"),
        (rf"{begin}\s(?:[a-z]{{2,10}}\s)?(?:{at})\s{own}(?:{place})(?![a-z])", "code"),
        (rf"(?<![\w.]){_NUMBER}\s(?:{opens})\s{own}(?:{place})(?![a-z])", "code"),
        (rf"{begin}\s{_AS_CODE}\s{own}(?:[a-z]{{2,12}}\s)?{_CODE}", "code"),
        (rf"{begin}\s(?:[a-z]{{2,10}}\s)?(?:{at})\s(?:[a-z']{{1,12}}\s){{0,2}}?(?:{finishes})(?![a-z])", _ONE_TIME),
    )
    return tuple((re.compile(pattern), kind) for pattern, kind in said)


@cache
def _locked() -> re.Pattern[str]:
    locks, links = either(sorted(words("locks"))), either(sorted(words("lock_links", "enter")))
    said = _SAID.format(links=links, fillers=either(sorted(words("filler"))))
    return re.compile(rf"(?<![a-z])[a-zß]{{0,12}}?(?P<lock>{locks})(?![a-z])[^\d\n.!?]{{0,60}}?{said}{_NUMBER}")


def _is_code(view: View, match: re.Match[str]) -> bool:
    value = match["value"].strip("#*")
    if _SERIES.fullmatch(value) or re.search(r"[a-d]", value):
        return True
    at_a_time = match["lock"].startswith("alarm") and _LIKE_TIME.fullmatch(value)
    # "locker is 214": of three figures only what is turned.
    short = len(value) < 4 and not match["lock"].endswith(("lock", "suitcase", "schloss", "koffer", "cadenas", "candado"))
    return (
        not at_a_time and not short and not _LIKE_YEAR_OR_PRICE.fullmatch(value) and _stands_alone(view, *match.span("value"))
    )


def _stands_alone(view: View, start: int, end: int) -> bool:
    # "the safe is 1200 pounds", "opens with 300 guests": a word that the sentence could not go on with is a unit.
    if not digits(view, start, 3):
        return False
    following = tokens(view, end, 2)
    if not following or not view.text[end : end + 1].isspace():
        return True
    if following[0].word in _BETWEEN_MEASURES:
        return False
    return following[0].word in words("function", "link", "also", "in_again") or not following[0].word.isalnum()


@cache
def _entries() -> tuple[re.Pattern[str], ...]:
    # German has its verb in two, the second part behind: "schaltet man mit 85213 aus", "kommt man mit 4471 rein".
    with_it, again = either(sorted(words("with_it"))), either(sorted(words("in_again")))
    reach = (
        rf"[^\d\n.!?;]{{0,40}}?\s(?:{with_it})\s(?:(?:the|el|la|le|der|dem|den)\s)?(?:{_CODE}\s)?(?=(?P<value>\S{{3,80}}))"
    )
    whole = rf"(?<![a-z])(?:s')?(?P<verb>{either(sorted(words('unlocking', 'entering')))})[a-zß]{{0,6}}{reach}"
    parted = rf"(?<![a-z])(?P<verb>{either(sorted(words('parted')))}){reach}(?=(?:\S{{2,40}}\sund\s)?\S{{3,40}}\s(?:{again})(?![a-z]))"
    return re.compile(whole), re.compile(parted)


@cache
def _with_it() -> re.Pattern[str]:
    return re.compile(rf"\s(?:{either(sorted(words('with_it')))})\s")


def _ways_in(view: View) -> Iterator[Span]:
    for pattern in _entries():
        for match in pattern.finditer(view.folded):
            value = _value(view, match.start("value"), match["verb"] not in words("loose"))
            if value:
                yield Span(*value, "password" if match["verb"] in words("entering") else "code")


def _value(view: View, at: int, words_too: bool) -> tuple[int, int] | None:
    parts = tokens(view, at, 3)
    if words_too and len(parts) == 3 and parts[1].text in _JOINT and _is_made_up(parts[2].text):
        return parts[2].start, parts[2].end
    inside = quoted(view, parts[0].raw_start)
    if inside:
        return inside if words_too or is_mixed(view.text[slice(*inside)]) else None
    number = digits(view, parts[0].start, 3)
    if number:
        text = view.text[slice(*number)]
        plain = sum(map(str.isdigit, text)) >= 4 and not _LIKE_YEAR_OR_PRICE.fullmatch(text)
        return number if _SERIES.fullmatch(text) or (plain and _stands_alone(view, *number)) else None
    text = parts[0].text
    signed = len(text) >= 8 and (is_passphrase(text) or re.search(r"[^\w.-]|_", text[:-1]) is not None)
    return (parts[0].start, parts[0].end) if (words_too or signed) and _is_made_up(parts[0].text) else None


def _is_made_up(text: str) -> bool:
    named = _KEYS_PRESSED.match(text.lower()) or _BRANDED.fullmatch(text.lower())
    return not named and len(text) >= 6 and (is_mixed(text) or is_passphrase(text))

"""Secrets said before their noun, or before what they open: "hunter2 is my password", "use 4471 for the gate"."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.redaction.reading import Spans
from commonplace.redaction.tokens import Token, tokens
from commonplace.redaction.values import is_mixed, number_run
from commonplace.redaction.view import HIDDEN, Span, View
from commonplace.redaction.vocabulary import Noun, either, places, words

_CUT = re.compile(r"[\s\S]*(?:[.?]\s|\n)")
_AS = ("as", "como", "als", "comme")
_LOOSE = {"a", "this", "that", "un", "una", "ein", "eine", "une"}
_REACH, _NAME_WORDS = 90, 4
_NUMBER = r"(?P<value>[#*]?\d(?:[ \-.]?\d){2,9}[#*]?)(?![\w@%])"
_PLACED = ("in", "since", "of", "at", "by", "for", "from", "until", "before", "after", "en", "desde", "de", "seit", "im", "von", "bis", "depuis", "dans", "number", "only")  # fmt: skip


def find_backwards(view: View, named: list[Noun]) -> Iterator[Span]:
    """Spans of values that come before the nouns for a secret, `named`, or before what they open."""
    for noun in named:
        following = tokens(view, noun.end, 1)
        if following and following[0].word in words("compound"):
            continue
        for start, end in _before(view, noun):
            yield Span(start, end, noun.kind)
    if re.search(r"\d.?\d.?\d", view.text):
        for pattern, kind in _openers():
            for match in pattern.finditer(view.folded):
                yield Span(*match.span("value"), kind)


@cache
def _openers() -> tuple[tuple[re.Pattern[str], str], ...]:
    enter, at, opens, finishes = (either(sorted(words(name))) for name in ("enter", "at", "opens", "finishes"))
    own = rf"(?:(?:{either(sorted(words('own')))})\s|l')?(?:[a-z'ß]{{2,15}}\s)?"
    begin = rf"(?<![a-z0-9])(?:{enter})\s(?:the\s)?(?:code\s|pin\s)?(?:ein\s)?{_NUMBER}"
    with_it = either(["with", "using", "con", "mit", "avec", "by entering", "by typing"])
    to_open = r"(?:to|pour|para|um)\s(?:open|unlock|disarm|ouvrir|deverrouiller|abrir|desbloquear|offnen)"
    return (
        (re.compile(rf"{to_open}\s{own}{places()}[,:]?\s(?:you\s|just\s|please\s)?(?:{enter})\s{_NUMBER}"), "code"),
        (re.compile(rf"(?<![a-z]){places()}\s(?:unlocks?|opens?)\s(?:{with_it})\s{_NUMBER}"), "code"),
        (re.compile(rf"(?<![a-z])(?:{opens}|get into|get in)\s{own}{places()}\s(?:{with_it})\s(?:code\s)?{_NUMBER}"), "code"),
        (re.compile(rf"{begin}\s(?:[a-z]{{2,10}}\s)?(?:{at})\s{own}{places()}(?![a-z])"), "code"),
        (re.compile(rf"(?<![\w.]){_NUMBER}\s(?:{opens})\s{own}{places()}(?![a-z])"), "code"),
        (re.compile(rf"{begin}\s(?:[a-z]{{2,10}}\s)?(?:{at})\s(?:[a-z']{{1,12}}\s){{0,2}}?(?:{finishes})(?![a-z])"), "one_time_code"),
        (re.compile(rf"{begin}\s(?:as|como|als|comme)\s{own}(?:[a-z]{{2,12}}\s)?(?:code|pin|password|passcode|passwort|clave|contrasena|mot de passe)"), "code"),
    )


@cache
def _link() -> re.Pattern[str]:
    return re.compile(rf"\s(?:{either(sorted(words('link')))}|=|->|→|as|como|als|comme)\s")


def _before(view: View, noun: Noun) -> Spans:
    floor = max(0, noun.start - _REACH)
    if view.text[noun.start - 1 : noun.start] == "(" and view.text[noun.end : noun.end + 1] == ")":
        figure = re.search(r"(\S{4,60}) \($", view.text[floor : noun.start])
        if figure and (figure[1].isdigit() or is_mixed(figure[1])):
            return [(floor + figure.start(1), floor + figure.end(1))]
    if not _link().search(view.folded, max(floor, noun.start - 50), noun.start):
        return []
    cut = _CUT.match(view.text, floor, noun.start)
    begin = cut.end() if cut else floor
    parts = [part for part in tokens(view, begin, until=noun.start) if part.raw_end <= noun.start]
    for place in range(len(parts) - 1, max(0, len(parts) - 2 - _NAME_WORDS), -1):
        if parts[place].word in words("link") or parts[place].word in _AS or parts[place].text in ("=", "->", "→"):
            owned = [part.word for part in parts[place + 1 :]]
            judged = any(word in words("remark") - words("neutral") for word in owned)
            sure = not judged and (not owned or owned[0] in words("own") - _LOOSE)
            if parts[place].word in _AS:
                return _entered(parts[:place], noun) if sure and place else []
            return _ending_at(parts[:place], noun, cut is not None or floor == 0, owned) if sure else []
    return []


def _entered(parts: list[Token], noun: Noun) -> Spans:
    # "use blue monkey 42 as the password"; "use your birthday as a PIN" has words that no value has.
    numbers = next((place for place in range(len(parts)) if number_run(parts[place:])), None)
    if numbers is not None and noun.value != "key":
        return [(parts[numbers].start, parts[-1].end)]
    if is_mixed(parts[-1].text):
        first = len(parts) - 1
    else:
        verbs = [place for place, part in enumerate(parts[-6:-1], max(0, len(parts) - 6)) if part.word in words("enter")]
        if not verbs or noun.value != "words":
            return []
        first = verbs[-1] + 1
    said = {part.word for part in parts[first:]}
    return [] if said & words("function", "evasive", "remark") else [(parts[first].start, parts[-1].end)]


def _ending_at(parts: list[Token], noun: Noun, from_start: bool, owned: list[str]) -> Spans:
    if parts and parts[-1].text in ("-", "–", "—"):
        parts = parts[:-1]
    if not parts or HIDDEN in parts[-1].text:
        return []
    first = len(parts) - 1
    figures = noun.value != "words" and parts[first].text.strip("#*").isdigit()
    while first > 0 and not parts[first - 1].ends and _goes_with(parts[first - 1], figures):
        first -= 1
    run = parts[first:]
    at_start = (first == 0 and from_start) or (first > 0 and bool(parts[first - 1].ends))
    placed = first > 0 and not parts[first - 1].ends and parts[first - 1].word in _PLACED
    if placed or not _is_value(run, noun, at_start, bool(owned) and owned[0] in ("my", "our", "mi", "mein", "mon", "the")):
        return []
    return [(run[0].start, run[-1].end)]


def _goes_with(part: Token, figures: bool) -> bool:
    if figures:
        return part.text.isdigit()
    return part.word not in words("function", "leadin", "link") and bool(part.text) and HIDDEN not in part.text


def _is_value(run: list[Token], noun: Noun, at_start: bool, owned: bool) -> bool:
    last = run[-1]
    figures = sum(sum(map(str.isdigit, part.text)) for part in run if not re.search(r"[^\W\d]", part.text))
    if noun.value in ("digits", "code") and figures >= (4 if noun.name == "plain_code" else 3):
        return True
    if noun.value in ("key", "random"):
        return is_mixed(last.text) and len(last.text) >= 8
    if noun.value != "digits" and is_mixed(last.text) or number_run(run):
        return True
    if noun.value != "words":
        return False
    if last.text.isdigit():
        return len(last.text) >= 4 or (len(run) > 1 and at_start)
    plain = not any(part.word in words("remark", "function", "evasive") for part in run)
    quoted = run[0].start > run[0].raw_start
    return (plain and at_start and owned and len(run) <= 4) or quoted

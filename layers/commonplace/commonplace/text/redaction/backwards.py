"""Secrets said before their noun: "hunter2 is my password", "4471 (gate code)"; and passphrases that are sentences."""

import re
from collections.abc import Iterator
from functools import cache

from commonplace.text.redaction.direct import apposed
from commonplace.text.redaction.reading import Spans
from commonplace.text.redaction.values import Token, is_mixed, number_run, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import Noun, either, words

_NOUN = re.compile(r"ph?rase")
_SIGN = re.compile(r"\s?[:=]\s")
_FEWEST, _LONGEST_PASSPHRASE = 4, 8

_REACH, _NAME_WORDS, _MOST_WORDS = 90, 4, 4
_CUT = re.compile(r"[\s\S]*(?:[.?]\s|\n)")
_IN_BRACKETS = re.compile(r"(\S{4,60}) \($")
_NUMBERED = re.compile(r"[A-Z]-\d{4,8}")
_QUOTED = re.compile(r"[\"“„«]\s?([^\"“”„«»\n]{4,80}?)\s?[\"”“»]$")
_SIGNS, _DASHES = ("=", "->", "→"), ("-", "–", "—")


def whole_sentence(view: View, noun: Noun, found: Spans) -> Spans:
    """`found`, the value of `noun`, to the end of its sentence where it is a passphrase in plain words."""
    if noun.kind != "password" or not _NOUN.search(view.folded, noun.start, noun.end):
        return found
    if found:
        start, at = found[0]
        said = view.text[start:at]
        goes_on = " " in said and said.replace(" ", "").isalpha() and view.text[at : at + 1] == " "
        end = _end(tokens(view, at)) if goes_on else None
        return [(start, end)] if end else found
    # "passphrase: the quiet river bends twice", not "passphrase: the longer the better"
    sign = _SIGN.match(view.text, noun.end)
    parts = tokens(view, sign.end()) if sign else []
    if len(parts) < _FEWEST or parts[0].word not in words("article"):
        return []
    end = _end(parts)
    judged = any(part.word in words("remark", "unit", "about") for part in parts)
    return [(parts[0].start, end)] if end and not judged else []


def _end(parts: list[Token]) -> int | None:
    for place, part in enumerate(parts[:_LONGEST_PASSPHRASE]):
        joins = part.word in words("of", "article", "own", "within_passphrase")
        if not part.text.replace("'", "").isalpha() or (part.word in words("function", "link") and not joins):
            return None
        if part.ends or place + 1 == len(parts):
            return part.end
    return None


def find_backwards(view: View, named: list[Noun]) -> Iterator[Span]:
    """Spans of values that come before the nouns for a secret, `named`."""
    for noun in named:
        following = tokens(view, noun.end, 1)
        if not (following and following[0].word in words("compound")):
            for start, end in _before(view, noun):
                yield Span(start, end, noun.kind)


@cache
def _link() -> re.Pattern[str]:
    return re.compile(rf"\s(?:{either(sorted(words('link')))}|{either([*sorted(words('as')), *_SIGNS])})\s")


def _before(view: View, noun: Noun) -> Spans:
    floor = max(0, noun.start - _REACH)
    if view.text[noun.start - 1 : noun.start] == "(" and view.text[noun.end : noun.end + 1] == ")":
        value = _IN_BRACKETS.search(view.text[floor : noun.start])
        if value and (value[1].isdigit() or is_mixed(value[1])):
            return [(floor + value.start(1), floor + value.end(1))]
    if explained := apposed(view, noun, floor):
        return explained
    if not _link().search(view.folded, max(floor, noun.start - 50), noun.start):
        return []
    cut = _CUT.match(view.text, floor, noun.start)
    parts = [part for part in tokens(view, cut.end() if cut else floor, until=noun.start) if part.raw_end <= noun.start]
    for place in range(len(parts) - 1, max(0, len(parts) - 2 - _NAME_WORDS), -1):
        if parts[place].word in words("link", "as") or parts[place].text in _SIGNS:
            owned = [part.word for part in parts[place + 1 :]]
            if not _is_of_noun(owned):
                return []
            if parts[place].word in words("as"):
                return _quotation(view, parts[:place]) or _entered(parts[:place], noun)
            return _ending(parts[:place], noun, cut is not None or floor == 0, owned)
    return []


def _is_of_noun(owned: list[str]) -> bool:
    # "... is my wifi password", not "... is a bad PIN" or "... is the worst password".
    judged = any(word in words("remark") - words("neutral") for word in owned)
    return not judged and (not owned or owned[0] in words("own") - words("of_anybody"))


def _quotation(view: View, parts: list[Token]) -> Spans:
    # 'I chose "the otter signs" as my passphrase'
    match = _QUOTED.search(view.text, parts[0].raw_start, parts[-1].raw_end) if parts else None
    return [match.span(1)] if match and HIDDEN not in match[1] else []


def _entered(parts: list[Token], noun: Noun) -> Spans:
    # "use blue monkey 42 as the password"; "use your birthday as a PIN" has words that no value has.
    numbers = next((place for place in range(len(parts)) if number_run(parts[place:])), None)
    if numbers is not None and noun.value != "key":
        return [(parts[numbers].start, parts[-1].end)]
    if noun.value in ("digits", "code") and re.fullmatch(r"\d{4,8}", parts[-1].text if parts else ""):
        return [(parts[-1].start, parts[-1].end)]
    verbs = [place for place, part in enumerate(parts) if part.word in words("enter")]
    if is_mixed(parts[-1].text):
        first = len(parts) - 1
    elif verbs and noun.value == "words" and 0 < len(parts) - 1 - verbs[-1] <= _MOST_WORDS:
        first = verbs[-1] + 1
    else:
        return []
    said = {part.word for part in parts[first:]}
    return [] if said & words("function", "evasive", "remark") else [(parts[first].start, parts[-1].end)]


def _ending(parts: list[Token], noun: Noun, from_start: bool, owned: list[str]) -> Spans:
    parts = parts[:-1] if parts and parts[-1].text in _DASHES else parts
    if not parts or HIDDEN in parts[-1].text:
        return []
    first = len(parts) - 1
    figures = noun.value != "words" and parts[first].text.strip("#*").isdigit()
    while first > 0 and not parts[first - 1].ends and _goes_with(parts[first - 1], figures):
        first -= 1
    run, ahead = parts[first:], parts[first - 1] if first else None
    if ahead and not ahead.ends and ahead.word in words("before_place"):
        return []
    at_start = bool(ahead.ends) if ahead else from_start
    return [(run[0].start, run[-1].end)] if _is_value(run, noun, at_start and bool(owned)) else []


def _goes_with(part: Token, figures: bool) -> bool:
    if figures:
        return part.text.isdigit()
    return part.word not in words("function", "leadin", "link") and bool(part.text) and HIDDEN not in part.text


def _is_value(run: list[Token], noun: Noun, alone: bool) -> bool:
    last = run[-1]
    figures = sum(sum(map(str.isdigit, part.text)) for part in run if not re.search(r"[^\W\d_]", part.text))
    if noun.value in ("key", "random"):
        return is_mixed(last.text) and len(last.text) >= 8
    if number_run(run) or (noun.value == "digits" and _NUMBERED.fullmatch(last.text)):
        return True
    if noun.value != "words":
        return figures >= (4 if noun.name == "plain_code" else 3) or (noun.value == "code" and is_mixed(last.text))
    if is_mixed(last.text) or last.text.isdigit():
        return not last.text.isdigit() or figures >= 4 or (len(run) > 1 and alone)
    said = {part.word for part in run}
    plain = not said & words("remark", "function", "evasive", "ask", "about")
    is_quoted = last.raw_end > last.end and run[0].raw_start < run[0].start
    return plain and len(run) <= _MOST_WORDS and (alone or is_quoted)

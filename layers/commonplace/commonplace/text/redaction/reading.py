"""Reads the value of a named secret from a place on: which characters are the secret, by what its noun takes."""

import re
from functools import cache
from itertools import pairwise

from commonplace.text.foundation.characters import bare_in_place
from commonplace.text.redaction.phrases import phrase
from commonplace.text.redaction.values import (
    Token,
    digits,
    grouped,
    is_blank,
    is_mixed,
    letter_run,
    number_run,
    quoted,
    tokens,
)
from commonplace.text.redaction.view import HIDDEN, View
from commonplace.text.redaction.vocabulary import number_words, words

_LEAST_DIGITS = {"words": 3, "code": 3, "digits": 3, "key": 6, "random": 12}
_SIGNS = ("-", "–", "—", ":", "=", "->", "→", "")
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BOTH_CASES = re.compile(r"(?=[^A-Z]{0,200}[A-Z])(?=[^a-z]{0,200}[a-z])[A-Za-z0-9+/=_.~-]{16,}")
_MOST_FILLERS, _LONG = 6, 150

Spans = list[tuple[int, int]]


def read(view: View, at: int, takes: str, bold: bool = True) -> Spans:
    """The parts of the value that begins at `at`, empty when what stands there is none.

    `takes` is the noun's policy. Without `bold` only what nobody says as a remark counts: no plain words.
    """
    head = next(iter(_after_fillers(tokens(view, at, _MOST_FILLERS + 1))), None)
    if head is None:
        return []
    if not head.text and view.text[head.raw_start] in "{[(":
        return []
    if HIDDEN in head.text:
        return _more(view, head.raw_end, takes)
    first = _first(view, tokens(view, head.raw_start), takes, bold) if _promises(head, takes) else None
    return [_whole(view, first), *_more(view, first[1], takes)] if first else []


def _whole(view: View, span: tuple[int, int]) -> tuple[int, int]:
    # Tokens are cut at a length that no word has; the rest of such a one belongs to the secret too.
    rest = re.compile(r"\S*").match(view.text, span[1]) if span[1] - span[0] > _LONG else None
    return (span[0], rest.end()) if rest else span


def _after_fillers(parts: list[Token]) -> list[Token]:
    # "is now: 4821", "est le 4821", "ist immer noch hunter2"; but a filler that ends its sentence was the value.
    place = 0
    for part, behind in pairwise(parts):
        figure = re.match(r"[#*]?\d", behind.text) or _is_quoted(behind) or is_mixed(behind.text)
        filler = part.word in words("filler") or part.word in _SIGNS or (part.word in words("article") and figure)
        filler = filler or (part.word in words("article", "neutral") and _made_up_near(parts, place))
        if not filler or part.ends == "." or _is_quoted(part):
            break
        place += 1
    return parts[place:]


def _made_up_near(parts: list[Token], place: int) -> bool:
    # "is still the default admin1234"
    following = parts[place + 1 : place + 3]
    return any(map(is_mixed, (part.text for part in following[: 1 + (following[0].word in words("neutral"))])))


def _is_quoted(part: Token) -> bool:
    return part.start > part.raw_start


def _promises(head: Token, takes: str) -> bool:
    # Most of what follows a noun is no value; the first word tells, before the rest is looked at.
    if _is_quoted(head) or len(head.text) == 1 or re.search(r"\d", head.text) or head.word in words("number_glue"):
        return True
    if takes == "words":
        return bool(head.word) and head.word not in words("function")
    made_up = head.text.isupper() or re.search(r"[a-z][A-Z]", head.text) or is_mixed(head.text) or len(head.text) >= 16
    return bool(made_up) or number_words().fullmatch(head.word) is not None


def _first(view: View, parts: list[Token], takes: str, bold: bool) -> tuple[int, int] | None:
    head = parts[0]
    inside = quoted(view, head.raw_start)
    if inside:
        return inside if _fits_quoted(view.text[slice(*inside)], takes) else None
    spelled = letter_run(parts) or (number_run(parts) if takes != "random" else None)
    if spelled:
        return spelled
    groups = grouped(parts) if takes in ("code", "key", "words") else None
    if groups:
        return groups
    number = digits(view, head.start, 4 if takes == "words" and not bold else _LEAST_DIGITS[takes])
    if number and (takes != "words" or not _goes_on(parts, number[1])):
        return number
    if takes == "words":
        return phrase(parts, bold)
    return (head.start, _groups_end(parts)) if takes != "digits" and _fits_token(head, takes) else None


def _goes_on(parts: list[Token], end: int) -> bool:
    following = next((part for part in parts if part.start >= end), None)
    ended = any(part.ends for part in parts if part.start < end <= part.raw_end)
    return bool(following and not ended and following.word not in words("function"))


def _fits_quoted(inside: str, takes: str) -> bool:
    if HIDDEN in inside:
        return False
    if takes == "words":
        return bare_in_place(inside) not in words("remark", "unit")
    if takes in ("key", "random"):
        return len(inside) >= 6 and is_mixed(inside) and " " not in inside
    figures = sum(map(str.isdigit, inside))
    if figures >= 3 or sum(bool(number_words().fullmatch(word)) for word in bare_in_place(inside).split()) >= 3:
        return True
    return takes == "code" and len(inside) >= 4 and (any(map(is_mixed, inside.split())) or inside.isupper())


def _fits_token(head: Token, takes: str) -> bool:
    if head.word in words("remark", "function", "evasive"):
        return False
    mixed, length = is_mixed(head.text), len(head.text)
    if takes == "code":
        return mixed or (head.text.isupper() and head.text.isalpha() and length >= 4)
    if takes == "key":
        return (mixed and length >= 6) or (_BOTH_CASES.fullmatch(head.text) is not None and not is_blank(head.text))
    # Anything may be called a key; a name with a number behind it ("user_id2", "uploads/2024") is not a secret.
    random = mixed and length >= 12 and sum(map(str.isdigit, head.text)) >= 3
    return random and not re.search(r"[/:]", head.text[:-8]) and not _UUID.fullmatch(head.text)


def _groups_end(parts: list[Token]) -> int:
    # "a1b2c-3d4e5 f6g7h-8i9j0"
    end = parts[0].end
    for before, part in pairwise(parts):
        if before.ends or not (is_mixed(part.text) or (part.text.isdigit() and len(part.text) >= 3)):
            break
        end = part.end
    return end


@cache
def _also() -> re.Pattern[str]:
    also = "|".join(map(re.escape, words("also")))
    return re.compile(rf"\s*[,;/|&+]\s*(?:(?:{also})\s+)?|\s+(?:{also})\s+")


def _more(view: View, at: int, takes: str) -> Spans:
    # "4821 and 9920", "from 4821 to 9920", "hunter2, swordfish5 or blue42"
    found: Spans = []
    while joint := _also().match(view.folded, at):
        part = next(iter(tokens(view, joint.end(), 1)), None)
        if part is None or HIDDEN in part.text:
            break
        number = digits(view, part.start, max(3, _LEAST_DIGITS[takes]))
        if not number and not (takes != "digits" and is_mixed(part.text)):
            break
        found.append(number or (part.start, part.end))
        at = found[-1][1]
    return found

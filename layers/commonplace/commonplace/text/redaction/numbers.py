"""Numbers that prove themselves or are named: cards with expiry and CVV, IBANs, numbers of persons."""

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import compiled

_IDENTITY_DIGITS = re.compile(r"\d(?:\D{0,3}\d){3}")  # none of them has fewer
_BEFORE, _AFTER = 60, 40
_SPANISH_LETTERS = "trwagmyfpdxbnjzsqvhlcke"

_DIGITS = re.compile(r"(?<![A-Za-z0-9_.+])\d(?:[ \-.\u2010-\u2015/]{0,3}\d){11,}")
_DECIMAL = re.compile(r"\d{1,3}\.\d{6}")
_LONG = re.compile(r"\d(?:\D{0,3}\d){8}")
# First digits of the issuers' ranges and the lengths that show a card without a word for one beside it.
_ISSUERS = (
    (re.compile(r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|6(?:011|5|4[4-9])|35(?:2[89]|[3-8])|62|81"), (16,)),
    (re.compile(r"3[47]|1800|2131"), (15,)),
    (re.compile(r"3(?:0[0-5]|[689])"), (14,)),
)
_IN_FOURS = re.compile(r"\d{4}([ \-.])\d{4}\1\d{4}\1\d{4}(?!\d)")
_DOUBLED = dict(zip("0123456789", (0, 2, 4, 6, 8, 1, 3, 5, 7, 9), strict=True))
_EXPIRY = re.compile(r"(?<!\d)(?:0?[1-9]|1[0-2])\s?[/\-.]\s?(?:20)?[2-4]\d(?![\d/])")
_IBAN = re.compile(r"(?i)(?<![a-z0-9])[a-z]{2}\d{2}(?:[ \-.]?[a-z0-9]){11,30}(?![a-z0-9])")


class _Identity(NamedTuple):
    number: re.Pattern[str]
    word: re.Pattern[str]
    proves_itself: Callable[[str], bool]


def find_identities(view: View) -> Iterator[Span]:
    """Spans of numbers that a state or an insurance gives a person."""
    if not _IDENTITY_DIGITS.search(view.text):
        return
    for identity in _identities():
        for match in identity.number.finditer(view.folded):
            near = view.folded[max(0, match.start() - _BEFORE) : match.end() + _AFTER]
            if identity.word.search(near) or identity.proves_itself(re.sub(r"[^a-z0-9]", "", match[0])):
                yield Span(*match.span(), "ssn")


@cache
def _identities() -> list[_Identity]:
    rows = tomllib.loads(resources.files(__package__).joinpath("identities.toml").read_text("utf-8"))["identity"]
    checks = {"french": _is_french, "spanish": _is_spanish}
    return [
        _Identity(
            re.compile(rf"(?<![a-z0-9.-])(?:{row['pattern']})(?![a-z0-9])"),
            re.compile(rf"(?<![a-z])(?:{row['word']})(?![a-z])"),
            checks.get(row.get("check", ""), lambda _: False),
        )
        for row in rows
    ]


def _is_french(number: str) -> bool:
    if len(number) != 15:
        return False
    plain = number[:13].replace("2a", "19").replace("2b", "18")
    return number[0] in "12" and plain.isdigit() and 97 - int(plain) % 97 == int(number[13:])


def _is_spanish(number: str) -> bool:
    plain = number[:-1].replace("x", "0").replace("y", "1").replace("z", "2")
    return plain.isdigit() and number[0] in "xyz" and _SPANISH_LETTERS[int(plain) % 23] == number[-1]


def find_numbers(view: View) -> Iterator[Span]:
    """Spans of card numbers with what stands beside them, and of IBANs."""
    if not _LONG.search(view.text):
        return
    for run in _DIGITS.finditer(view.text):
        for card in _cards(view, run):
            yield card
            yield from _beside(view, card)
    for match in _IBAN.finditer(view.text):
        yield from _iban(match)


def _cards(view: View, run: re.Match[str]) -> Iterator[Span]:
    groups = [(match.start(), match.end()) for match in re.finditer(r"\d+", run[0])]
    if _DECIMAL.match(run[0]):
        return
    digits, ends, at = "", {}, 0
    for start, end in groups:
        digits += run[0][start:end]
        ends[len(digits)] = run.start() + end
    if re.match(r"[A-Za-z0-9_]", view.text[run.end() : run.end() + 1]):
        del ends[len(digits)]
    before = view.folded[max(0, run.start() - 48) : run.start()]
    named = compiled("numbers.card_word").search(before + view.folded[run.end() : run.end() + 24])
    if not named and compiled("numbers.other_word").search(before):
        return
    done = 0
    for start, end in groups:
        # Beside a word for a card any number that checks is one, also of ranges that no issuer uses.
        lengths = (16, 15, 14, 13, 12, 17, 18, 19) if named else _lengths(digits, at)
        length = next((n for n in lengths if at + n in ends and at >= done and _luhn(digits[at : at + n])), 0)
        if named and at >= done and _lengths(digits, at) and _IN_FOURS.match(run[0], start):
            length = 16  # mistyped, it is still most of a card
        if length:
            done = at + length
            yield Span(run.start() + start, ends[done], "card")
        at += end - start


def _lengths(digits: str, at: int) -> tuple[int, ...]:
    return next((lengths for prefix, lengths in _ISSUERS if prefix.match(digits, at)), ())


def _luhn(digits: str) -> bool:
    total = sum(map(int, digits[-1::-2])) + sum(_DOUBLED[digit] for digit in digits[-2::-2])
    return total % 10 == 0 and len(set(digits)) > 1


def _beside(view: View, card: Span) -> Iterator[Span]:
    after = view.folded[card.end : card.end + 80]
    expiry = _EXPIRY.search(after)
    if expiry:
        yield Span(card.end + expiry.start(), card.end + expiry.end(), "card_expiry")
    named = compiled("numbers.cvv").search(after)
    code = named or compiled("numbers.bare_cvv").match(after, expiry.end() if expiry else 0)
    if code:
        yield Span(card.end + code.start(1), card.end + code.end(1), "card_code")


def _iban(match: re.Match[str]) -> Iterator[Span]:
    # The words that follow may look like more groups: the longest beginning that the checksum accepts is the IBAN.
    ends = [at for at in range(len(match[0]), 14, -1) if not match[0][at : at + 1].isalnum()]
    for end in ends:
        plain = re.sub(r"[ \-.]", "", match[0][:end]).upper()
        number = int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4]))
        if len(plain) <= 34 and sum(map(str.isdigit, plain)) >= 8 and number % 97 == 1:
            yield Span(match.start(), match.start() + end, "iban")
            return

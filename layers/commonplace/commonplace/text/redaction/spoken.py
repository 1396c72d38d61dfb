"""Secrets as people say them, noun first: "my wifi password is blue monkey 42", "PIN 4821", "la clave: 1234"."""

import re
from collections.abc import Iterator

from commonplace.text.redaction.backwards import whole_sentence
from commonplace.text.redaction.direct import find_direct
from commonplace.text.redaction.linked import find_announced, find_linked
from commonplace.text.redaction.phrases import is_plain_answer
from commonplace.text.redaction.reading import Spans, read
from commonplace.text.redaction.values import Token, is_blank, is_mixed, tokens
from commonplace.text.redaction.view import Span, View
from commonplace.text.redaction.vocabulary import Noun, compiled, words

# Signs: "password: x", "**PIN** = 4821", "Passwort (WLAN): x", "code -> 4471", "| password | x |"
_SIGN = re.compile(r"[*_\"'`]{0,3}(?:\s\([^()\n]{0,40}\))?[*_]{0,2}\s{0,3}(?::=|[:=]|=>|-+>|→|\||…|\.\.\.)[*_]{0,2}\s{0,4}")
_DASH = re.compile(r"\s{1,3}[-–—~]+\s{1,3}|\s?\?+\s{1,3}")
_IS = re.compile(r"'s\s{1,3}(?=\S)")
# "hash_password(", "password.txt", "self.password": names in a program, for which `find_assignments` is there.
_PROGRAM = re.compile(r"[(\[{.<>=/\\_-](?!\s)")
_SERIES = re.compile(r"(?:'s|\s(?:is|es|ist|est|c'est)|:)?\s\d{1,2}(?:-\d{1,2}){2,4}(?![\w-])")
# "PIN (debit) 2094"
_ASIDE = re.compile(r"\s\([^()\n]{1,30}\)\s(?=[#*]?\d{3})")
_WORD_BEFORE = re.compile(r"([a-z0-9'ß]*)[\s*_\"(\[-]*$")


def find_spoken(view: View, named: list[Noun]) -> Iterator[Span]:
    """Spans of the values that follow the nouns for a secret, `named`."""
    done = 0
    for place, noun in enumerate(named):
        if noun.start < done or compiled("spoken.public").search(view.folded, max(0, noun.start - 16), noun.start):
            continue
        ticket = noun.name == "pass" and compiled("direct.is_ticket").search(view.folded, max(0, noun.start - 16), noun.start)
        if ticket or (noun.name == "plain_code" and not _alone(view, noun)):
            continue
        beyond = named[place + 2].start if place + 2 < len(named) else len(view.text)
        found = _value(view, noun, beyond)
        if (
            found
            and noun.value == "words"
            and compiled("spoken.fiction").search(view.folded, max(0, noun.start - 60), found[-1][1] + 40)
        ):
            found = [span for span in found if is_mixed(view.text[slice(*span)])]
        found = whole_sentence(view, noun, found)
        if found:
            found += _others(view, noun, found[-1])
        for start, end in found:
            done = max(done, end)
            yield Span(start, end, noun.kind)


def _alone(view: View, noun: Noun) -> bool:
    # "Code: 4471", "the code is 4471", not "course code: 1010": any word before it might say what code it is.
    if compiled("spoken.yours").search(view.text, max(0, noun.start - 40), noun.start):
        return True
    before = _WORD_BEFORE.search(view.folded[max(0, noun.start - 24) : noun.start])
    if before is None or not before[1] or before[1] in words("own", "enter", "services") or "\n" in before[0]:
        return True
    turned = view.folded.startswith(("combi", "combo", "kombi"), noun.start)
    return turned and _SERIES.match(view.folded, noun.end) is not None


def _value(view: View, noun: Noun, beyond: int) -> Spans:
    sign = _SIGN.match(view.text, noun.end)
    if sign:
        held = tokens(view, sign.end(), 1)
        whole = view.text[held[0].raw_start : held[0].raw_end] if held else ""
        blank = held and not held[0].text.isdigit() and (is_blank(held[0].text) or is_blank(whole))
        if blank or not held:
            return []
        found = read(view, sign.end(), _taken(view, noun), bold=_is_plain_sign(view, sign, held))
        # "PIN = last four of my old phone, 6619"
        return found or find_announced(view, noun, tokens(view, sign.end(), until=beyond))
    aside = _ASIDE.match(view.text, noun.end) if noun.value in ("digits", "code") else None
    if aside and (found := read(view, aside.end(), noun.value, bold=False)):
        return found
    if noun.name == "pass" and compiled("direct.network").search(view.folded, noun.start, noun.end):
        noun = noun._replace(value="words")
    dash = _DASH.match(view.text, noun.end)
    if dash:
        return read(view, dash.end(), noun.value, bold=is_plain_answer(tokens(view, dash.end(), 5)[:4]))
    possessive = _IS.match(view.folded, noun.end)
    if possessive and (found := read(view, possessive.end(), noun.value)):
        return found
    if _PROGRAM.match(view.text, noun.end) or view.text[noun.start - 1 : noun.start] in ("_", "."):
        return []
    parts = tokens(view, noun.end, until=beyond)
    if not parts:
        return []
    return find_direct(view, noun, parts) or find_linked(view, noun, parts) or _newer(view, noun)


def _newer(view: View, noun: Noun) -> Spans:
    # "my work pw expired so the new one is Autumn-2024"
    newer = compiled("spoken.new_one").search(view.folded, noun.end, noun.end + 90)
    return read(view, newer.end(), noun.value, bold=False) if newer else []


def _taken(view: View, noun: Noun) -> str:
    # "wifi code: papaya-green", "SSID: Loft key: 0a1b2c3d4e"
    if noun.name in ("pass", "bare_key") and compiled("direct.network").search(
        view.folded, max(0, noun.start - 40), noun.end
    ):
        return "words" if noun.name == "pass" else "key"
    return noun.value


def _is_plain_sign(view: View, sign: re.Match[str], held: list[Token]) -> bool:
    # Behind "password=", in a table, or on the next line among others, words are rather code or headings.
    if sign[0] in ("=", "|") or "|" in sign[0]:
        return False
    return "\n" not in sign[0] or (len(tokens(view, sign.end(), 2)) == 1 and bool(held))


def _others(view: View, noun: Noun, found: tuple[int, int]) -> Iterator[tuple[int, int]]:
    # Of several: "the PIN for one card is 4821 and for the other 9920", "passwords: mail - Apple77x, bank - Pear88y".
    length, before = found[1] - found[0], ""
    several = noun.value == "words" and view.folded[noun.start : noun.end].endswith(("s", "worter"))
    # "the pw for amazon is x and for ebay y", "the old password was x and the new one y"
    newer = noun.value == "words" and compiled("spoken.and_another").match(view.folded, found[1])
    if newer and is_mixed((part := tokens(view, newer.end(), 1)[0]).text):
        yield part.start, part.end
    for part in tokens(view, found[1]):
        figure = noun.value in ("digits", "code") and part.text.isdigit() and len(part.text) == length >= 4
        if (figure and before not in words("before_place_in_others")) or (several and is_mixed(part.text)):
            yield part.start, part.end
        if re.search(r"[.!?]", view.text[part.end : part.raw_end]):
            return
        before = part.word

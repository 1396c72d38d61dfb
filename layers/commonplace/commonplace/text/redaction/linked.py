"""Values behind a verb or a sign: "the password for the shared drive is now hunter2", "changed my PIN to 4821"."""

import re
from functools import cache
from itertools import pairwise

from commonplace.text.redaction.phrases import is_plain_answer
from commonplace.text.redaction.reading import Spans, read
from commonplace.text.redaction.values import Token, is_mixed, letter_run, tokens
from commonplace.text.redaction.view import HIDDEN, View
from commonplace.text.redaction.vocabulary import Noun, compiled, words

_REACH, _LONG_RUN = 12, 9
_SIGN_AT_END = re.compile(r"[:=]$")
_ARROWS = ("->", "→", "=>", "-", "–", "—", "|")
_YEAR = re.compile(r"(?:19|20)\d\d")


def find_linked(view: View, noun: Noun, parts: list[Token]) -> Spans:
    """The value that a verb, a sign or a preposition among `parts`, the words behind `noun`, leads to."""
    head = parts[0]
    if head.word in words("compound") or "\n" in view.text[noun.end : head.raw_start]:
        return []
    strange = _is_strange(head) and view.text[noun.end : noun.end + 2] != " ("
    for place, part in enumerate(parts[:_REACH]):
        following = parts[place + 1] if place + 1 < len(parts) else None
        if part.word in words("several"):
            return []
        found = _led_to(view, noun, parts, place, strange)
        if found:
            return found
        if part.ends == "." or (place == 0 and not _goes_on(view, noun, head, following)):
            break
    return find_announced(view, noun, parts)


def find_announced(view: View, noun: Noun, parts: list[Token]) -> Spans:
    """The value that stands further on, where the clause ends."""
    # "the netflix password so here it is again: Pumpkin!Spice", "my passcode is his birthday, 031952".
    if noun.value in ("key", "random") or noun.name == "plain_code":
        return []
    said = [part for part in parts[:_REACH] if part.ends or part.word not in words("new", "filler")]
    for place, (part, following) in enumerate(pairwise(said), 1):
        if part.ends == ".":
            break
        # "the code has changed, now C 9 3 7 1"
        spaced = len(following.text) == 1 and letter_run(said[place:])
        spaced = spaced if part.ends or (spaced and spaced[1] - spaced[0] >= _LONG_RUN) else None
        if spaced and re.search(r"\d", view.text[slice(*spaced)]):
            return [spaced]
        last = following.ends or following is parts[-1]
        figure = following.text.isdigit() and len(following.text) >= 4 and not _YEAR.fullmatch(following.text)
        leads = part.ends == ":" or part.word in words("so")
        if last and ((leads and is_mixed(following.text)) or (part.ends and figure)):
            return read(view, following.raw_start, noun.value, bold=False)
    return []


def _led_to(view: View, noun: Noun, parts: list[Token], place: int, strange: bool) -> Spans:
    part = parts[place]
    raw = view.text[part.raw_start : part.raw_end]
    if place and raw.startswith("(") and (found := read(view, part.raw_start + 1, noun.value, bold=False)):
        return found
    weak = part.word in words("enter") or (place and (part.word == "as" or part.text in _ARROWS))
    same_line = view.text[part.raw_end : part.raw_end + 2].lstrip(" \t")[:1] != "\n"
    colon = same_line and (part.text or place) and _SIGN_AT_END.search(raw)
    if weak or colon or part.word in words("link"):
        strange = strange or (place == 0 and bool(colon) and part.word not in words("qualifier", "link"))
        if strange and (noun.value in ("key", "random") or noun.name == "plain_code"):
            return []
        # "mot de passe télésurveillance : Mozzarella"
        alone = colon and noun.name == "password" and len(parts) == place + 2 and is_plain_answer(parts[place + 1 :])
        # "my password is hunter2 and my sister's name is Ana": behind a value that is out already another verb is of something else.
        told = any(HIDDEN in one.text for one in parts[:place]) and not words("own").isdisjoint(
            one.word for one in parts[:place]
        )
        return read(view, part.raw_end, noun.value, bold=(bool(alone) or not (weak or strange)) and not told)
    return _arrow(view, noun, parts, place) if part.word in words("arrow") else []


def _is_strange(part: Token) -> bool:
    # Of what stands between noun and verb a name is harmless ("password Netflix is"), any other word may change
    # what is spoken of ("password joke: knock knock").
    return part.word not in words("qualifier", "link", "arrow") and not part.text[:1].isupper() and bool(part.word)


def _goes_on(view: View, noun: Noun, head: Token, following: Token | None) -> bool:
    if head.word in words("qualifier", "link", "arrow") or view.text[noun.end : noun.end + 2].rstrip() in (",", " ("):
        return True
    return following is not None and (following.word in words("link") or following.text in ("", "=") or _is_name(view, noun))


def _is_name(view: View, noun: Noun) -> bool:
    # "votre code de validation La Banque est le 903118"
    parts = tokens(view, noun.end, 5)
    named = next((place for place, part in enumerate(parts) if not part.text[:1].isupper() or part.ends), 0)
    return named > 1 and parts[named].word in words("link")


def _arrow(view: View, noun: Noun, parts: list[Token], place: int) -> Spans:
    if place + 1 == len(parts):
        return []
    following, changed = parts[place + 1], _changes(view, noun)
    # "switched the password to a passkey"
    before = parts[place - 1].word if place else ""
    if parts[place].word == "a" and before in ("to", "into", "with", "from"):
        return []
    # "the mail took ages to arrive"
    if parts[place].word in words("infinitive") and before in words("before_infinitive"):
        return []
    dated = _YEAR.fullmatch(following.text) and parts[place].word in words("before_date")
    if dated or not (changed or (place < 2 and parts[place].word in words("pointing"))):
        return []
    last = place + 2 == len(parts) or bool(following.ends) or parts[place + 2].word in words("after_change")
    takes = noun.value if noun.value != "words" or changed else "code"
    # "I changed the password, they were slow to answer"
    elsewhere = any(part.ends for part in parts[: max(0, place - 1)])
    return read(view, following.raw_start, takes, bold=last and not elsewhere)


def _changes(view: View, noun: Noun) -> bool:
    # German puts the verb behind: "das Passwort auf hunter2 geändert".
    before, after = view.folded[max(0, noun.start - 40) : noun.start], view.folded[noun.end : noun.end + 60]
    return bool(_change().search(before) or compiled("linked.changed").search(after))


@cache
def _change() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, sorted(words('change'))))})")

"""Find codes and other secrets by clues to their use, and find answers to security questions.

The clue may be a verb ("4471 opens the garage"), a lock ("the safe: R14 L32 R7"), the source (a list, a text message), or the
thing that is unlocked ("the laptop unlocks with kestrel.over.the.weir"). Some sentences contain no word for a secret at all
("the netflix one is still x")."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from commonplace.text.foundation.numbers import digit_words
from commonplace.text.redaction.values import Token, digits, is_branded, is_mixed, is_passphrase, is_remark, quoted, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import any_of, compiled, either, expression, words

FIGURES = re.compile(r"\d.?\d.{0,2}\d")
# Codes have digits. French door codes also have a letter from A to D.
NUMBER = r"(?P<value>[#*]?(?:\d(?:[ \-.]?\d){2,9}|\d{1,6}[a-d]\d{2,4}|\d{3,6}[a-d]|[a-d]\d{3,6}|[a-z](?:\s\d){3,6})[#*]?)(?![\w@%])"
# French door phones: "interphone 77B14 3e étage", "Bât C, code A7714, 3e étage"
_LETTERED = r"(?P<value>\d{2,4}[ab]\d{1,3}|[ab]\d{4,5}|\d{4,5}[ab])(?![\w-])"
_OTP = "one_time_code"
_AS_CODE = r"(?:as|como|als|comme)"
SERIES = re.compile(r"\d{1,2}(?:[-. ]\d{1,2}){2,4}")
_LIKE_YEAR_OR_PRICE = re.compile(r"(?:19|20)\d\d|\d+\.\d\d?|\d{1,3}\.\d{3}")


def find_openers(view: View) -> Iterator[Span]:
    """Find codes near a verb for entering, opening or verifying something."""
    if FIGURES.search(view.text):
        for pattern, kind in _compile_opener_patterns():
            for match in pattern.finditer(view.folded):
                yield Span(*match.span("value"), kind)


@cache
def _compile_opener_patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    enter, at, opens, finishes = (any_of(name) for name in ("enter", "at", "opens", "finishes"))
    place, with_it = any_of("places"), any_of("with_it")
    own = rf"(?:(?:{any_of('own')})\s|l')?(?:[a-z'ß]{{2,15}}\s)?"
    begin = rf"(?<![a-z0-9])(?:{enter})\s(?:the\s)?(?:code\s|pin\s)?(?:ein\s)?{NUMBER}"
    proving = rf"\s(?:[a-z']{{1,12}}\s){{0,2}}?(?:{finishes})(?![a-z])"
    patterns: tuple[tuple[str, str], ...] = (
        (
            rf"{expression('openers.to_open')}[^\d\n.]{{0,40}}?(?:{expression('openers.it_is')}|{enter})\s(?:el\s|le\s|die\s)?{NUMBER}",
            "code",
        ),
        (rf"{expression('openers.to_open')}\s{own}(?:{place})[,:]?\s(?:you\s|just\s|please\s)?(?:{enter})\s{NUMBER}", "code"),
        (rf"(?<![a-z])(?:{opens}|get into|get in)\s{own}(?:{place})\s(?:{with_it})\s(?:code\s)?{NUMBER}", "code"),
        (rf"{begin}\s(?:[a-z]{{2,10}}\s)?(?:{at})\s{own}(?:{place})(?![a-z])", "code"),
        (rf"(?<![\w.]){NUMBER}\s(?:{opens})\s{own}(?:{place})(?![a-z])", "code"),
        (
            rf"(?:texted|sent|emailed|got|received)\s(?:me\s|us\s)?(?:[a-z]-)?{NUMBER}\s(?:twice\s|again\s)?(?:to|for){proving}",
            _OTP,
        ),
        (rf"(?<![a-z])(?:code|codigo)\s{NUMBER}\s(?:to|for|para|pour|zum|um|zur){proving}", _OTP),
        (rf"{begin}\s{_AS_CODE}\s{own}(?:[a-z]{{2,12}}\s)?{expression('openers.code')}", "code"),
        (rf"{begin}\s(?:[a-z]{{2,10}}\s)?(?:{at}){proving}", _OTP),
    )
    patterns += (
        (rf"(?<![a-z]){expression('openers.door_phone')} {_LETTERED}", "code"),
        # "tippst du 4431 ein geht die Tür auf", "tu tapes 4431 et la porte s'ouvre"
        (
            rf"(?<![a-z])(?:(?:{enter})\s{expression('openers.one_types')}){NUMBER}"
            rf"\s?,?\s{expression('openers.and_then')}[^\d\n.!?]{{0,25}}?(?:{expression('openers.gives_way')})(?![a-z])",
            "code",
        ),
        # "am Automaten musst du 4431 eintippen"
        (rf"{expression('openers.must')}{NUMBER}\s{expression('openers.type')}", "code"),
        # "en bas c'est 58B26 pour la porte"
        (
            rf"(?<![a-z])(?:{expression('openers.it_is')})\s(?:le\s|el\s|die\s)?{NUMBER}\s(?:pour|para|fur|for)\s{own}(?:{place})(?=[\s,.;!]|$)",
            "code",
        ),
    )
    return tuple((re.compile(pattern), kind) for pattern, kind in patterns)


def is_like_year_or_price(text: str) -> bool:
    """Return whether a number looks like a year or a price rather than a code."""
    return bool(_LIKE_YEAR_OR_PRICE.fullmatch(text))


def lacks_unit(view: View, start: int, end: int) -> bool:
    """Return whether a number has at least three digits and no unit or noun after it.

    After a space, only a sign or a function word other than "by", "x" and "per" may follow, unlike in "4431 apples".
    """
    # A word that can't continue the sentence is a unit, as in "the safe is 1200 pounds" and "opens with 300 guests".
    if not digits(view, start, 3):
        return False
    following = tokens(view, end, 2)
    if not following or not view.text[end : end + 1].isspace():
        return True
    if following[0].word in words("between_measures"):
        return False
    return following[0].word in words("function", "link", "also", "in_again") or not following[0].word.isalnum()


# "the lockbox is left of the door, combo 6038", "screen time on the ipad is 8140", "Fahrradschloss: 7-2-9-4"
_SPOKEN = (
    r"(?:\s?[:=→]|'s\s|[\s(,](?:{links})(?:\s(?:{fillers})){{0,2}}:?|\s(?=\d{{1,2}}(?:-\d{{1,2}}){{2}}))\s?"
    r"(?:the\s|el\s|le\s|die\s)?"
)
_LIKE_TIME = re.compile(r"(?:[01]?\d|2[0-3])[ .]?[0-5][05]")

_FIGURE = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_REACH, _FEWEST = 70, 3


def find_locks(view: View) -> Iterator[Span]:
    """Find codes after or before the name of a lock."""
    if not (FIGURES.search(view.text) and _compile_lock_pattern().search(view.folded)):
        return
    for pattern in _compile_certain_lock_patterns():
        for match in pattern.finditer(view.folded):
            yield Span(*match.span("value"), "code")
    for pattern in _compile_uncertain_lock_patterns():
        for match in pattern.finditer(view.folded):
            if _is_lock_code(view, match):
                yield Span(*match.span("value"), "code")


@cache
def _compile_lock_pattern() -> re.Pattern[str]:
    return re.compile(f"{any_of('locks')}|combo|parking")


@cache
def _compile_certain_lock_patterns() -> tuple[re.Pattern[str], ...]:
    own = rf"(?:(?:{any_of('own')})\s|l')?(?:[a-z'ß]{{2,15}}\s)?"
    enter = any_of("enter")
    keyed, opens = expression("locks.keyed"), any_of("opens")
    return (
        # "Gartentor 4471 und Raute"
        re.compile(rf"(?<![a-z])[a-zß]{{0,12}}?(?:{any_of('locks')})\s{NUMBER}\s(?:{expression('locks.press')})(?![a-z])"),
        # "key safe left of the porch, 2719 opens it"
        re.compile(
            rf"(?:{any_of('locks')})(?![a-z])[^\d\n.!?]{{0,50}}[,:;(]\s{NUMBER}\s(?:{opens})\s"
            r"(?:it|that|them|la|lo|es|ihn|sie|both)(?![a-z])"
        ),
        # "Schlüsseltresor neben der Tür, 4431, danach wieder rein"
        re.compile(
            rf"{expression('locks.key_box')}(?![a-z])"
            r"[^\d\n.!?]{0,50}[,:;(]\s(?P<value>(?!(?:19|20)\d\d)\d{4,6})(?=[,.;!)]|$)"
        ),
        # "para el garaje hay que marcar el 7729"
        re.compile(
            rf"(?<![a-z])(?:for|para|pour|furs?)\s{own}(?:{any_of('locks')}|parking)\s[^\d\n.!?]{{0,25}}?(?<![a-z])(?:{enter}|faire)\s"
            rf"(?:the\s|el\s|le\s|die\s)?{NUMBER}(?=[.,;!?\s]|$)"
        ),
        # "so give her 5582 for the keypad"
        re.compile(rf"(?:give|tell|text|send)\s(?:her|him|them|me|us)\s{NUMBER}\sfor\s{own}{keyed}"),
    )


@cache
def _compile_uncertain_lock_patterns() -> tuple[re.Pattern[str], ...]:
    links, fillers = any_of("lock_links", "enter"), any_of("filler")
    pattern = _SPOKEN.format(links=links, fillers=fillers)
    return (
        re.compile(rf"(?<![a-z])[a-zß]{{0,12}}?(?P<lock>{any_of('locks')})(?![a-z])[^\d\n.!?]{{0,60}}?{pattern}{NUMBER}"),
        re.compile(
            rf"(?<![a-z])[a-zß]{{0,12}}?(?P<lock>{any_of('locks')})\s{expression('locks.where')}\s{NUMBER}(?=[,.;!)]|$|\s(?:and|und|et|y|you|du|t'as|tienes|danach|puis|despues)\s)"
        ),
        # "si t'arrives avant moi : portail 7714, l'appart est ouvert"
        re.compile(
            rf"(?<![a-z])[a-zß]{{0,12}}?(?P<lock>{expression('locks.by_name')})\s{NUMBER}(?<!00)(?=[,.;!)](?!\d)|$|\s(?:{expression('locks.press')}|einstellen|et|puis|dann)(?![a-z]))"
        ),
        # "the safe opens with mum's birthday, 061187"
        re.compile(
            rf"(?<![a-z])[a-zß]{{0,12}}?(?P<lock>{any_of('locks')})(?![a-z])[^\d\n.!?]{{0,60}}?{expression('locks.birthday')}"
            rf"(?![a-z])[^\d\n.!?]{{0,20}}[,:(]\s?{NUMBER}(?=[,.;!)]|$)"
        ),
        # "my wife set our alarm to 8055"
        re.compile(
            r"(?<![a-z])(?:set|changed|reset|puse|cambie|stelle|mis)\s(?:[a-z]{2,7}\s){1,2}"
            rf"(?P<lock>{any_of('locks')})\s(?:to|a|en|auf|sur)\s{NUMBER}"
        ),
    )


def _is_lock_code(view: View, match: re.Match[str]) -> bool:
    """Return whether a number next to a lock is a code, rather than a name, a time, a year, a price or a measure."""
    value = match["value"].strip("#*")
    if SERIES.fullmatch(value) or re.search(r"[a-z]", value):
        return True
    # In "my locker number is 214", the number is a name and not a code.
    if compiled("locks.called").search(view.folded, match.end("lock"), match.start("value")):
        return False
    at_a_time = match["lock"].startswith("alarm") and _LIKE_TIME.fullmatch(value)
    # In "locker is 214", the number isn't a code, because only dials have three-digit codes.
    short = len(value) < 4 and not match["lock"].endswith(("lock", "suitcase", "schloss", "koffer", "cadenas", "candado"))
    return not at_a_time and not short and not is_like_year_or_price(value) and lacks_unit(view, *match.span("value"))


def find_turns(view: View) -> Iterator[Span]:
    """Find dial positions ("R14 L32 R7") after the name of a lock."""
    if len(_FIGURE.findall(view.text)) < _FEWEST:
        return
    for match in compiled("locks.turns").finditer(view.folded):
        before = view.folded[max(0, match.start() - _REACH) : match.start()]
        if re.search(rf"(?<![a-z])[a-zß]{{0,12}}?(?:{any_of('locks')}|combo)(?![a-z])", before):
            yield Span(*match.span(), "code")


_NUMBER = re.compile(r"(?<![A-Za-z0-9_.,:/#$€£+-])(?<!\d\s)(?:\d{3}[ -]\d{3}|\d{4,8})(?![a-z0-9%€$£]|[ .,:/-]{1,2}\d)")
_LEFT, _RIGHT = 60, 90

_WORD = re.compile(r"[a-zß]+")
_BETWEEN = re.compile(r",?[\s-]{1,2}")
_BEHIND = re.compile(r"([a-z']+)[\s,\"]{1,3}$|[:=]\s?$")
_FEWEST_DIGITS, _OPENED_BEFORE, _OPENED_AFTER = 4, 60, 60
_AHEAD = re.compile(r"[^\n.!?:\d]{0,40}?(?:[:：]|\s-|(?=\s\d{1,2}[.)]\s)|は)")
_NUMBERING = re.compile(r"[\s,;/|•*·-]*(?:\d{1,2}[.)]\s{1,2}|#\d{1,2}:?\s)?")
_ITEM = re.compile(
    r"\d{4} \d{4}(?!\w)|\d{3} \d{3}(?!\w)|[a-z0-9]{3,8}(?:-[a-z0-9]{3,8}){1,3}(?![\w-])|[a-z0-9]{6,12}(?![\w-])"
)
_SHAPE = re.compile(r"[a-z0-9]")
_FEWEST_LISTED, _MOST = 2, 40


def find_arrivals(view: View) -> Iterator[Span]:
    """Find received one-time codes by nearby words for a medium or for haste. Codes of under six digits need both."""
    for match in _NUMBER.finditer(view.folded):
        start, end = match.span()
        after = compiled("codes.after").match(view.folded, end)
        if not (after or compiled("codes.before").search(view.folded, max(0, start - _LEFT), start)):
            continue
        near = view.folded[max(0, start - _LEFT) : end + _RIGHT]
        medium, hurry = compiled("codes.medium").search(near) is not None, compiled("codes.hurry").search(near) is not None
        if not (medium and hurry if len(match[0]) < 6 else medium or hurry) or is_like_year_or_price(match[0]):
            continue
        if after or compiled("codes.steps").match(view.folded, end) or lacks_unit(view, start, end):
            yield Span(start, end, "one_time_code")


def find_stated(view: View) -> Iterator[Span]:
    """Find codes of four or more spoken digits that are near a lock or phone and follow words like "is"."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(view.folded):
        if run and not (word[0] in digit_words() and _BETWEEN.fullmatch(view.folded, run[-1].end(), word.start())):
            yield from _find_spoken_code(view, run)
            run = []
        if word[0] in digit_words():
            run.append(word)
    yield from _find_spoken_code(view, run)


def _find_spoken_code(view: View, run: list[re.Match[str]]) -> Iterator[Span]:
    """Yield spans of number words that form a code. A lock or phone must be near, and a word like "is" must precede them."""
    if len(run) < _FEWEST_DIGITS:
        return
    start, end = run[0].start(), run[-1].end()
    steps = {after - before for before, after in pairwise(digit_words()[word[0]] for word in run)}
    # "eins zwei drei vier" is counting.
    if steps in ({1}, {-1}):
        return
    near = view.folded[max(0, start - _OPENED_BEFORE) : end + _OPENED_AFTER]
    behind = _BEHIND.search(view.folded, max(0, start - 20), start)
    leading = words("link", "with_it", "enter", "typing", "lock_links", "in_again", "at")
    leads = behind and (behind[1] is None or behind[1] in leading)
    following = tokens(view, end, 1)
    counted = following and following[0].word in words("unit")
    if leads and not counted and _compile_lock_or_phone_pattern().search(near):
        yield Span(start, end, "code")


@cache
def _compile_lock_or_phone_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:[a-z]{{0,12}}?(?:{any_of('locks')})|parking|handy|movil|telephone|phone)(?![a-z])")


def find_listings(view: View) -> Iterator[Span]:
    """Find the backup codes in a list. Each code has its own span."""
    if not re.search(r"\d", view.text):
        return
    for announced in compiled("codes.announced").finditer(view.folded):
        ahead = _AHEAD.match(view.folded, announced.end())
        if ahead:
            for start, end in _find_items(view.folded, ahead.end()):
                yield Span(start, end, "one_time_code")


def _find_items(text: str, at: int) -> list[tuple[int, int]]:
    """Return the spans of consecutive list items with the same shape from `at`, or [] if there are too few or no digits."""
    spans: list[tuple[int, int]] = []
    shape = ""
    while len(spans) < _MOST:
        numbering = _NUMBERING.match(text, at)
        item = _ITEM.match(text, numbering.end() if numbering else at)
        if not item or (spans and _SHAPE.sub("x", item[0]) != shape):
            break
        shape = _SHAPE.sub("x", item[0])
        spans.append(item.span())
        at = item.end()
    return spans if len(spans) >= _FEWEST_LISTED and any(re.search(r"\d", text[start:end]) for start, end in spans) else []


_KEYS_PRESSED = re.compile(r"(?:ctrl|alt|cmd|shift|win|strg|fn|maj|option)[+-]")
_COUNTED = "0123456789 9876543210"
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
_JOINTS = ("/", "&", "+")
_OF_DOCUMENT = 30


def find_entries(view: View) -> Iterator[Span]:
    """Find values that unlock something, as in "the laptop unlocks with kestrel.over.the.weir"."""
    with_it, typing = _compile_entry_cues()
    if with_it.search(view.folded):
        for pattern in _compile_entry_patterns():
            yield from _find_entry_values(view, pattern)
    if " what " in view.folded:
        yield from _find_entry_values(view, _compile_use_pattern())
    if typing.search(view.folded):
        yield from _find_entry_values(view, _compile_typed_pattern())
        yield from _find_entry_values(view, _compile_purpose_pattern())


@cache
def _compile_entry_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns for "opens with 4471", and for German verbs whose prefix is last ("kommt man mit 4471 rein")."""
    with_it, repeated = any_of("with_it"), any_of("in_again")
    reach = rf"[^\d\n.!?;]{{0,40}}?\s(?:{with_it})\s(?:(?:the|el|la|le|der|dem|den)\s)?(?:{expression('openers.code')}\s)?(?=(?P<value>\d(?: \d){{2,9}}|\S{{3,80}}))"
    whole = rf"(?<![a-z])(?:s')?(?P<verb>{any_of('unlocking', 'entering')})[a-zß]{{0,6}}{reach}"
    behind = rf"(?=(?:\S{{2,40}}\sund\s)?(?:\S{{3,40}}|\d(?: \d){{2,9}})\s(?:{repeated})(?![a-z]))"
    parted = rf"(?<![a-z])(?P<verb>{any_of('parted')}){reach}{behind}"
    return re.compile(whole), re.compile(parted)


@cache
def _compile_entry_cues() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns for words like "with" and verbs like "type". The slower patterns need one of these."""
    return re.compile(rf"\s(?:{any_of('with_it')})\s"), re.compile(rf"(?<![a-z])(?:{any_of('typing', 'using')})\s")


@cache
def _compile_typed_pattern() -> re.Pattern[str]:
    """Return the pattern for "type kestrel-weir to unlock the laptop". Its groups are used, value and verb."""
    verbs = any_of("unlocking", "entering")
    return re.compile(
        rf"(?<![a-z])(?:(?P<used>{any_of('using')})|{any_of('typing')})\s"
        rf"(?=(?P<value>\S{{6,80}})\s(?:to|para|pour|um)\s(?:(?:mich|sich|dich|me|te|se|vous)\s)?(?P<verb>{verbs}))"
    )


@cache
def _compile_use_pattern() -> re.Pattern[str]:
    """Return the pattern for "teapot-Gorilla-55 is what I log into the site with". Its groups are value and verb."""
    verbs = any_of("unlocking", "entering", "typing")
    return re.compile(rf"(?<!\S)[\"'“]?(?P<value>\S{{6,80}})\s(?:is|was)\swhat\s(?:i|we|you|he|she|they)\s(?P<verb>{verbs})")


@cache
def _compile_purpose_pattern() -> re.Pattern[str]:
    """Return the pattern for "to decrypt the archive use seven-lemon-trucks". Its groups are verb and value."""
    verbs, use = any_of("unlocking", "entering"), any_of("using", "typing")
    purpose = rf"(?:to|para|pour|um|zum)\s(?P<verb>{verbs})"
    return re.compile(rf"(?<![a-z]){purpose}[^\d\n.!?;]{{0,30}}?\s(?:{use})\s(?P<value>\S{{6,80}})")


def _find_entry_values(view: View, pattern: re.Pattern[str]) -> Iterator[Span]:
    """Yield the spans of the values that match `pattern`, unless they are ordinary words."""
    for match in pattern.finditer(view.folded):
        if compiled("entries.fails").search(match[0]):
            continue
        loose = match["verb"] in words("loose") or (match.groupdict().get("used") and match["verb"] not in words("entering"))
        if loose and compiled("entries.document").search(view.folded, max(0, match.start() - _OF_DOCUMENT), match.start()):
            loose = False
        value = _find_entry_value(view, match.start("value"), not loose)
        if value:
            yield Span(*value, "password" if match["verb"] in words("entering") else "code")


def _find_entry_value(view: View, at: int, lenient: bool) -> tuple[int, int] | None:
    """Return the span of the number or made-up word at `at`, or None. Unless `lenient`, words need a special sign."""
    parts = tokens(view, at, 3)
    joint = len(parts) == 3 and (parts[1].text in _JOINTS or parts[1].text in words("and"))
    if lenient and joint and _is_made_up(parts[2].text):
        return parts[2].start, parts[2].end
    inside = quoted(view, parts[0].raw_start)
    if inside:
        return inside if lenient or is_mixed(view.text[slice(*inside)]) else None
    number = digits(view, parts[0].start, 3)
    if number:
        text = view.text[slice(*number)]
        enough = sum(map(str.isdigit, text)) >= 4
        # "it opened with 4 3 2 1" is a countdown, but "opens with 1 9 4 4" isn't.
        if " " in text and not lenient and (not enough or text.replace(" ", "") in _COUNTED):
            return None
        if SERIES.fullmatch(text):
            return number
        return number if enough and not is_like_year_or_price(text) and lacks_unit(view, *number) else None
    text = parts[0].text
    signed = len(text) >= 8 and (is_passphrase(text) or re.search(r"[^\w.-]|_", text[:-1]) is not None)
    return (parts[0].start, parts[0].end) if (lenient or signed) and _is_made_up(parts[0].text) else None


def _is_made_up(text: str) -> bool:
    named = _KEYS_PRESSED.match(text.lower()) or is_branded(text)
    return not named and not _CONSTANT.fullmatch(text) and len(text) >= 6 and (is_mixed(text) or is_passphrase(text))


_MOST_WORDS = 4

# A frequency band ("sakura-5G") or a router model ("Archer-AX73")
_BAND = re.compile(r"(?i:.*[_-]?[2456]g(?:hz)?(?:[_-]?ext)?)|(?:[A-Z][A-Za-z]+[-_])?[A-Z]{1,5}-?\d+[A-Z\d]{0,4}")
_TIME = re.compile(r"(?:[01]?\d|2[0-3])[0-5][05]")
_FIGURES = r"(?P<value>[#*]?\d{4,8}[#*]?)(?![a-z0-9_%])"


@cache
def _compile_security_answer_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns for the topic of a security question ("first pet") up to its answer, and for Japanese."""
    plain = [word for word in words("topic") if word.isascii() or "ß" in word]
    japanese = "|".join(sorted(words("topic_ja"), key=len, reverse=True))
    middle = expression("hints.middle")
    pattern = rf"(?<![a-z])(?:{either(plain)})(?:'s name|'s)?(?![a-z]){middle}[\"'”»)]*\s?(?:[:=?,→(-]+\s?)?{middle}\s*"
    return re.compile(pattern), re.compile(rf"(?:{japanese})(?:の名前|の名)?[」』]?{expression('hints.answer_ja')}")


def find_topics(view: View) -> Iterator[Span]:
    """Find answers to common security questions. Only texts that mention security questions are searched."""
    if not compiled("hints.security_question").search(view.folded):
        return
    plain, japanese = _compile_security_answer_patterns()
    for match in plain.finditer(view.folded):
        run = _collect_answer_words(view, tokens(view, match.end(), _MOST_WORDS + 1))
        if run:
            yield Span(run[0].start, run[-1].end, "security_answer")
    for match in compiled("hints.entered").finditer(view.folded):
        run = _collect_answer_words(view, tokens(view, match.start("value"), _MOST_WORDS + 1, match.end("value")))
        empty = any((part.text.islower() and is_remark(part.word)) or part.word in words("evasive") for part in run)
        if run and not empty and words("evasive", "function").isdisjoint(match["value"].split()):
            yield Span(run[0].start, run[-1].end, "security_answer")
    for match in (*japanese.finditer(view.folded), *compiled("hints.in_quotes_ja").finditer(view.folded)):
        evasive = re.search(r"何|誰|どこ|なん|だれ|わか|忘|変え|教え|答え|覚え", match["value"])
        if not evasive and HIDDEN not in match["value"]:
            yield Span(*match.span("value"), "security_answer")


def _collect_answer_words(view: View, parts: list[Token]) -> list[Token]:
    """Return the words in an answer to a security question, or an empty list."""
    run: list[Token] = []
    for part in parts[:_MOST_WORDS]:
        goes_on = part.word in words("function") or part.word in words("link") or (not run and is_remark(part.word))
        if HIDDEN in part.text or not part.text or (goes_on and not part.text[:1].isupper()):
            break
        run.append(part)
        if part.ends:
            break
    # A lower-case name must end its clause: "first pet fluffy, ...", not "first pet question again".
    named = any(part.text[:1].isupper() or part.text[:1].isdigit() for part in run)
    ended = bool(run) and (bool(run[-1].ends) or len(run) < len(parts) or len(parts) < _MOST_WORDS)
    if run and run[-1].raw_end < parts[-1].raw_end and run[-1].ends == "?":
        return []
    if run and compiled("hints.security_question").search(view.folded, run[0].start, run[-1].end):
        return []
    return run if named or (ended and len(run) <= 2) else []


def find_hints(view: View) -> Iterator[Span]:
    """Find passwords and codes that no noun announces, as in "the netflix one is still x" and "tell the plumber 7410"."""
    for match in compiled("hints.typed_in").finditer(view.folded) if compiled("hints.network").search(view.folded) else ():
        part = tokens(view, match.end(), 1)
        inside = part and re.search(r"[a-z][!#$%&*+=@_][a-z]", part[0].word) is not None and is_mixed(part[0].text)
        named = part and len(part[0].text) >= 6 and is_mixed(part[0].text) and not is_branded(part[0].text)
        if part and (inside or named) and not _BAND.fullmatch(part[0].text):
            yield Span(part[0].start, part[0].end, "password")
    if not re.search(r"\d", view.text):
        return
    for match in _compile_service_pattern().finditer(view.folded):
        part = tokens(view, match.end(), 1)
        if part and _is_password(part[0].text):
            yield Span(part[0].start, part[0].end, "password")
    for match in _compile_caller_pattern().finditer(view.folded):
        value = match["value"]
        likely = not is_like_year_or_price(value) and not _TIME.fullmatch(value) and not value.endswith("00")
        if likely and lacks_unit(view, *match.span("value")):
            yield Span(*match.span("value"), "code")
    for pattern in () if view.text.isascii() else _compile_network_patterns():
        for match in pattern.finditer(view.folded):
            value = view.text[slice(*match.span("value"))]
            if _is_password(value) and not _BAND.fullmatch(value):
                yield Span(*match.span("value"), "password")


@cache
def _compile_service_pattern() -> re.Pattern[str]:
    """Return the pattern for the words before a password in "the netflix one is x" or 「Netflixのはx」."""
    service = rf"(?:{any_of('services', 'accounts')})"
    return re.compile(
        rf"(?<![a-z])(?:{expression('hints.one').replace('{service}', service)}|(?:{service}|メール|銀行)の(?:方)?は(?:まだ|今は|今も)?\s?)(?=\S)"
    )


@cache
def _compile_caller_pattern() -> re.Pattern[str]:
    """Return the pattern for a code that someone is told ("tell the plumber 7410", 「配管工さんには7410と伝えて」)."""
    caller = rf"(?:[a-z]{{2,12}}\s)?(?:{any_of('callers')})"
    japanese = r"さん(?:に|には|へは)(?=[#*\d]{4,9}(?:だ)?(?:と|って)(?:伝|言|教))"
    return re.compile(rf"(?:(?<![a-z])(?:{expression('hints.tells').replace('{caller}', caller)})|{japanese}){_FIGURES}")


@cache
def _compile_network_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns for a password after a Japanese word for a network, with or without the network's name."""
    net, end = expression("hints.network_ja"), r"(?=です|だ|で[、。す]|。|、|ね|よ|な|$|\s)"
    return (
        # 「Wi-FiはSakuraHome、hanami-3391です」
        re.compile(rf"{net}[はが:]\s?[!-~]{{2,40}}?(?:\s?[/、,|]\s?|で、?|の|\s)(?P<value>[!-~]{{6,60}}?){end}"),
        # 「Wi-Fiはhanami3391で繋がる」
        re.compile(rf"{net}[はが:]\s?(?P<value>[!-~]{{6,60}})で(?:つな|繋|入れ|入り|接続でき|ログイン)"),
    )


def _is_password(text: str) -> bool:
    """Return whether a word looks like a password, rather than a name ("Pixel8"), a version ("v2.4") or a price ("49.99")."""
    figures = re.findall(r"\d", text)
    made_up = is_mixed(text) and not is_branded(text) and re.search(r"[a-z]", text) is not None
    enough = len(figures) > 1 or len(text) >= 10 or re.search(r"[-_!#$]", text) is not None
    return made_up and len(text) >= 6 and bool(figures) and enough

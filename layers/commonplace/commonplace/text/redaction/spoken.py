"""Find secrets in ordinary sentences.

The noun for a secret may precede the value ("my wifi password is blue monkey 42", "PIN 4821") or follow it ("hunter2 is my
password", "4471 (gate code)"). Passphrases that are whole sentences are also found."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from commonplace.text.redaction.values import (
    Spans,
    Token,
    digits,
    is_blank,
    is_branded,
    is_mixed,
    is_passphrase,
    is_plain_answer,
    letter_run,
    number_run,
    quoted,
    read,
    tokens,
)
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import Noun, any_of, compiled, either, words

# The value is on the same line, or alone on the next line.
_GAP = re.compile(r"(?:'s|s')?[ \t\u3000]{1,3}|\n(?=\S{4,40}(?:\n|$))")
_COMBINATION = re.compile(r"[ck]ombin\w+\s\d{1,2}(?:-\d{1,2}){2,4}(?![\w-])")
_YEAR = re.compile(r"(?:19|20)\d\d")
# "PUK for the sim in the dash cam 40718826"
_FAR, _DIRECT_REACH = 5, 12
# The minimum length of a value without a verb before it.
_LEAST = {"pass": 6, "api_key": 8, "token": 10, "private_key": 12, "password": 4}

_VALUE = re.compile(r"(?:^|(?<=[\s\"'“«(]))(\d(?: \d){3,7}|[^\s,]{4,60}?)[\"'”»]?$")
_BEFORE = re.compile(r"([a-z']+)[\s\"'“«(]*$")
_FIGURES = re.compile(r"[#*]?\d(?:[ -]?\d){3,7}[#*]?")


def find_direct(view: View, noun: Noun, parts: list[Token]) -> Spans:
    """Return the span of a value that follows the noun without a verb, or []. `parts` contains the tokens after the noun."""
    head = parts[0]
    if head.word in words("compound") or not _can_value_follow(view, noun):
        return []
    if not head.text and head.ends == ",":
        return _read_between_commas(view, noun, parts)
    if not _GAP.match(view.text, noun.end):
        return []
    if noun.name == "bare_key":
        # "wifi: network PineLodge, key maple-otter-71"
        return read(view, head.raw_start, "key", bold=False) if len(head.text) >= 8 and is_mixed(head.text) else []
    if noun.name == "plain_code":
        return read(view, head.raw_start, "code", bold=False) if re.search(r"\d{3}|\d-\d{1,2}-\d", head.text) else []
    if quoted(view, head.raw_start):
        return read(view, head.raw_start, noun.value)
    if head.word in words("recent"):
        return read(view, head.raw_end, noun.value, bold=False)
    if _is_evident_value(view, noun, head) and (spans := read(view, head.raw_start, noun.value, bold=False)):
        return spans
    return _read_after_phrase(view, noun, parts)


def _can_value_follow(view: View, noun: Noun) -> bool:
    """Return whether a value may directly follow a noun. "Code" or "key" alone needs a service, lock or network before it."""
    before = view.folded[max(0, noun.start - 40) : noun.start]
    if noun.name == "plain_code" and _COMBINATION.match(view.folded, noun.start):
        return True
    if noun.name == "plain_code":
        sent = before.rstrip().rpartition(" ")[2] in words("services")
        return sent or any(pattern.search(before) for pattern in (compiled("direct.into"), _compile_lock_pattern()))
    if noun.name == "bare_key":
        return compiled("direct.network").search(before) is not None
    is_pass = noun.name == "pass" and view.folded.startswith("pass", noun.start)
    return not (is_pass and compiled("direct.passing").search(before))


@cache
def _compile_lock_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{any_of('locks')})(?![a-z])")


def _read_between_commas(view: View, noun: Noun, parts: list[Token]) -> Spans:
    """Return the value between commas after a noun, as in "the old alarm code, 4471, no longer works", or []."""
    if len(parts) < 2 or not (parts[1].ends or len(parts) == 2) or view.text[noun.end : noun.end + 1] != ",":
        return []
    figure = noun.value in ("digits", "code") and digits(view, parts[1].start, 4)
    return read(view, parts[1].raw_start, noun.value, bold=False) if figure or is_mixed(parts[1].text) else []


def _is_evident_value(view: View, noun: Noun, head: Token) -> bool:
    """Return whether the token after a noun is its value. After some nouns any digits will do; else it must look secret."""
    if noun.name not in _LEAST and digits(view, head.start, 3):
        return True
    if noun.value == "digits" or (noun.name == "api_key" and digits(view, head.start, 16)):
        return True
    if noun.name in ("password", "pass") and head.text.isdigit():
        return len(head.text) >= _LEAST[noun.name] and not _YEAR.fullmatch(head.text)
    if noun.name == "password" and is_passphrase(head.text) and len(head.text) >= 12:
        return words("function", "compound").isdisjoint(re.split(r"[^a-z]+", head.word))
    return is_mixed(head.text) and len(head.text) >= _LEAST.get(noun.name, 4)


def _read_after_phrase(view: View, noun: Noun, parts: list[Token]) -> Spans:
    """Return the value after a phrase, as in "code d'entrée de l'immeuble 45B12" and "PIN for my card 4821", or []."""
    if noun.value not in ("digits", "code", "words") or parts[0].word not in words("of", "whereabouts", "places"):
        return []
    stops = words("link", "arrow", "numbered", "function") - words("own")
    for place, (before, part) in enumerate(pairwise(parts[:_DIRECT_REACH])):
        inside = before.word in words("of", "inside")
        if before.ends or (before.word in stops and not inside):
            return []
        if inside:
            continue
        figure = part.text.strip("#*").isdigit() and len(part.text) >= 4 and noun.value != "words"
        if figure and place >= _FAR and _YEAR.fullmatch(part.text):
            return []
        if figure or (noun.value != "digits" and is_mixed(part.text)):
            return read(view, part.raw_start, noun.value, bold=False)
    return []


def apposed(view: View, noun: Noun, floor: int) -> Spans:
    """Return the span of a value between `floor` and the noun, if the value ends just before it ("4471, the gate code")."""
    if noun.name == "plain_code" or not compiled("direct.stands_apart").match(view.folded, noun.end):
        return []
    joint = _compile_apposition_pattern().search(view.folded, floor, noun.start)
    match = _VALUE.search(view.text, floor, joint.start()) if joint else None
    if not match or _YEAR.fullmatch(match[1]) or is_branded(match[1]):
        return []
    before = _BEFORE.search(view.folded, floor, match.start(1))
    if before and before[1] in words("before_place"):
        return []
    made_up = noun.value != "digits" and is_mixed(match[1]) and len(match[1]) >= 6
    figures = noun.value in ("digits", "code", "words") and _FIGURES.fullmatch(match[1])
    # "order 448201, the pin", "I bought the Yale YRD256, the door lock"
    led = before is None or before[1] in words("leadin", "link", "enter")
    shows_itself = made_up and noun.value == "words" and not match[1].isupper()
    return [match.span(1)] if shows_itself or ((figures or made_up) and led) else []


@cache
def _compile_apposition_pattern() -> re.Pattern[str]:
    own = either(sorted(words("own") - words("of_anybody")))
    owned = rf"(?:(?:{own})\s|l')(?:[a-z'ß]{{2,15}}\s){{0,2}}(?:[a-zß]{{2,20}}-)?"
    return re.compile(rf"(?:,\s|\s[-–—]\s|\s\((?=[a-z])){owned}$")


_LINKED_REACH, _LONG_RUN = 12, 9
_SIGN_AT_END = re.compile(r"[:=]$")
_ARROWS = ("->", "→", "=>", "-", "–", "—", "|")


def find_linked(view: View, noun: Noun, parts: list[Token]) -> Spans:
    """Return the spans of values after a verb, sign or preposition or at the clause's end, or []. `parts` follow the noun."""
    head = parts[0]
    if head.word in words("compound") or "\n" in view.text[noun.end : head.raw_start]:
        return []
    strange = _can_change_subject(head) and view.text[noun.end : noun.end + 2] != " ("
    for place, part in enumerate(parts[:_LINKED_REACH]):
        following = parts[place + 1] if place + 1 < len(parts) else None
        if part.word in words("several"):
            return []
        spans = _read_after_link(view, noun, parts, place, strange)
        if spans:
            return spans
        if part.ends == "." or (place == 0 and not _can_link_come_later(view, noun, head, following)):
            break
    return find_announced(view, noun, parts)


def find_announced(view: View, noun: Noun, parts: list[Token]) -> Spans:
    """Return the spans of a value at the end of the clause, or []. `parts` contains the tokens after the noun."""
    # "the netflix password so here it is again: Pumpkin!Spice", "my passcode is his birthday, 031952".
    if noun.value in ("key", "random") or noun.name == "plain_code":
        return []
    spoken = [part for part in parts[:_LINKED_REACH] if part.ends or part.word not in words("new", "filler")]
    for place, (part, following) in enumerate(pairwise(spoken), 1):
        if part.ends == ".":
            break
        # "the code has changed, now C 9 3 7 1"
        spaced = len(following.text) == 1 and letter_run(spoken[place:])
        spaced = spaced if part.ends or (spaced and spaced[1] - spaced[0] >= _LONG_RUN) else None
        if spaced and re.search(r"\d", view.text[slice(*spaced)]):
            return [spaced]
        last = following.ends or following is parts[-1]
        figure = following.text.isdigit() and len(following.text) >= 4 and not _YEAR.fullmatch(following.text)
        leads = part.ends == ":" or part.word in words("so")
        if last and ((leads and is_mixed(following.text)) or (part.ends and figure)):
            return read(view, following.raw_start, noun.value, bold=False)
    return []


def _read_after_link(view: View, noun: Noun, parts: list[Token], place: int, strange: bool) -> Spans:
    """Return the values that follow the link, sign or arrow in `parts[place]`. `strange` means a change of subject."""
    part = parts[place]
    raw = view.text[part.raw_start : part.raw_end]
    if place and raw.startswith("(") and (spans := read(view, part.raw_start + 1, noun.value, bold=False)):
        return spans
    weak = part.word in words("enter") or (place and (part.word == "as" or part.text in _ARROWS))
    same_line = view.text[part.raw_end : part.raw_end + 2].lstrip(" \t")[:1] != "\n"
    colon = same_line and (part.text or place) and _SIGN_AT_END.search(raw)
    if weak or colon or part.word in words("link"):
        strange = strange or (place == 0 and bool(colon) and part.word not in words("qualifier", "link"))
        if strange and (noun.value in ("key", "random") or noun.name == "plain_code"):
            return []
        # "mot de passe télésurveillance : Mozzarella"
        alone = colon and noun.name == "password" and len(parts) == place + 2 and is_plain_answer(parts[place + 1 :])
        # A verb after a found value has a different subject, as in "my password is hunter2 and my sister's name is Ana".
        before = parts[:place]
        is_known = any(HIDDEN in part.text for part in before) and any(part.word in words("own") for part in before)
        return read(view, part.raw_end, noun.value, bold=(bool(alone) or not (weak or strange)) and not is_known)
    return _read_after_arrow(view, noun, parts, place) if part.word in words("arrow") else []


def _can_change_subject(part: Token) -> bool:
    """Return whether the word after a noun may change the subject ("password joke:", but not "password Netflix is")."""
    return part.word not in words("qualifier", "link", "arrow") and not part.text[:1].isupper() and bool(part.word)


def _can_link_come_later(view: View, noun: Noun, head: Token, following: Token | None) -> bool:
    """Return whether a verb or a sign may follow after the token `head`, as in "password for the router is"."""
    if head.word in words("qualifier", "link", "arrow") or view.text[noun.end : noun.end + 2].rstrip() in (",", " ("):
        return True
    linked = following is not None and (following.word in words("link") or following.text in ("", "="))
    return linked or (following is not None and _has_linked_name(view, noun))


def _has_linked_name(view: View, noun: Noun) -> bool:
    """Return whether a capitalized name and a link follow the noun, as in "code de validation La Banque est le 903118"."""
    parts = tokens(view, noun.end, 5)
    named = next((place for place, part in enumerate(parts) if not part.text[:1].isupper() or part.ends), 0)
    return named > 1 and parts[named].word in words("link")


def _read_after_arrow(view: View, noun: Noun, parts: list[Token], place: int) -> Spans:
    """Return the value after a word like "to" at `parts[place]` ("I changed the PIN to 4821"), or []."""
    if place + 1 == len(parts):
        return []
    following, changed = parts[place + 1], _has_change_word(view, noun)
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


def _has_change_word(view: View, noun: Noun) -> bool:
    """Return whether a verb like "changed" is near. In German, it comes last ("das Passwort auf hunter2 geändert")."""
    before, after = view.folded[max(0, noun.start - 40) : noun.start], view.folded[noun.end : noun.end + 60]
    return bool(_compile_change_pattern().search(before) or compiled("linked.changed").search(after))


@cache
def _compile_change_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, sorted(words('change'))))})")


_NOUN = re.compile(r"ph?rase")
_PLAIN_SIGN = re.compile(r"\s?[:=]\s")
_FEWEST, _LONGEST_PASSPHRASE = 4, 8

_REACH_BACK, _NAME_WORDS, _MOST_WORDS = 90, 4, 4
_CUT = re.compile(r"[\s\S]*(?:[.?]\s|\n)")
_IN_BRACKETS = re.compile(r"(\S{4,60}) \($")
_NUMBERED = re.compile(r"[A-Z]-\d{4,8}")
_QUOTED = re.compile(r"[\"“„«]\s?([^\"“”„«»\n]{4,80}?)\s?[\"”“»]$")
_SIGNS, _DASHES = ("=", "->", "→"), ("-", "–", "—")


def whole_sentence(view: View, noun: Noun, spans: Spans) -> Spans:
    """Return the span of a plain-word passphrase up to its sentence's end. If the noun has none, `spans` is returned."""
    if noun.kind != "password" or not _NOUN.search(view.folded, noun.start, noun.end):
        return spans
    if spans:
        start, at = spans[0]
        value = view.text[start:at]
        goes_on = " " in value and value.replace(" ", "").isalpha() and view.text[at : at + 1] == " "
        end = _find_passphrase_end(tokens(view, at)) if goes_on else None
        return [(start, end)] if end else spans
    # "passphrase: the quiet river bends twice", not "passphrase: the longer the better"
    sign = _PLAIN_SIGN.match(view.text, noun.end)
    parts = tokens(view, sign.end()) if sign else []
    if len(parts) < _FEWEST or parts[0].word not in words("article"):
        return []
    end = _find_passphrase_end(parts)
    return [(parts[0].start, end)] if end and not any(part.word in words("remark", "unit", "about") for part in parts) else []


def _find_passphrase_end(parts: list[Token]) -> int | None:
    """Return the end of the clause if it has at most eight plain words, or None. Most function words aren't allowed."""
    for place, part in enumerate(parts[:_LONGEST_PASSPHRASE]):
        joins = part.word in words("of", "article", "own", "within_passphrase")
        if not part.text.replace("'", "").isalpha() or (part.word in words("function", "link") and not joins):
            return None
        if part.ends or place + 1 == len(parts):
            return part.end
    return None


def find_backwards(view: View, named: list[Noun]) -> Iterator[Span]:
    """Find secrets that precede one of the nouns in `named`."""
    for noun in named:
        following = tokens(view, noun.end, 1)
        if not (following and following[0].word in words("compound")):
            for start, end in _read_before_noun(view, noun):
                yield Span(start, end, noun.kind)


@cache
def _compile_link_pattern() -> re.Pattern[str]:
    return re.compile(rf"\s(?:{any_of('link')}|{either([*sorted(words('as')), *_SIGNS])})\s")


def _read_before_noun(view: View, noun: Noun) -> Spans:
    """Return the value before a noun ("hunter2 is my password")."""
    floor = max(0, noun.start - _REACH_BACK)
    if view.text[noun.start - 1 : noun.start] == "(" and view.text[noun.end : noun.end + 1] == ")":
        value = _IN_BRACKETS.search(view.text[floor : noun.start])
        if value and (value[1].isdigit() or is_mixed(value[1])):
            return [(floor + value.start(1), floor + value.end(1))]
    if explained := apposed(view, noun, floor):
        return explained
    if not _compile_link_pattern().search(view.folded, max(floor, noun.start - 50), noun.start):
        return []
    cut = _CUT.match(view.text, floor, noun.start)
    parts = [part for part in tokens(view, cut.end() if cut else floor, until=noun.start) if part.raw_end <= noun.start]
    for place in range(len(parts) - 1, max(0, len(parts) - 2 - _NAME_WORDS), -1):
        if parts[place].word in words("link", "as") or parts[place].text in _SIGNS:
            owned = [part.word for part in parts[place + 1 :]]
            # "... is my wifi password", not "... is a bad PIN" or "... is the worst password".
            judged = any(word in words("remark") - words("neutral") for word in owned)
            if judged or (owned and owned[0] not in words("own") - words("of_anybody")):
                return []
            if parts[place].word in words("as"):
                return _find_quotation(view, parts[:place]) or _find_entered_value(parts[:place], noun)
            return _find_ending_value(parts[:place], noun, cut is not None or floor == 0, owned)
    return []


def _find_quotation(view: View, parts: list[Token]) -> Spans:
    """Return the quotation that ends `parts`, as in 'I chose "the otter signs" as my passphrase', or []."""
    match = _QUOTED.search(view.text, parts[0].raw_start, parts[-1].raw_end) if parts else None
    return [match.span(1)] if match and HIDDEN not in match[1] else []


def _find_entered_value(parts: list[Token], noun: Noun) -> Spans:
    """Return the value in a sentence like "use blue monkey 42 as the password". "Use your birthday as a PIN" gives []."""
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
    words_read = {part.word for part in parts[first:]}
    return [] if words_read & words("function", "evasive", "remark") else [(parts[first].start, parts[-1].end)]


def _find_ending_value(parts: list[Token], noun: Noun, from_start: bool, owned: list[str]) -> Spans:
    """Return the value that ends `parts`, or []. `owned` lists the words between the verb and the noun, like "my"."""
    parts = parts[:-1] if parts and parts[-1].text in _DASHES else parts
    if not parts or HIDDEN in parts[-1].text:
        return []
    first = len(parts) - 1
    figures = noun.value != "words" and parts[first].text.strip("#*").isdigit()
    while first > 0 and not parts[first - 1].ends and _can_join_run(parts[first - 1], figures):
        first -= 1
    run, ahead = parts[first:], parts[first - 1] if first else None
    if ahead and not ahead.ends and ahead.word in words("before_place"):
        return []
    at_start = bool(ahead.ends) if ahead else from_start
    return [(run[0].start, run[-1].end)] if _is_value(run, noun, at_start and bool(owned)) else []


def _can_join_run(part: Token, only_digits: bool) -> bool:
    """Return whether a token before a value can be part of it. If `only_digits` is true, it must consist of digits."""
    if only_digits:
        return part.text.isdigit()
    return part.word not in words("function", "leadin", "link") and bool(part.text) and HIDDEN not in part.text


def _is_value(run: list[Token], noun: Noun, alone: bool) -> bool:
    """Return whether the tokens before a noun can be its value. Plain words must be quoted unless `alone` is true."""
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
    plain = words("remark", "function", "evasive", "ask", "about").isdisjoint(part.word for part in run)
    is_quoted = last.raw_end > last.end and run[0].raw_start < run[0].start
    return plain and len(run) <= _MOST_WORDS and (alone or is_quoted)


# Signs: "password: x", "**PIN** = 4821", "Passwort (WLAN): x", "code -> 4471", "| password | x |"
_SIGN = re.compile(r"[*_\"'`]{0,3}(?:\s\([^()\n]{0,40}\))?[*_]{0,2}\s{0,3}(?::=|[:=]|=>|-+>|→|\||…|\.\.\.)[*_]{0,2}\s{0,4}")
_DASH = re.compile(r"\s{1,3}[-–—~]+\s{1,3}|\s?\?+\s{1,3}")
_IS = re.compile(r"'s\s{1,3}(?=\S)")
# "hash_password(", "password.txt" and "self.password" are names in programs, which `find_assignments` handles.
_PROGRAM = re.compile(r"[(\[{.<>=/\\_-](?!\s)")
_SERIES = re.compile(r"(?:'s|\s(?:is|es|ist|est|c'est)|:)?\s\d{1,2}(?:-\d{1,2}){2,4}(?![\w-])")
# "PIN (debit) 2094"
_ASIDE = re.compile(r"\s\([^()\n]{1,30}\)\s(?=[#*]?\d{3})")
_WORD_BEFORE = re.compile(r"([a-z0-9'ß]*)[\s*_\"(\[-]*$")


def find_spoken(view: View, named: list[Noun]) -> Iterator[Span]:
    """Find secrets that follow one of the nouns in `named`."""
    done = 0
    for place, noun in enumerate(named):
        if noun.start < done or compiled("spoken.public").search(view.folded, max(0, noun.start - 16), noun.start):
            continue
        ticket = noun.name == "pass" and compiled("direct.is_ticket").search(view.folded, max(0, noun.start - 16), noun.start)
        if ticket or (noun.name == "plain_code" and not _is_code_by_itself(view, noun)):
            continue
        limit = named[place + 2].start if place + 2 < len(named) else len(view.text)
        spans = _read_values_after_noun(view, noun, limit)
        fiction = compiled("spoken.fiction")
        if spans and noun.value == "words" and fiction.search(view.folded, max(0, noun.start - 60), spans[-1][1] + 40):
            spans = [span for span in spans if is_mixed(view.text[slice(*span)])]
        spans = whole_sentence(view, noun, spans)
        if spans:
            spans += _find_repetitions(view, noun, spans[-1])
        for start, end in spans:
            done = max(done, end)
            yield Span(start, end, noun.kind)


def _is_code_by_itself(view: View, noun: Noun) -> bool:
    """Return whether "code" isn't part of a term like "course code". "Code: 4471" and "the code is 4471" pass."""
    if compiled("spoken.yours").search(view.text, max(0, noun.start - 40), noun.start):
        return True
    before = _WORD_BEFORE.search(view.folded[max(0, noun.start - 24) : noun.start])
    if before is None or not before[1] or before[1] in words("own", "enter", "services") or "\n" in before[0]:
        return True
    is_reversed = view.folded.startswith(("combi", "combo", "kombi"), noun.start)
    return is_reversed and _SERIES.match(view.folded, noun.end) is not None


def _read_values_after_noun(view: View, noun: Noun, limit: int) -> Spans:
    """Return the values after a noun, up to `limit`. A sign, an aside, a dash and "'s" are tried before plain words."""
    sign = _SIGN.match(view.text, noun.end)
    if sign:
        following = tokens(view, sign.end(), 1)
        whole = view.text[following[0].raw_start : following[0].raw_end] if following else ""
        blank = following and not following[0].text.isdigit() and (is_blank(following[0].text) or is_blank(whole))
        if blank or not following:
            return []
        spans = read(view, sign.end(), _pick_value_kind(view, noun), bold=_allows_plain_words(view, sign, following))
        # "PIN = last four of my old phone, 6619"
        return spans or find_announced(view, noun, tokens(view, sign.end(), until=limit))
    aside = _ASIDE.match(view.text, noun.end) if noun.value in ("digits", "code") else None
    if aside and (spans := read(view, aside.end(), noun.value, bold=False)):
        return spans
    if noun.name == "pass" and compiled("direct.network").search(view.folded, noun.start, noun.end):
        noun = noun._replace(value="words")
    dash = _DASH.match(view.text, noun.end)
    if dash:
        return read(view, dash.end(), noun.value, bold=is_plain_answer(tokens(view, dash.end(), 5)[:4]))
    possessive = _IS.match(view.folded, noun.end)
    if possessive and (spans := read(view, possessive.end(), noun.value)):
        return spans
    if _PROGRAM.match(view.text, noun.end) or view.text[noun.start - 1 : noun.start] in ("_", "."):
        return []
    parts = tokens(view, noun.end, until=limit)
    if not parts:
        return []
    if spans := find_direct(view, noun, parts) or find_linked(view, noun, parts):
        return spans
    # "my work pw expired so the new one is Autumn-2024"
    newer = compiled("spoken.new_one").search(view.folded, noun.end, noun.end + 90)
    return read(view, newer.end(), noun.value, bold=False) if newer else []


def _pick_value_kind(view: View, noun: Noun) -> str:
    """Return the kind of value that a noun accepts. Near a network word, "pass" accepts words and "bare_key" a key."""
    network = compiled("direct.network")
    if noun.name in ("pass", "bare_key") and network.search(view.folded, max(0, noun.start - 40), noun.end):
        return "words" if noun.name == "pass" else "key"
    return noun.value


def _allows_plain_words(view: View, sign: re.Match[str], following: list[Token]) -> bool:
    """Return whether the secret after a sign may consist of plain words."""
    # After "password=", in a table, or on the next line, several words are probably code or headings.
    if sign[0] in ("=", "|") or "|" in sign[0]:
        return False
    return "\n" not in sign[0] or (len(tokens(view, sign.end(), 2)) == 1 and bool(following))


def _find_repetitions(view: View, noun: Noun, first_span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the spans of a noun's additional values between the first value and the end of the sentence."""
    # Several values, as in "the PIN for one card is 4821 and for the other 9920" or "passwords: mail - Ap77x, bank - Pe88y".
    length, before = first_span[1] - first_span[0], ""
    several = noun.value == "words" and view.folded[noun.start : noun.end].endswith(("s", "worter"))
    # "the pw for amazon is x and for ebay y", "the old password was x and the new one y"
    newer = noun.value == "words" and compiled("spoken.and_another").match(view.folded, first_span[1])
    if newer and is_mixed((part := tokens(view, newer.end(), 1)[0]).text):
        yield part.start, part.end
    for part in tokens(view, first_span[1]):
        figure = noun.value in ("digits", "code") and part.text.isdigit() and len(part.text) == length >= 4
        if (figure and before not in words("before_place_in_others")) or (several and is_mixed(part.text)):
            yield part.start, part.end
        if re.search(r"[.!?]", view.text[part.end : part.raw_end]):
            return
        before = part.word

"""Reads the value of a named secret from a place on: which characters are the secret, by what its noun takes."""

import re
from functools import cache

from commonplace.redaction.tokens import Token, tokens
from commonplace.redaction.values import digits, is_blank, is_mixed, letter_run, number_run, quoted
from commonplace.redaction.view import HIDDEN, View, fold
from commonplace.redaction.vocabulary import number_words, words

_LEAST_DIGITS = {"words": 3, "code": 3, "digits": 3, "key": 6, "random": 12}
_WORDS_AT_MOST, _WORDS_IN_ANSWER = 12, 6
_LETTER = re.compile(r"[^\W_]")
_SIGNS = ("-", "–", "—", ":", "=", "->", "→")
# German: "gespeichert", "geändert", "abgelaufen".
_PARTICIPLE = re.compile(r"(?:ab|an|auf|aus|ein|zuruck|hinter)?ge[a-z]{3,12}(?:t|en)")
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Spans = list[tuple[int, int]]


def read(view: View, at: int, takes: str, bold: bool = True) -> Spans:
    """The parts of the value that begins at `at`, empty when what stands there is none.

    `takes` is the noun's policy. Without `bold` only what nobody says as a remark counts: no plain words.
    """
    head = next(iter(_after_fillers(tokens(view, at, 7))), None)
    if head is None or HIDDEN in head.text:
        return _more(view, head.raw_end, takes) if head else []
    if not _promises(head, takes):
        return []
    parts = tokens(view, head.raw_start)
    first = _first(view, parts, takes, bold)
    if not first:
        return []
    return [first, *_more(view, first[1], takes)]


def _after_fillers(parts: list[Token]) -> list[Token]:
    # "is now: 4821", "est le 4821", "ist immer noch hunter2"; but a filler that ends its clause was the value.
    place = 0
    while place < len(parts) - 1 and place < 6:
        word = parts[place].word
        behind = parts[place + 1]
        figure = re.match(r"[#*]?\d", behind.text) or quoted_at(behind) or is_mixed(behind.text)
        skipped = word in words("filler") or word in _SIGNS or (word in words("article") and figure)
        if word and not skipped:
            break
        if parts[place].ends == "." or quoted_at(parts[place]):
            break
        place += 1
    return parts[place:]


def _promises(head: Token, takes: str) -> bool:
    # Most of what follows a noun is no value; the first word tells, before the rest is looked at.
    if quoted_at(head) or len(head.text) == 1 or re.search(r"\d", head.text) or head.word in words("number_glue"):
        return True
    if takes == "words":
        return bool(head.word) and head.word not in words("function")
    return head.text.isupper() or is_mixed(head.text) or bool(number_words().fullmatch(head.word)) or len(head.text) >= 16


def quoted_at(part: Token) -> bool:
    """Whether `part` opens with a quotation mark."""
    return part.start > part.raw_start


def _first(view: View, parts: list[Token], takes: str, bold: bool) -> tuple[int, int] | None:
    head = parts[0]
    inside = quoted(view, head.raw_start)
    if inside:
        return inside if _fits_quoted(view.text[slice(*inside)], takes) else None
    spelled = letter_run(parts) or (number_run(parts) if takes != "random" else None)
    if spelled:
        return spelled
    number = digits(view, head.start, 4 if takes == "words" and not bold else _LEAST_DIGITS[takes])
    if number and (takes != "words" or not _goes_on(parts, number[1])):
        return number
    if takes == "words":
        return _phrase(parts, bold)
    if takes == "digits" or not head.text:
        return None
    if _fits_token(head, takes):
        return head.start, _groups_end(parts, takes)
    return None


def _goes_on(parts: list[Token], end: int) -> bool:
    following = next((part for part in parts if part.start >= end), None)
    ended = any(part.ends for part in parts if part.start < end <= part.raw_end)
    return bool(following and not ended and following.word not in words("function"))


def _fits_quoted(inside: str, takes: str) -> bool:
    if HIDDEN in inside:
        return False
    if takes == "words":
        return inside.lower() not in words("remark", "unit")
    if sum(bool(number_words().fullmatch(word)) for word in fold(inside).split()) >= 3:
        return True
    if takes == "digits":
        return sum(map(str.isdigit, inside)) >= 3
    return len(inside) >= 4 and (is_mixed(inside) or sum(map(str.isdigit, inside)) >= 3 or (takes == "code" and inside.isupper()))


def _fits_token(head: Token, takes: str) -> bool:
    if head.word in words("remark", "function", "evasive") or _UUID.fullmatch(head.text) and takes == "random":
        return False
    mixed = is_mixed(head.text)
    if takes == "code":
        return mixed or (head.text.isupper() and head.text.isalpha() and len(head.text) >= 4)
    if takes == "key":
        many = len(head.text) >= 16 and re.search(r"[a-z]", head.text) and re.search(r"[A-Z]", head.text)
        return (mixed and len(head.text) >= 6) or bool(many)
    # Anything may be called a key; a name with a number behind it ("user_id2", "uploads/2024") is not a secret.
    return mixed and len(head.text) >= 12 and sum(map(str.isdigit, head.text)) >= 3 and "/" not in head.text[:-8]


def _groups_end(parts: list[Token], takes: str) -> int:
    end = parts[0].end
    for before, part in zip(parts, parts[1:], strict=False):
        if before.ends or not (is_mixed(part.text) or (part.text.isdigit() and len(part.text) >= 3)):
            break
        end = part.end
    return end


def _phrase(parts: list[Token], bold: bool) -> tuple[int, int] | None:
    run = _run(parts)
    if not run:
        return None
    if len(run) == 1 and run[0].text.isdigit() and len(run[0].text) < 3:
        return None
    if any(is_mixed(part.text) or part.text.isdigit() for part in run):
        return (run[0].start, run[-1].end) if _tells(run, parts) else None
    if not bold or is_blank(run[0].text) and len(run) == 1:
        return None
    return None if _is_judgement(run) else (run[0].start, run[-1].end)


def _tells(run: list[Token], parts: list[Token]) -> bool:
    telling = next(part for part in run if is_mixed(part.text) or part.text.isdigit())
    if re.search(r"\d[^\W\d_]|[^\W\d_]\d", telling.text) and len(telling.text) >= 5:
        return True
    unit = parts[len(run) : len(run) + 1] if not run[-1].ends else []
    counted = telling.text.isdigit() and any(part.word in words("unit") for part in (*run[1:], *unit))
    return not counted and (run[0] is telling or not _is_judgement(run))


def _is_judgement(run: list[Token]) -> bool:
    # "too short", but not "correct horse battery staple"; a word with a capital is a name, unless we know it better.
    first = run[0]
    named = first.text[:1].isupper() and first.word not in words("remark", "function", "unit")
    return is_remark(first.word) and not named and sum(not is_remark(part.word) for part in run) < 3


def _run(parts: list[Token]) -> list[Token]:
    # Words up to one that goes on with the sentence. "and" belongs to "salt and pepper", not to "hunter2 and I".
    run: list[Token] = []
    for place, part in enumerate(parts[:_WORDS_AT_MOST]):
        if HIDDEN in part.text or (not part.text and run):
            break
        if part.word in words("function") and not is_mixed(part.text):
            joins = part.word in ("and", "y", "und", "et") and run and _joined(run, parts[place + 1 : place + 3])
            if not joins:
                break
        run.append(part)
        if part.ends:
            break
    return run


def _joined(run: list[Token], following: list[Token]) -> bool:
    if any(is_mixed(part.text) for part in run) or not following or following[0].word in words("function"):
        return False
    return len(following) == 1 or bool(following[0].ends) or following[1].word not in words("link")


def is_plain_answer(parts: list[Token]) -> bool:
    """Whether `parts`, to the end of the sentence, are a few words that may be a secret: no remark, no evasion."""
    if not parts or len(parts) > _WORDS_IN_ANSWER or any(part.ends in (".", ":") for part in parts[:-1]):
        return False
    said = {part.word for part in parts}
    if any(HIDDEN in part.text for part in parts) or not all(map(_LETTER.search, said)):
        return False
    return not said & words("function", "evasive", "remark", "compound") and not is_remark(parts[0].word)


def is_remark(word: str) -> bool:
    """Whether `word` rather says something about a secret than is one: "expired", "too", "required"."""
    if word in words("remark") or word in words("function") or word in words("unit"):
        return True
    if len(word) < 6 or not word.isalpha():
        return False
    return word.endswith(tuple(words("remark_endings"))) or bool(_PARTICIPLE.fullmatch(word))


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

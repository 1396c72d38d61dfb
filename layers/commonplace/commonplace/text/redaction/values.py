"""Find where the value of a secret starts and ends, if a noun such as "password" introduces it.

Words that only comment on a secret ("is too short") aren't its value. A value in words ends where the rest of the sentence
begins. The noun determines which kinds of values are accepted."""

import re
from bisect import bisect_right
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from commonplace.text.foundation.characters import bare_in_place
from commonplace.text.foundation.sentences import abbreviations
from commonplace.text.redaction.view import HIDDEN, View
from commonplace.text.redaction.vocabulary import compiled, number_words, words

_OPENING, _CLOSING = "\"'“‘«„‚([{<`「『¿¡", "\"'”’“»)]}>`」』。、.,;:?…"
_DASHES = ("-", "–", "—", "--")
_SENTENCE_END, _CLAUSE_END = re.compile(r"[.;!?…。]"), re.compile(r"[,:、)]")

_QUOTED = re.compile(
    r"\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'(?![a-z])|[“„]([^”“\n]{1,200})[”“]|‘([^’\n]{1,200})’"
    r"|«\s?([^»\n]{1,200}?)\s?»|`{1,3}([^`\n]{1,200})`{1,3}|\*\*([^*\n]{1,200})\*\*"
)
_DIGITS = re.compile(r"[#*]?\d(?:[ .\-\u2010-\u2015/]{0,3}\d|, ?\d(?=,|\b))*[#*]?(?![A-Za-z0-9@$%&_^+=])")
_SIGNS = re.compile(r"[A-Za-z0-9][@#$%^&*+=!~|\\<>][A-Za-z0-9@#$%^&*+=!~|\\<>]|[A-Za-z][$!#%^&*]{1,4}$|[$#%^&*!][A-Za-z]")
_CODE = re.compile(rf"[()\[\]{{}}<>\"'`;{HIDDEN}]|\w=\w|//|::|^[./]|->")
_ADDRESS = re.compile(r"(?i)[\w.+-]+@[\w-]+\.[\w.]+|\w+://.*|www\..*|[@#]\w+|[\w-]+\.(?:com|org|net|io|de|fr|es)(?:/.*)?")
_TIED = re.compile(r"[^\W\d_]{1,20}(?:[._-][^\W\d_]{1,20}){2,7}|[^\W\d_]{2,20}(?:[*!#&$%+~][^\W\d_]{2,20})+")
_COORDINATE = re.compile(r"\d{1,3}\.\d{4,}\s?,\s?-?\d{1,3}\.\d{3,}")
_NUMBERED = re.compile(r"!*\d{0,3}!*$")  # "foo123" is a placeholder, but more digits make a real value
_LONGEST_BLANK = 100
# A reference to a secret or a placeholder, like `${DB_PASSWORD}`, `<your-token>`, `****` and `get_key()`.
_REFERENCE = re.compile(
    r"\$\{.*|\$\(.*|\$(?:[A-Z_]{2,}|[a-z]+(?:_[a-z]+)*)|%\w+%|\{.*\}|<.*|\[.*\]|\(.*\)|[A-Za-z_][\w.]*[(\[].*"
    r"|!(?:vault|secret|ref|Ref|sub|Sub|env|reference)|[*xX.•_\-#?]{3,}|[A-Za-z_]+(?:\.[A-Za-z_]+){1,6}"
    r"|(?i:.*(?:\b|_)(?:your|enter|insert|replace|dummy|fake)[_ \-].*|my[_-](?:secret|api|token|key).*|.*_here)",
    re.DOTALL,
)


class Token(NamedTuple):
    """A run of characters without spaces. `text` excludes surrounding quotes and punctuation. `word` is the folded `text`.

    `ends` is "." at the end of a sentence, "," at the end of a clause, ":" before a value, and otherwise "".
    """

    start: int
    end: int
    text: str
    word: str
    ends: str
    raw_start: int
    raw_end: int


def tokens(view: View, at: int, limit: int = 24, until: int | None = None) -> list[Token]:
    """Return the tokens after `at`, up to `limit`, `until` or the end of the first one's line. A word around `at` is cut."""
    last = len(view.text) if until is None else until
    place = bisect_right(view.run_ends, at)
    run_tokens: list[Token] = []
    for run in view.runs[place : place + limit]:
        if run.start >= last or (run_tokens and run.first_of_line):
            break
        if run.start < at:
            run_tokens.append(_build_token(view, at, run.end))
        else:
            made = view.made.get(run.start)
            if made is None:
                made = view.made[run.start] = _build_token(view, run.start, run.end)
            run_tokens.append(made)
    return run_tokens


def _build_token(view: View, raw_start: int, raw_end: int) -> Token:
    """Return the token for a raw range. Its text excludes the quotation marks and punctuation around it."""
    raw = view.text[raw_start:raw_end]
    bare = raw.lstrip(_OPENING)
    start = raw_end - len(bare)
    bare = bare.rstrip(_CLOSING)
    end = start + len(bare)
    marks = raw[end - raw_start :] + ("!" if bare.endswith("!") else "")
    # In Italian, "è" is a verb and "e" is not.
    word = bare.lower() if len(bare) == 1 else view.folded[start:end].strip("*_!")
    return Token(start, end, bare, word, _parse_ending(marks, word), raw_start, raw_end)


def _parse_ending(marks: str, word: str) -> str:
    """Return "." for the end of a sentence, ":" for a colon, "," for the end of a clause, and otherwise ""."""
    if not marks or (marks == "." and word in abbreviations("titles", "titles_elsewhere")):
        return "," if word in _DASHES else ""
    if _SENTENCE_END.search(marks):
        return "."
    return ":" if marks == ":" else "," if _CLAUSE_END.search(marks) else ""


def is_mixed(text: str) -> bool:
    """Return whether a token looks made up, by letters with digits or by signs. Code, addresses and "5kg" don't."""
    text = text.strip("*_")
    if len(text) < 4 or _CODE.search(text) or _ADDRESS.fullmatch(text):
        return False
    letter, digit = re.search(r"[^\W\d_]", text), re.search(r"\d", text)
    if letter and digit:
        return not compiled("values.quantity").fullmatch(text.lower().lstrip("~≈<>+-"))
    return bool((letter or digit) and _SIGNS.search(text))


def is_passphrase(text: str) -> bool:
    """Return whether a token joins 3 to 8 words with ".", "_" or "-", or words with other signs ("Tulip*wagon")."""
    return bool(_TIED.fullmatch(text)) and not _ADDRESS.fullmatch(text)


def is_branded(text: str) -> bool:
    """Return whether a token is a product or method name that contains a number, like "Windows11" or "AES-256"."""
    return bool(compiled("values.branded").fullmatch(text.lower()))


def is_blank(value: str) -> bool:
    """Return whether a value in code or a form is a placeholder, a reference (`${TOKEN}`), redacted or very short."""
    if len(value) > _LONGEST_BLANK:
        return False
    bare = _NUMBERED.sub("", value.strip().lower())
    return len(value) < 3 or HIDDEN in value or bare in words("blank") or bool(_REFERENCE.fullmatch(value))


def quoted(view: View, at: int) -> tuple[int, int] | None:
    """Return the span inside the quotation marks, backticks or double asterisks that begin at `at`, or None."""
    match = _QUOTED.match(view.text, at)
    return match.span(match.lastindex) if match and match.lastindex else None


def digits(view: View, at: int, least: int) -> tuple[int, int] | None:
    """Return the span of a number ("44-71") at `at` with `least` or more digits, or None. A measure gives None."""
    match = _DIGITS.match(view.text, at)
    if not match or sum(map(str.isdigit, match[0])) < least or _COORDINATE.match(view.text, at):
        return None
    behind = tokens(view, match.end(), 1)
    counted = behind and behind[0].word.lstrip("-") in words("unit")
    return None if counted and view.text[match.end()] not in ".,;!?" else match.span()


def number_run(parts: list[Token]) -> tuple[int, int] | None:
    """Return the span of three or more numbers that start `parts` ("four oh two"), or None. A unit after them gives None."""
    count, last = 0, -1
    for place, part in enumerate(parts):
        if number_words().fullmatch(part.word):
            count, last = count + len(re.split(r"-|und", part.word)), place
        elif part.text.isdigit() and len(part.text) <= 4:
            count, last = count + 1, place
        elif part.word and part.word not in words("number_glue"):
            break
        if part.ends == ".":
            break
    following = parts[last + 1 : last + 2] if not parts[last].ends else []
    if count < 3 or (following and following[0].word in words("unit")):
        return None
    return parts[0].start, parts[last].end


def letter_run(parts: list[Token]) -> tuple[int, int] | None:
    """Return the span of four or more single characters at the start of `parts` ("h u n t e r 2"), or None."""
    run = []
    for part in parts:
        if len(part.text) != 1:
            break
        run.append(part)
    return (run[0].start, run[-1].end) if len(run) >= 4 else None


def grouped(parts: list[Token]) -> tuple[int, int] | None:
    """Return the span of three or more equally long, random groups that start `parts` ("RFsT HsDD 5Xh5"), or None."""
    length, run = len(parts[0].text), []
    for part in parts:
        if len(part.text) != length or not part.text.isalnum():
            break
        run.append(part)
        if part.ends:
            break
    made_up = [part for part in run if re.search(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]", part.text)]
    return (run[0].start, run[-1].end) if length in (4, 5, 6) and len(run) >= 3 and len(made_up) * 2 >= len(run) else None


_MOST_WORDS = 6
_LETTER = re.compile(r"[^\W_]")
# German: "gespeichert", "geändert", "abgelaufen".
_PARTICIPLE = re.compile(r"(?:ab|an|auf|aus|ein|zuruck|hinter)?ge[a-z]{3,12}(?:t|en)")

_LETTER_AND_DIGIT = re.compile(r"\d[^\W\d_]|[^\W\d_]\d")


def is_remark(word: str) -> bool:
    """Return whether a lower-case word only comments on a secret ("expired", "required") or is a function word or a unit."""
    if word in words("remark", "function", "unit"):
        return True
    if len(word) < 6 or not word.isalpha():
        return False
    return word.endswith(tuple(words("remark_endings"))) or bool(_PARTICIPLE.fullmatch(word))


def is_judgement(run: list[Token]) -> bool:
    """Return whether words only comment on a secret ("too short") rather than being one ("correct horse battery staple")."""
    first = run[0]
    # A capitalized word is a name, unless the tables list it as a remark.
    named = first.text[:1].isupper() and first.word not in words("remark", "function", "unit")
    remainder = [part for part in run[1:] if part.text.islower() and not is_remark(part.word)]
    return is_remark(first.word) and not named and (len(remainder) < 3 or len(remainder) < len(run) - 1)


def is_plain_answer(parts: list[Token]) -> bool:
    """Return whether one to six tokens may be a secret in plain words. Function words and remarks rule it out."""
    if not parts or len(parts) > _MOST_WORDS or any(part.ends in (".", ":") for part in parts[:-1]):
        return False
    words_read = {part.word for part in parts}
    if any(HIDDEN in part.text for part in parts) or not all(map(_LETTER.search, words_read)):
        return False
    return not words_read & words("function", "evasive", "remark", "compound") and not is_remark(parts[0].word)


def phrase(parts: list[Token], bold: bool) -> tuple[int, int] | None:
    """Return the span of a value in words at the start of `parts`, or None.

    Unless `bold` is true, the value must contain a figure or a made-up word.
    """
    run = _collect_run(parts)
    if not run or (len(run) == 1 and run[0].text.isdigit() and len(run[0].text) < 3):
        return None
    span = run[0].start, run[-1].end
    if any(is_mixed(part.text) or part.text.isdigit() for part in run):
        return span if _is_value(run, parts) else None
    if not bold or (len(run) == 1 and is_blank(run[0].text)) or is_judgement(run):
        return None
    # "password: nope, not telling you"
    refuses = len(run) == 1 and run[0].ends == "," and len(parts) > 1 and run[0].word in words("evasive")
    return None if refuses else span


def _collect_run(parts: list[Token]) -> list[Token]:
    """Return the tokens before a function word or up to a mark. "Salt and pepper" is one run, but "hunter2 and I" is not."""
    run: list[Token] = []
    for place, part in enumerate(parts):
        if HIDDEN in part.text or (not part.text and run):
            break
        joins = part.word in words("and") and run and _can_and_join(run, parts[place + 1 : place + 3])
        if part.word in words("function") and not is_mixed(part.text) and not joins:
            break
        run.append(part)
        if part.ends:
            break
    return run


def _can_and_join(run: list[Token], following: list[Token]) -> bool:
    """Return whether an "and" after `run` belongs to the value ("salt and pepper") and doesn't begin a new clause."""
    if any(is_mixed(part.text) for part in run) or not following or following[0].word in words("function"):
        return False
    return len(following) == 1 or bool(following[0].ends) or following[1].word not in words("link")


def _is_value(run: list[Token], parts: list[Token]) -> bool:
    """Return whether a run with a figure or a made-up word is a value, not a count or a remark. `run` begins `parts`."""
    telling = next(part for part in run if is_mixed(part.text) or part.text.isdigit())
    if _LETTER_AND_DIGIT.search(telling.text) and len(telling.text) >= 5:
        return True
    unit = parts[len(run) : len(run) + 1] if not run[-1].ends else []
    counted = telling.text.isdigit() and any(part.word in words("unit") for part in (*run[1:], *unit))
    return not counted and (run[0] is telling or not is_judgement(run))


_LEAST_DIGITS = {"words": 3, "code": 3, "digits": 3, "key": 6, "random": 12}
_LEADING_SIGNS = ("-", "–", "—", ":", "=", "->", "→", "")
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BOTH_CASES = re.compile(r"(?=[^A-Z]{0,200}[A-Z])(?=[^a-z]{0,200}[a-z])[A-Za-z0-9+/=_.~-]{16,}")
_UNBROKEN = re.compile(r"\S*")
_MOST_FILLERS, _LONG = 6, 150

Spans = list[tuple[int, int]]


def read(view: View, at: int, takes: str, bold: bool = True) -> Spans:
    """Return the spans of the value after `at` and of any values joined to it ("4821 and 9920"). Fillers are skipped.

    `takes` is the kind of value: "words", "code", "digits", "key" or "random". Plain words count only if `bold` is true.
    """
    head = next(iter(_skip_fillers(tokens(view, at, _MOST_FILLERS + 1))), None)
    if head is None:
        return []
    if not head.text and view.text[head.raw_start] in "{[(":
        return []
    if HIDDEN in head.text:
        return _find_more_values(view, head.raw_end, takes)
    first = _find_first_value(view, tokens(view, head.raw_start), takes, bold) if _can_begin_value(head, takes) else None
    return [_extend_span(view, first), *_find_more_values(view, first[1], takes)] if first else []


def _extend_span(view: View, span: tuple[int, int]) -> tuple[int, int]:
    """Extend a span to the end of its word if the token was cut due to its length."""
    match = _UNBROKEN.match(view.text, span[1]) if span[1] - span[0] > _LONG else None
    return (span[0], match.end()) if match else span


def _skip_fillers(parts: list[Token]) -> list[Token]:
    """Return the tokens after any fillers ("is now: 4821", "est le 4821"). A filler that ends its sentence is the value."""
    place = 0
    for part, behind in pairwise(parts):
        figure = re.match(r"[#*]?\d", behind.text) or _is_quoted(behind) or is_mixed(behind.text)
        filler = part.word in words("filler") or part.word in _LEADING_SIGNS or (part.word in words("article") and figure)
        filler = filler or (part.word in words("article", "neutral") and _has_made_up_near(parts, place))
        if not filler or part.ends == "." or _is_quoted(part):
            break
        place += 1
    return parts[place:]


def _has_made_up_near(parts: list[Token], place: int) -> bool:
    """Return whether the next word, or the word after a neutral one, looks made up ("is still the default admin1234")."""
    following = parts[place + 1 : place + 3]
    return any(map(is_mixed, (part.text for part in following[: 1 + (following[0].word in words("neutral"))])))


def _is_quoted(part: Token) -> bool:
    """Return whether a quote, a bracket or another opening mark was stripped from the token's start."""
    return part.start > part.raw_start


def _can_begin_value(head: Token, takes: str) -> bool:
    """Return whether a word may begin a value. Most nouns have no value after them, and this check rules it out quickly."""
    if _is_quoted(head) or len(head.text) == 1 or re.search(r"\d", head.text) or head.word in words("number_glue"):
        return True
    if takes == "words":
        return bool(head.word) and head.word not in words("function")
    made_up = head.text.isupper() or re.search(r"[a-z][A-Z]", head.text) or is_mixed(head.text) or len(head.text) >= 16
    return bool(made_up) or number_words().fullmatch(head.word) is not None


def _find_first_value(view: View, parts: list[Token], takes: str, bold: bool) -> tuple[int, int] | None:
    """Return the span of the value at the start of `parts`, or None. Quoted, spelled and grouped values are tried first."""
    head = parts[0]
    inside = quoted(view, head.raw_start)
    if inside:
        return inside if _can_quotation_be_value(view.text[slice(*inside)], takes) else None
    spelled = letter_run(parts) or (number_run(parts) if takes != "random" else None)
    if spelled:
        return spelled
    groups = grouped(parts) if takes in ("code", "key", "words") else None
    if groups:
        return groups
    number = digits(view, head.start, 4 if takes == "words" and not bold else _LEAST_DIGITS[takes])
    if number and (takes != "words" or not _is_followed_by_content_word(parts, number[1])):
        return number
    if takes == "words":
        return phrase(parts, bold)
    return (head.start, _find_groups_end(parts)) if takes != "digits" and _can_token_be_value(head, takes) else None


def _is_followed_by_content_word(parts: list[Token], end: int) -> bool:
    following = next((part for part in parts if part.start >= end), None)
    ended = any(part.ends for part in parts if part.start < end <= part.raw_end)
    return bool(following and not ended and following.word not in words("function"))


def _can_quotation_be_value(quotation: str, takes: str) -> bool:
    """Return whether a quoted text can be a value of the kind `takes` ("words", "code", "digits", "key" or "random")."""
    if HIDDEN in quotation:
        return False
    if takes == "words":
        return bare_in_place(quotation) not in words("remark", "unit")
    if takes in ("key", "random"):
        return len(quotation) >= 6 and is_mixed(quotation) and " " not in quotation
    figures = sum(map(str.isdigit, quotation))
    if figures >= 3 or sum(bool(number_words().fullmatch(word)) for word in bare_in_place(quotation).split()) >= 3:
        return True
    return takes == "code" and len(quotation) >= 4 and (any(map(is_mixed, quotation.split())) or quotation.isupper())


def _can_token_be_value(head: Token, takes: str) -> bool:
    """Return whether a token can be a value of the kind `takes`, which is "code", "key" or "random"."""
    if head.word in words("remark", "function", "evasive"):
        return False
    mixed, length = is_mixed(head.text), len(head.text)
    if takes == "code":
        return mixed or (head.text.isupper() and head.text.isalpha() and length >= 4)
    if takes == "key":
        return (mixed and length >= 6) or (_BOTH_CASES.fullmatch(head.text) is not None and not is_blank(head.text))
    # Anything may be called a key. A name with a number after it ("user_id2", "uploads/2024") isn't a secret.
    random = mixed and length >= 12 and sum(map(str.isdigit, head.text)) >= 3
    return random and not re.search(r"[/:]", head.text[:-8]) and not _UUID.fullmatch(head.text)


def _find_groups_end(parts: list[Token]) -> int:
    """Return the end of the run of numeric or mixed groups that starts with the first token ("a1b2c-3d4e5 f6g7h-8i9j0")."""
    end = parts[0].end
    for before, part in pairwise(parts):
        if before.ends or not (is_mixed(part.text) or (part.text.isdigit() and len(part.text) >= 3)):
            break
        end = part.end
    return end


@cache
def _compile_value_separator() -> re.Pattern[str]:
    also = "|".join(map(re.escape, words("also")))
    return re.compile(rf"\s*[,;/|&+]\s*(?:(?:{also})\s+)?|\s+(?:{also})\s+")


def _find_more_values(view: View, at: int, takes: str) -> Spans:
    """Return the additional values after `at`, as in "4821 and 9920" and "hunter2, swordfish5 or blue42"."""
    spans: Spans = []
    while joint := _compile_value_separator().match(view.folded, at):
        part = next(iter(tokens(view, joint.end(), 1)), None)
        if part is None or HIDDEN in part.text:
            break
        number = digits(view, part.start, max(3, _LEAST_DIGITS[takes]))
        if not number and not (takes != "digits" and is_mixed(part.text)):
            break
        spans.append(number or (part.start, part.end))
        at = spans[-1][1]
    return spans

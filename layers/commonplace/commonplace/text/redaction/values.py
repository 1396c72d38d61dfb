"""What may be the value of a secret that was named, and what people only say about one ("is too short")."""

import re
from bisect import bisect_right
from typing import NamedTuple

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
_NUMBERED = re.compile(r"!*\d{0,3}!*$")  # "foo123" holds a place; more digits are somebody's own
_LONGEST_BLANK = 100
# A reference to a secret, or a blank for one: `${DB_PASSWORD}`, `<your-token>`, `****`, `get_key()`.
_REFERENCE = re.compile(
    r"\$\{.*|\$\(.*|\$(?:[A-Z_]{2,}|[a-z]+(?:_[a-z]+)*)|%\w+%|\{.*\}|<.*|\[.*\]|\(.*\)|[A-Za-z_][\w.]*[(\[].*"
    r"|!(?:vault|secret|ref|Ref|sub|Sub|env|reference)|[*xX.•_\-#?]{3,}|[A-Za-z_]+(?:\.[A-Za-z_]+){1,6}"
    r"|(?i:.*(?:\b|_)(?:your|enter|insert|replace|dummy|fake)[_ \-].*|my[_-](?:secret|api|token|key).*|.*_here)",
    re.DOTALL,
)


class Token(NamedTuple):
    """A stretch without blanks. `text` is bare of quotes and sentence marks around it, `word` is that folded.

    `ends` is "." where a sentence may end behind it, "," where a clause may, ":" where it introduces, or empty.
    """

    start: int
    end: int
    text: str
    word: str
    ends: str
    raw_start: int
    raw_end: int


def tokens(view: View, at: int, limit: int = 24, until: int | None = None) -> list[Token]:
    """Up to `limit` tokens from `at` to `until`, all of one line; the first may be the rest of one."""
    last = len(view.text) if until is None else until
    place = bisect_right(view.run_ends, at)
    found: list[Token] = []
    for run in view.runs[place : place + limit]:
        if run.start >= last or (found and run.first_of_line):
            break
        if run.start < at:
            found.append(_token(view, at, run.end))
        else:
            made = view.made.get(run.start)
            if made is None:
                made = view.made[run.start] = _token(view, run.start, run.end)
            found.append(made)
    return found


def _token(view: View, raw_start: int, raw_end: int) -> Token:
    raw = view.text[raw_start:raw_end]
    bare = raw.lstrip(_OPENING)
    start = raw_end - len(bare)
    bare = bare.rstrip(_CLOSING)
    end = start + len(bare)
    marks = raw[end - raw_start :] + ("!" if bare.endswith("!") else "")
    # "è" is a verb, "e" is none.
    word = bare.lower() if len(bare) == 1 else view.folded[start:end].strip("*_!")
    return Token(start, end, bare, word, _ending(marks, word), raw_start, raw_end)


def _ending(marks: str, word: str) -> str:
    if not marks or (marks == "." and word in abbreviations("titles", "titles_elsewhere")):
        return "," if word in _DASHES else ""
    if _SENTENCE_END.search(marks):
        return "."
    return ":" if marks == ":" else "," if _CLAUSE_END.search(marks) else ""


def is_mixed(text: str) -> bool:
    """Whether a bare token looks made up: letters with digits or signs inside, no count, no address."""
    text = text.strip("*_")
    if len(text) < 4 or _CODE.search(text) or _ADDRESS.fullmatch(text):
        return False
    letter, digit = re.search(r"[^\W\d_]", text), re.search(r"\d", text)
    if letter and digit:
        return not compiled("values.quantity").fullmatch(text.lower().lstrip("~≈<>+-"))
    return bool((letter or digit) and _SIGNS.search(text))


def is_passphrase(text: str) -> bool:
    """Whether a bare token is words tied together as nobody ties them but for a password: "Tulip*wagon", "a.b-c.d"."""
    return bool(_TIED.fullmatch(text)) and not _ADDRESS.fullmatch(text)


def is_branded(text: str) -> bool:
    """Whether a bare token is the name of a product or a method with its number: "Windows11", "AES-256"."""
    return bool(compiled("values.branded").fullmatch(text.lower()))


def is_blank(value: str) -> bool:
    """Whether a value in code or a form only holds the place of a secret."""
    if len(value) > _LONGEST_BLANK:
        return False
    bare = _NUMBERED.sub("", value.strip().lower())
    return len(value) < 3 or HIDDEN in value or bare in words("blank") or bool(_REFERENCE.fullmatch(value))


def quoted(view: View, at: int) -> tuple[int, int] | None:
    """The inside of the quotation that begins at `at`, None when none does."""
    match = _QUOTED.match(view.text, at)
    return match.span(match.lastindex) if match and match.lastindex else None


def digits(view: View, at: int, least: int) -> tuple[int, int] | None:
    """The number that begins at `at`, however grouped, with at least `least` digits and no unit behind it."""
    match = _DIGITS.match(view.text, at)
    if not match or sum(map(str.isdigit, match[0])) < least or _COORDINATE.match(view.text, at):
        return None
    behind = tokens(view, match.end(), 1)
    counted = behind and behind[0].word.lstrip("-") in words("unit")
    return None if counted and view.text[match.end()] not in ".,;!?" else match.span()


def number_run(parts: list[Token]) -> tuple[int, int] | None:
    """Three or more numbers at the beginning of `parts`, said as words or digits: "four oh two", "left 12 right 24"."""
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
    """Four or more single characters at the beginning of `parts`: "h u n t e r 2"."""
    run = []
    for part in parts:
        if len(part.text) != 1:
            break
        run.append(part)
    return (run[0].start, run[-1].end) if len(run) >= 4 else None


def grouped(parts: list[Token]) -> tuple[int, int] | None:
    """Three or more groups of one length that are no words, at the beginning of `parts`: "RFsT HsDD 5Xh5 Jmtf"."""
    length, run = len(parts[0].text), []
    for part in parts:
        if len(part.text) != length or not part.text.isalnum():
            break
        run.append(part)
        if part.ends:
            break
    made_up = [part for part in run if re.search(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]", part.text)]
    fits = length in (4, 5, 6) and len(run) >= 3 and len(made_up) * 2 >= len(run)
    return (run[0].start, run[-1].end) if fits else None

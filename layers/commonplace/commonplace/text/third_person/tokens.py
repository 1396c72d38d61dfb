"""A text as tokens: words that may be changed, marks, and spans that must survive byte for byte."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cache

from commonplace.text.foundation.english import table
from commonplace.text.foundation.sentences import abbreviations

_APOSTROPHES = str.maketrans("’`´ʼ＇", "'''''")
_CLOSING = {
    '"': '"', "“": '”“"', "„": '“”"', "«": "»", "»": "«", "‹": "›", "「": "」", "『": "』", "‘": "’", "'": "'",
}  # fmt: skip
_SINGLE_QUOTE_REACH = 400

# Every quantifier that could be tried again from the next character is bounded, so that reading stays linear.
_TOKEN = r"""
  (?P<space>\s+)
| (?P<fixed>
    ```[\s\S]{0,4000}?```
  | \[(?:redacted(?::\w{1,40})?|erased)\]
  | (?<![^\W_])`[^`\n]{1,400}`
  | (?:https?://|www\.)[^\s<>"”»]{1,2000}(?<![.,;:!?)'’\]])
  | [\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}
  | (?:(?<=\s)|^)(?:~|\.{1,2})?/[\w.-]{1,100}(?:/[\w.-]{0,100}){0,40}(?<![.])
  | [A-Za-z]:\\[^\s"]{1,300}
  | (?<!\w)[@\#]\w{1,100}
  | (?<!\w)(?:[A-Za-z]\.){2,8}
  | [\w-]{1,64}(?:\.[\w-]{1,64}){0,8}\.[a-z][a-z0-9]{1,4}(?:/[\w./?=&%\#-]{0,500}(?<![.?]))?(?![\w'’])
  | (?<!\w)(?:[A-Z]{1,8}[&+/]I|I[&+/][A-Z]{1,8})(?!\w)
  | :[a-z0-9_+-]{1,40}:
  )
| (?P<word>[^\W_]+(?:['’`´ʼ＇-][^\W_]+)*)
| (?P<mark>\.{2,}|--+|[\s\S])
"""

_STOPS = frozenset(".!?。！？…")
_ABBREVIATIONS = ("titles", "beside_names", "companies", "months", "in_texts", "citations", "numbers")


class Kind(Enum):
    WORD = "word"
    MARK = "mark"
    FIXED = "fixed"
    SAID = "said"


@dataclass(slots=True)
class Token:
    """`gap` is the white space before the text; `low` the text in lower case with straight apostrophes.

    `joined` counts the tokens behind an "I" that name its companions: 3 in "I and my wife".
    """

    gap: str
    text: str
    kind: Kind = Kind.WORD
    joined: int = 0
    low: str = field(init=False)

    def __post_init__(self) -> None:
        self.low = self.text.lower().translate(_APOSTROPHES)

    @property
    def is_word(self) -> bool:
        return self.kind is Kind.WORD

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


@cache
def _token_pattern() -> re.Pattern[str]:
    return re.compile(_TOKEN, re.VERBOSE)


def joined_text(tokens: list[Token]) -> str:
    return "".join(token.gap + token.text for token in tokens)


def read(text: str) -> list[Token]:
    """Tokens of the text, in order; `joined_text` of them is the text without its trailing white space."""
    pattern, tokens, gap, at = _token_pattern(), [], "", 0
    unclosed: set[str] = set()
    while at < len(text):
        end = _quote_end(text, at, unclosed)
        if end:
            tokens.append(Token(gap, text[at:end], Kind.FIXED))
            gap, at = "", end
            continue
        match = pattern.match(text, at)
        assert match is not None  # the last alternative takes any character
        at = match.end()
        if match.lastgroup == "space":
            gap += match.group()
            continue
        tokens.append(Token(gap, match.group(), Kind(match.lastgroup)))
        gap = ""
    return tokens


def _quote_end(text: str, at: int, unclosed: set[str]) -> int:
    """Where the quotation that opens at `at` ends, or 0. `unclosed` keeps the marks known to have no partner left."""
    mark = text[at]
    if mark not in _CLOSING or mark in unclosed:
        return 0
    before = text[at - 1] if at else " "
    if mark in "\"'" and not (before.isspace() or before in "([{—–-:,;=/…"):
        return 0
    if mark in "'‘":
        return _single_quote_end(text, at, _CLOSING[mark])
    ends = [end for closing in _CLOSING[mark] if (end := text.find(closing, at + 1)) > 0]
    if not ends:
        unclosed.add(mark)
        return 0
    return min(ends) + 1


def _single_quote_end(text: str, at: int, closing: str) -> int:
    """An apostrophe is no quotation mark: the closing one stands between a word or stop and a blank or stop."""
    opening = text[at : at + 7].lower().translate(_APOSTROPHES)
    if text[at + 1 : at + 2].isdigit() or opening.startswith(tuple(table("speaker.elisions"))):
        return 0
    end = text.find(closing, at + 2, at + _SINGLE_QUOTE_REACH)
    while end > 0:
        after = text[end + 1 : end + 2]
        if not text[end - 1].isspace() and not after.isalnum():
            return end + 1
        end = text.find(closing, end + 1, at + _SINGLE_QUOTE_REACH)
    return 0


def sentence_tokens(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each sentence with its final marks. A line break ends a sentence too.

    Not `foundation.sentences`: it must give every token back, knows quotations and mends "tea.I".
    """
    current: list[Token] = []
    for at, token in enumerate(tokens):
        if current and "\n" in token.gap:
            yield current
            current = []
        current.append(token)
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is not None and (following.gap or _is_glued(current, following)) and _ends(current, following):
            yield current
            current = []
    if current:
        yield current


def _ends(current: list[Token], following: Token) -> bool:
    last = current[-1]
    if last.kind is Kind.FIXED:
        # 'He said "I quit." My boss …': the stop stands inside the quotation
        quoted = len(last.text) > 2 and last.text[-2] in _STOPS and not last.text[-1].isalnum()
        return quoted and following.capital
    if last.kind is Kind.WORD:
        return False
    if len(last.text) > 1 and last.text[0] == ".":
        return following.capital or following.low == "i"
    if last.text not in _STOPS:
        return _is_closing_mark(current)
    return not (last.text == "." and _is_abbreviated(current, following))


def _is_glued(current: list[Token], following: Token) -> bool:
    """'I like tea.I hate coffee': the blank was forgotten."""
    return len(current) > 1 and following.capital and current[-1].text in _STOPS and current[-2].text.islower()


def _is_closing_mark(current: list[Token]) -> bool:
    """A bracket or an emoji right after the stop belongs to the sentence that it closes."""
    return len(current) > 1 and current[-2].text in _STOPS and current[-1].text in ")]\"'”’"


def _is_abbreviated(current: list[Token], following: Token) -> bool:
    if len(current) < 2 or current[-1].gap:
        return False
    word = current[-2]
    if word.low in abbreviations(*_ABBREVIATIONS):
        return word.low != "etc" or not following.capital
    initial = len(word.text) == 1 and word.capital and word.text != "I"
    return initial and following.capital and following.text != "I"

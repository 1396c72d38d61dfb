"""Tells what people say about a secret ("is too short", "I forgot") from what they give as one."""

import re

from commonplace.redaction.tokens import Token
from commonplace.redaction.view import HIDDEN
from commonplace.redaction.vocabulary import words

_MOST_WORDS = 6
_LETTER = re.compile(r"[^\W_]")
# German: "gespeichert", "geändert", "abgelaufen".
_PARTICIPLE = re.compile(r"(?:ab|an|auf|aus|ein|zuruck|hinter)?ge[a-z]{3,12}(?:t|en)")


def is_remark(word: str) -> bool:
    """Whether the folded `word` rather says something about a secret than is one: "expired", "too", "required"."""
    if word in words("remark", "function", "unit"):
        return True
    if len(word) < 6 or not word.isalpha():
        return False
    return word.endswith(tuple(words("remark_endings"))) or bool(_PARTICIPLE.fullmatch(word))


def is_judgement(run: list[Token]) -> bool:
    """Whether a run of words begins as a remark and goes on as one: "too short", not "correct horse battery staple"."""
    first = run[0]
    # A word with a capital is a name, unless we know it better.
    named = first.text[:1].isupper() and first.word not in words("remark", "function", "unit")
    rest = [part for part in run[1:] if part.text.islower() and not is_remark(part.word)]
    return is_remark(first.word) and not named and (len(rest) < 3 or len(rest) < len(run) - 1)


def is_plain_answer(parts: list[Token]) -> bool:
    """Whether `parts`, to the end of the sentence, are a few words that may be a secret: no remark, no evasion."""
    if not parts or len(parts) > _MOST_WORDS or any(part.ends in (".", ":") for part in parts[:-1]):
        return False
    said = {part.word for part in parts}
    if any(HIDDEN in part.text for part in parts) or not all(map(_LETTER.search, said)):
        return False
    return not said & words("function", "evasive", "remark", "compound") and not is_remark(parts[0].word)

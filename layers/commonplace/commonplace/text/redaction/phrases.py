"""A view as words with their places, and values said in words: where one begins and ends in a sentence."""

import re

from commonplace.text.redaction.values import Token, is_blank, is_mixed
from commonplace.text.redaction.view import HIDDEN
from commonplace.text.redaction.vocabulary import words

_MOST_WORDS = 6
_LETTER = re.compile(r"[^\W_]")
# German: "gespeichert", "geändert", "abgelaufen".
_PARTICIPLE = re.compile(r"(?:ab|an|auf|aus|ein|zuruck|hinter)?ge[a-z]{3,12}(?:t|en)")

_LETTER_AND_DIGIT = re.compile(r"\d[^\W\d_]|[^\W\d_]\d")


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


def phrase(parts: list[Token], bold: bool) -> tuple[int, int] | None:
    """The span of the value in words that `parts` begin with, None for none.

    Without `bold` it must have a figure or a made-up word in it.
    """
    run = _run(parts)
    if not run or (len(run) == 1 and run[0].text.isdigit() and len(run[0].text) < 3):
        return None
    span = run[0].start, run[-1].end
    if any(is_mixed(part.text) or part.text.isdigit() for part in run):
        return span if _tells(run, parts) else None
    if not bold or (len(run) == 1 and is_blank(run[0].text)) or is_judgement(run) or _declines(run, parts):
        return None
    return span


def _run(parts: list[Token]) -> list[Token]:
    # Words up to one that goes on with the sentence. "and" belongs to "salt and pepper", not to "hunter2 and I".
    run: list[Token] = []
    for place, part in enumerate(parts):
        if HIDDEN in part.text or (not part.text and run):
            break
        joins = part.word in words("and") and run and _joined(run, parts[place + 1 : place + 3])
        if part.word in words("function") and not is_mixed(part.text) and not joins:
            break
        run.append(part)
        if part.ends:
            break
    return run


def _declines(run: list[Token], parts: list[Token]) -> bool:
    # "password: nope, not telling you"
    return len(run) == 1 and run[0].ends == "," and len(parts) > 1 and run[0].word in words("evasive")


def _joined(run: list[Token], following: list[Token]) -> bool:
    if any(is_mixed(part.text) for part in run) or not following or following[0].word in words("function"):
        return False
    return len(following) == 1 or bool(following[0].ends) or following[1].word not in words("link")


def _tells(run: list[Token], parts: list[Token]) -> bool:
    telling = next(part for part in run if is_mixed(part.text) or part.text.isdigit())
    if _LETTER_AND_DIGIT.search(telling.text) and len(telling.text) >= 5:
        return True
    unit = parts[len(run) : len(run) + 1] if not run[-1].ends else []
    counted = telling.text.isdigit() and any(part.word in words("unit") for part in (*run[1:], *unit))
    return not counted and (run[0] is telling or not is_judgement(run))

"""Values said in words: where one begins and ends in a sentence, and whether it is one."""

import re

from commonplace.redaction.remarks import is_judgement
from commonplace.redaction.tokens import Token
from commonplace.redaction.values import is_blank, is_mixed
from commonplace.redaction.view import HIDDEN
from commonplace.redaction.vocabulary import words

_LETTER_AND_DIGIT = re.compile(r"\d[^\W\d_]|[^\W\d_]\d")
_AND = ("and", "y", "und", "et")


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
        joins = part.word in _AND and run and _joined(run, parts[place + 1 : place + 3])
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

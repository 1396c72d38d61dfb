"""A view as a list of words with their places, made once however often it is read."""

import re
from bisect import bisect_right
from typing import NamedTuple

from commonplace.redaction.view import View

_OPENING, _CLOSING = "\"'“‘«„‚([{<`「『¿¡", "\"'”’“»)]}>`」』。、.,;:?…"
_ABBREVIATED = ("mr", "mrs", "ms", "dr", "st", "sr", "sra", "mme", "prof")
_DASHES = ("-", "–", "—", "--")
_SENTENCE_END, _CLAUSE_END = re.compile(r"[.;!?…。]"), re.compile(r"[,:、)]")


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
    word = view.folded[start:end].strip("*_!")
    return Token(start, end, bare, word, _ending(marks, word), raw_start, raw_end)


def _ending(marks: str, word: str) -> str:
    if not marks or (marks == "." and word in _ABBREVIATED):
        return "," if word in _DASHES else ""
    if _SENTENCE_END.search(marks):
        return "."
    return ":" if marks == ":" else "," if _CLAUSE_END.search(marks) else ""

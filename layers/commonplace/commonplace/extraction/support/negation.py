"""Whether a text says no: with a word of negation, or with one that is against something ("avoids", "allergic")."""

import re
from collections.abc import Iterator

from commonplace.analyzer import terms
from commonplace.extraction.support.words import listed

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CLAUSE = re.compile(
    r"[.,;:!?…。、！？\n]+|けど|が、|ので"
    r"|\b(?:but|and|sondern|aber|und|mais|et|sino|pero|mas|porém|ma|bensì|maar|en|because|weil|porque|parce)\b",
    re.IGNORECASE,
)
_UNSPACED_NO = re.compile(
    r"ない(?!と(?:いけ|なら|だめ))|なかった|なく(?:て|な)|ません|ずに|無い|無し|なし(?!と)"
    r"|[不没沒无別未](?!同|断|久)|嫌い|苦手|アレルギー|やめ"
)
_NOT_NO = re.compile(
    r"しか[^。、]{0,12}ない|かもしれない|かもしれません|なければ(?:なら|いけ)[^。、]{0,4}"
    r"|なくちゃ|少ない|危ない|間違いない|じゃない(?:です)?か|ないと(?:いけ|なら)\w*"
)


_NOT = re.compile(r"([\w']+)\s(?=not\s)", re.IGNORECASE)
_NEGATED = frozenset(
    "am is are was were be do does did will would can could have has had should may might must im i or if".split()
)


def misnegated(content: str, evidence: str, others: str) -> str | None:
    """Why the content says no where nothing that it rests on does, or the other way round; None if they agree."""
    if _hard(content) and not (_hard(evidence) or _against(evidence) or _hard(others) or _against(others)):
        return "it says no where the user did not"
    clause = _nearest(content, evidence)
    if not clause or _hard(content) or _against(content):
        return None
    if _against(clause) or _hard(clause) == 1:
        return "the user said no where it does not"
    return None


def _nearest(content: str, evidence: str) -> str:
    """The clause of the evidence that shares most words with the content."""
    told = frozenset(terms(content))
    parts = _CLAUSE.split(evidence.replace("’", "'"))
    clauses = [clause for part in parts for clause in _contrasted(part) if clause.strip()]
    return max(clauses, key=lambda clause: len(told & frozenset(terms(clause))), default="")


def _contrasted(clause: str) -> Iterator[str]:
    """The clause, or "the 14th not the 12th" as two, unless it is a verb that is negated ("is not the 12th")."""
    at = 0
    for match in _NOT.finditer(clause):
        if match[1].lower() not in _NEGATED and not match[1].endswith(("'m", "'re", "'s")):
            yield clause[at : match.end()]
            at = match.end()
    yield clause[at:]


def _hard(text: str) -> int:
    """0 for none, 1 for a no, 2 for one that takes itself back ("can't live without")."""
    words = [word.replace("’", "'") for word in _WORD.findall(text.casefold())]
    found = {word for word in words if word in listed("no")}
    if _UNSPACED_NO.search(_NOT_NO.sub("", text)):
        found.add("ない")
    return 2 if found & listed("without") and found - listed("without") else min(1, len(found))


def _against(text: str) -> bool:
    return any(word in listed("against") for word in _WORD.findall(text.casefold()))

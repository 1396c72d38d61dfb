"""What a message of the user answers: a question about them gives content to a yes and a subject to a few words."""

from commonplace import analyzer
from commonplace.extraction.clauses import Clause, sentences
from commonplace.extraction.day import Utterance
from commonplace.extraction.stems import shared, stems_of
from commonplace.extraction.third_parties import speaks_of_self
from commonplace.extraction.wordings import says
from commonplace.extraction.worth import never

_LONGEST_QUESTION = 200
_SHORT_ANSWER, _SHORT_UNSPACED = 8, 14
_IDLE = ("courtesy", "passing", "request", "attempt", "counterfactual", "yes", "no")
_HALF = 0.5


def asked_of_the_user(before: Utterance | None) -> str | None:
    """The last question of an assistant's message, if it is about the user or somebody of theirs and no offer."""
    if before is None or before.role != "assistant":
        return None
    asked = [one.text for one in sentences(before.text) if one.text.endswith(("?", "？", "か", "か。"))]
    last = asked[-1] if asked else ""
    about = says("you", last) or says("somebody", last)
    return last if about and len(last) <= _LONGEST_QUESTION and not says("offer", last) and not never(last) else None


def is_answer(clause: Clause, alone: bool, family: frozenset[str]) -> bool:
    """Whether a clause makes no sense without the question: a yes or no that is `alone`, a few words without a subject."""
    text = clause.text
    if clause.asking or never(text, family):
        return False
    if alone and (says("yes", text) or says("no", text)):
        return True
    plain = text.strip(" .!。")
    short = len(plain.split()) <= _SHORT_ANSWER if " " in plain or plain.isascii() else len(plain) <= _SHORT_UNSPACED
    depends = says("pronoun", text) or not speaks_of_self(text)
    return short and depends and bool(analyzer.terms(plain)) and not any(says(kind, text) for kind in _IDLE)


def is_echo(clause: Clause, before: Utterance | None) -> bool:
    """Whether it only takes up the assistant's words, without a word of the user's own person: a joke about a suggestion."""
    if before is None or before.role != "assistant" or speaks_of_self(clause.text):
        return False
    own = stems_of(clause.text)
    return bool(own) and len(shared(own, stems_of(before.text))) >= _HALF * len(own)

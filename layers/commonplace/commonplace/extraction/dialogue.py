"""Read a message in the context of its conversation, to find the question that it answers and to detect role-play."""

from dataclasses import dataclass, field, replace

from commonplace.extraction.clauses import Clause, clauses, sentences
from commonplace.extraction.content_words import shared_stems, stems_of
from commonplace.extraction.days import Utterance
from commonplace.extraction.forgetting.requests import addresses_the_memory
from commonplace.extraction.own_words.masking import cue_pattern
from commonplace.extraction.patterns import has_wording
from commonplace.extraction.third_parties import speaks_of_self
from commonplace.extraction.worthiness import exclusion_reason, judge, kind_shares
from commonplace.ports.models import Embedder
from commonplace.text.foundation import tokenizer

_LONGEST_QUESTION = 200
_SHORT_ANSWER, _SHORT_UNSPACED = 8, 14
_IDLE = ("courtesy", "passing", "request", "attempt", "counterfactual", "yes", "no")
_HALF = 0.5
_PLAYED, _NARRATED = 0.5, 0.4
"""A message is role-play if the shares of the message and of its most playful clause have a mean of at least `_PLAYED`.

The worth of that clause must be below `_NARRATED`, so that a possible fact isn't taken for role-play.
"""


def question_to_user(before: Utterance | None) -> str | None:
    """Return the assistant's last question. Return None if it is an offer, or is not about the user or their people."""
    if before is None or before.role != "assistant":
        return None
    questions = [clause.text for clause in sentences(before.text) if clause.text.endswith(("?", "？", "か", "か。"))]
    last = questions[-1] if questions else ""
    about = has_wording("you", last) or has_wording("somebody", last)
    fits = about and len(last) <= _LONGEST_QUESTION and not has_wording("offer", last) and not exclusion_reason(last)
    return last if fits else None


def is_answer(clause: Clause, is_only_clause: bool, family: frozenset[str]) -> bool:
    """Return whether a clause makes sense only with a question, such as a bare yes or a few words without a subject."""
    text = clause.text
    if clause.asking or exclusion_reason(text, family):
        return False
    if is_only_clause and (has_wording("yes", text) or has_wording("no", text)):
        return True
    plain = text.strip(" .!。")
    short = len(plain.split()) <= _SHORT_ANSWER if " " in plain or plain.isascii() else len(plain) <= _SHORT_UNSPACED
    depends = has_wording("pronoun", text) or not speaks_of_self(text)
    return short and depends and bool(tokenizer.terms(plain)) and not any(has_wording(kind, text) for kind in _IDLE)


def only_repeats(clause: Clause, before: Utterance | None) -> bool:
    """Return whether a clause only repeats the assistant and is not about the user."""
    if before is None or before.role != "assistant" or speaks_of_self(clause.text):
        return False
    own = stems_of(clause.text)
    return bool(own) and len(shared_stems(own, stems_of(before.text))) >= _HALF * len(own)


@dataclass
class RolePlay:
    """The conversations in which the user is playing a role."""

    words: Embedder
    conversations: set[str] = field(default_factory=set)

    def without_roles(self, utterance: Utterance) -> Utterance:
        """Return the message without the words that belong to a role.

        Requests to remember or forget are kept, and so is all text after the end of the role-play.
        """
        if utterance.explicit or (utterance.conversation_id not in self.conversations and not self._is_played(utterance)):
            return utterance
        ended = list(cue_pattern("role_play_ends").finditer(utterance.text))
        if ended:
            self.conversations.discard(utterance.conversation_id)
        else:
            self.conversations.add(utterance.conversation_id)
        behind = ended[-1].end() if ended else len(utterance.text)
        spans = [(part.start, part.end) for part in clauses(utterance) if part.end <= behind and _addresses_the_memory(part)]
        after = [(max(start, behind), end) for start, end in utterance.own if end > behind]
        return replace(utterance, own=(*spans, *after))

    def _is_played(self, utterance: Utterance) -> bool:
        """Return whether a message is role-play, judged by all of its words and by its most playful clause."""
        judgements = [judge(clause.text, self.words) for clause in clauses(utterance)]
        most = max(judgements, key=lambda judgement: judgement.shares["role_play"], default=None)
        if most is None or most.worth >= _NARRATED:
            return False
        whole = kind_shares(utterance.own_words, self.words)
        return (whole["role_play"] + most.shares["role_play"]) / 2 >= _PLAYED


def _addresses_the_memory(clause: Clause) -> bool:
    """Return whether a clause asks to remember or to forget something."""
    text = clause.text
    return addresses_the_memory(text) or has_wording("remember", text) or has_wording("remember_behind", text)

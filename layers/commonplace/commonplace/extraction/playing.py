"""Role-play that no wording begins: heard by how it sounds, it goes on in that talk until its end is told."""

from dataclasses import dataclass, field, replace

from commonplace.extraction.clauses import Clause, clauses
from commonplace.extraction.day import Utterance
from commonplace.extraction.own_words.cues import cue
from commonplace.extraction.wishes import asks_the_memory
from commonplace.extraction.wordings import says
from commonplace.extraction.worth import judged
from commonplace.ports import Embedder

_PLAYED, _TOLD = 0.5, 0.4
"""The mean of the shares that a message as a whole and its most playful clause have of role-play, from which it is one, if
the worth of that clause is less: what may well be a fact silences nobody."""


@dataclass
class Stage:
    """Who is on stage: the talks in which the user plays a role."""

    words: Embedder
    talks: set[str] = field(default_factory=set)

    def without_roles(self, utterance: Utterance) -> Utterance:
        """The message with only those own words that are not said in a role: what is asked to be remembered or forgotten
        never is, nor what stands behind the end of the play."""
        if utterance.explicit or (utterance.interaction_id not in self.talks and not self._is_played(utterance)):
            return utterance
        ended = list(cue("role_play_ends").finditer(utterance.text))
        if ended:
            self.talks.discard(utterance.interaction_id)
        else:
            self.talks.add(utterance.interaction_id)
        behind = ended[-1].end() if ended else len(utterance.text)
        asked = [(one.start, one.end) for one in clauses(utterance) if one.end <= behind and _asks_the_memory(one)]
        after = [(max(start, behind), end) for start, end in utterance.own if end > behind]
        return replace(utterance, own=(*asked, *after))

    def _is_played(self, utterance: Utterance) -> bool:
        judgements = [judged(clause.text, self.words) for clause in clauses(utterance)]
        most = max(judgements, key=lambda one: one.shares["role_play"], default=None)
        if most is None or most.worth >= _TOLD:
            return False
        whole = judged(utterance.own_words, self.words)
        return (whole.shares["role_play"] + most.shares["role_play"]) / 2 >= _PLAYED


def _asks_the_memory(clause: Clause) -> bool:
    text = clause.text
    return asks_the_memory(text) or says("remember", text) or says("remember_behind", text)

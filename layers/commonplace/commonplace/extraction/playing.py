"""Role-play that no wording begins: heard by how it sounds, it goes on in that talk until its end is told."""

from dataclasses import dataclass, field, replace

from commonplace.classifier.kinds import kinds
from commonplace.extraction.clauses import Clause, clauses
from commonplace.extraction.day import Utterance
from commonplace.extraction.forgetting import to_forget
from commonplace.extraction.own_words.cues import cue
from commonplace.extraction.wordings import says
from commonplace.ports import Embedder

ROLE_PLAY = "role-play"
_PLAYED = 0.5
"""The mean of the shares that a message as a whole and its most playful clause have of role-play, from which it is one.
Of 22 talks with role-play in stories that the rules were made with 14 reach it, of 191 others one."""


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
        told = [self._share(clause.text) for clause in clauses(utterance)]
        return bool(told) and (self._share(utterance.own_words) + max(told)) / 2 >= _PLAYED

    def _share(self, text: str) -> float:
        return kinds(text, self.words.embed(text))["role_play"]


def _asks_the_memory(clause: Clause) -> bool:
    text = clause.text
    return to_forget(text) is not None or says("remember", text) or says("remember_behind", text)

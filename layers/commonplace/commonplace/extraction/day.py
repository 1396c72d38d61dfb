"""One calendar day as a reader sees it: what the user said in own words, what they answered, and the titles they met."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from commonplace.models.interactions import Role

Met = Literal["saved", "read", "liked", "discussed"]


@dataclass(frozen=True)
class Utterance:
    """One message of a discussion, or the text of an explicit request.

    `own`: spans (start, end) of `text` that are the user's own words; everything else in it is foreign: fences, code, logs,
    quotes and pasted text, HTML comments, mail, role-play. An assistant's message has none.
    """

    interaction_id: str
    position: int
    role: Role
    text: str
    time: datetime
    own: tuple[tuple[int, int], ...] = ()
    explicit: bool = False

    @property
    def own_words(self) -> str:
        """What the user said in own words, a line per span."""
        return "\n".join(self.text[start:end] for start, end in self.own)


@dataclass(frozen=True)
class TitleMet:
    """A title that the user met: the article of a discussion, a post they saved or reacted to."""

    interaction_id: str
    title: str
    how: Met
    time: datetime


@dataclass(frozen=True)
class Day:
    """What happened on one date of the user's calendar, in order of time."""

    date: date
    utterances: tuple[Utterance, ...]
    titles: tuple[TitleMet, ...] = ()

    def before(self, utterance: Utterance) -> Utterance | None:
        """The message just before it in the same interaction."""
        earlier = [
            other
            for other in self.utterances
            if other.interaction_id == utterance.interaction_id and other.position < utterance.position
        ]
        return max(earlier, key=lambda other: other.position, default=None)

    def said_at(self, interaction_id: str, position: int) -> Utterance | None:
        """The message of that place."""
        return next(
            (one for one in self.utterances if (one.interaction_id, one.position) == (interaction_id, position)), None
        )

"""Groups interactions into days, with the user's own words in each message, and the titles of posts and articles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from itertools import accumulate, islice
from typing import Literal

from commonplace.domain.fields import MAX_TEXT
from commonplace.domain.interactions import Discussion, Explicit, Interaction, Message, Reaction, Role, Save
from commonplace.extraction.own_words import Spans, own_spans
from commonplace.extraction.patterns import word_list

Met = Literal["saved", "read", "liked", "discussed"]

_LEAST_PIECE = MAX_TEXT * 9 // 10
"""A message that was split at the intake continues in the next one; all pieces except the last are at least this long."""


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
    part_of: str | None = None

    @property
    def talk(self) -> str:
        """The conversation: messages that were recorded later have an interaction of their own."""
        return self.part_of or self.interaction_id

    @property
    def own_words(self) -> str:
        """The user's own words, a line per span."""
        return "\n".join(self.text[start:end] for start, end in self.own)


@dataclass(frozen=True)
class TitleMet:
    """A title that the user saw: the article of a discussion, or a post they saved or reacted to."""

    interaction_id: str
    title: str
    how: Met
    time: datetime


@dataclass(frozen=True)
class Day:
    """The messages and titles of one date of the user's calendar, in order of time."""

    date: date
    utterances: tuple[Utterance, ...]
    titles: tuple[TitleMet, ...] = ()

    def earlier(self, utterance: Utterance) -> list[Utterance]:
        """Return the earlier messages of the same conversation, in order."""
        talk = [one for one in self.utterances if one.talk == utterance.talk]
        places = [(one.interaction_id, one.position) for one in talk]
        place = (utterance.interaction_id, utterance.position)
        return talk[: places.index(place)] if place in places else []

    def before(self, utterance: Utterance) -> Utterance | None:
        """Return the previous message of the same conversation, or None."""
        return next(reversed(self.earlier(utterance)), None)

    def said_at(self, interaction_id: str, position: int) -> Utterance | None:
        """Return the message at that position of an interaction, or None."""
        return next(
            (one for one in self.utterances if (one.interaction_id, one.position) == (interaction_id, position)), None
        )


def days_of(interactions: Sequence[Interaction], zone: tzinfo) -> list[Day]:
    """Return the days of interactions, oldest first, by the calendar of `zone`, also for times without an offset.

    Within a day, the order is by time, then as given. A negative reaction adds no title: a dislike is no interest.
    """
    timed = sorted(((_in_zone(one.time, zone), one) for one in interactions), key=lambda pair: pair[0].astimezone(UTC))
    own = _own_words_by_id([one for _, one in timed])
    days: dict[date, list[tuple[datetime, Interaction]]] = {}
    for time, one in timed:
        days.setdefault(time.date(), []).append((time, one))
    return [
        Day(
            day,
            tuple(said for time, one in met for said in _utterances(one, time, own)),
            tuple(title for time, one in met for title in _titles(one, time)),
        )
        for day, met in days.items()
    ]


def _in_zone(time: datetime, zone: tzinfo) -> datetime:
    return time.replace(tzinfo=zone) if time.utcoffset() is None else time.astimezone(zone)


def _titles(one: Interaction, time: datetime) -> Iterator[TitleMet]:
    if isinstance(one, Save):
        yield TitleMet(one.id, one.post_title, "saved", time)
    elif isinstance(one, Reaction):
        reaction = one.reaction.casefold().strip(" :\ufe0f").replace(" ", "_").replace("-", "_")
        if word_list("disliking").isdisjoint((reaction, one.reaction.strip())):
            yield TitleMet(one.id, one.title, "liked" if reaction in word_list("liking") else "read", time)
    elif isinstance(one, Discussion) and one.article_title:
        yield TitleMet(one.id, one.article_title, "discussed", time)


def _utterances(one: Interaction, time: datetime, own_words: Mapping[str, Sequence[Spans]]) -> Iterator[Utterance]:
    if isinstance(one, Explicit):
        yield Utterance(one.id, 0, "user", one.text, time, own_spans(one.text)[0], explicit=True)
    elif isinstance(one, Discussion):
        for position, (message, own) in enumerate(zip(one.messages, own_words[one.id], strict=True)):
            yield Utterance(one.id, position, message.role, message.content, time, own, part_of=one.part_of)


def _own_words_by_id(interactions: Sequence[Interaction]) -> dict[str, list[Spans]]:
    """Return the own-word spans per message of each discussion; its parts are read as one, as role-play may span them."""
    talks: dict[str, list[Discussion]] = {}
    for one in interactions:
        if isinstance(one, Discussion):
            talks.setdefault(one.part_of or one.id, []).append(one)
    found: dict[str, list[Spans]] = {}
    for parts in talks.values():
        spans = _own_word_spans([message for part in parts for message in part.messages])
        found |= {part.id: list(islice(spans, len(part.messages))) for part in parts}
    return found


def _own_word_spans(messages: Sequence[Message]) -> Iterator[Spans]:
    """Yield the own-word spans per message; a message that was split is read as one."""
    role_play, at = False, 0
    while at < len(messages):
        end = at + 1
        while (
            end < len(messages) and messages[end].role == messages[at].role and len(messages[end - 1].content) >= _LEAST_PIECE
        ):
            end += 1
        pieces = [message.content for message in messages[at:end]]
        if messages[at].role == "user":
            spans, role_play = own_spans("".join(pieces), role_play)
            yield from _split_spans(spans, pieces)
        else:
            yield from ((),) * len(pieces)
        at = end


def _split_spans(spans: Spans, pieces: Sequence[str]) -> Iterator[Spans]:
    for end, piece in zip(accumulate(map(len, pieces)), pieces, strict=True):
        start = end - len(piece)
        yield tuple(
            (max(first, start) - start, min(last, end) - start) for first, last in spans if first < end and last > start
        )

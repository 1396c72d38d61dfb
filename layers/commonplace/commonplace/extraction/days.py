"""Group interactions into days, and find the user's own words and the titles of posts and articles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from itertools import accumulate, islice
from typing import Literal

from commonplace.domain.fields import MAX_TEXT
from commonplace.domain.interactions import Discussion, Explicit, Interaction, Message, Reaction, Role, Save
from commonplace.extraction.own_words import Spans, own_spans
from commonplace.extraction.patterns import word_list

Encounter = Literal["saved", "read", "liked", "discussed"]

_LEAST_PIECE = MAX_TEXT * 9 // 10
"""The minimum length of each piece of a long message, except the last. Long messages are split when they are recorded."""


@dataclass(frozen=True)
class Utterance:
    """One message of a discussion, or the text of an explicit request.

    `own` contains the spans (start, end) of `text` with the user's own words. All other text is foreign, such as code, logs,
    quotes, mail and role-play. A message from the assistant has no own words.
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
    def conversation_id(self) -> str:
        """The id of the conversation. Its messages share this id even if several interactions recorded them."""
        return self.part_of or self.interaction_id

    @property
    def own_words(self) -> str:
        """The user's own words, one line per span."""
        return "\n".join(self.text[start:end] for start, end in self.own)


@dataclass(frozen=True)
class SeenTitle:
    """A title that the user saw. It belongs to the article under discussion, or to a post that was saved or reacted to."""

    interaction_id: str
    title: str
    how: Encounter
    time: datetime


@dataclass(frozen=True)
class Day:
    """The messages and titles from one day in the user's calendar, in chronological order."""

    date: date
    utterances: tuple[Utterance, ...]
    titles: tuple[SeenTitle, ...] = ()

    def earlier(self, utterance: Utterance) -> list[Utterance]:
        """Return the earlier messages in the same conversation, in order."""
        utterances = [earlier for earlier in self.utterances if earlier.conversation_id == utterance.conversation_id]
        places = [(utterance.interaction_id, utterance.position) for utterance in utterances]
        place = (utterance.interaction_id, utterance.position)
        return utterances[: places.index(place)] if place in places else []

    def before(self, utterance: Utterance) -> Utterance | None:
        """Return the previous message in the same conversation, or None."""
        return next(reversed(self.earlier(utterance)), None)

    def utterance_at(self, interaction_id: str, position: int) -> Utterance | None:
        """Return the message at this position in an interaction, or None."""
        return next(
            (turn for turn in self.utterances if (turn.interaction_id, turn.position) == (interaction_id, position)), None
        )


def days_of(interactions: Sequence[Interaction], zone: tzinfo) -> list[Day]:
    """Group interactions by their date in `zone`, oldest first. Times without an offset are taken to be in `zone`.

    A day's messages and titles are sorted by time, then in the given order. A negative reaction adds no title.
    """
    timed = sorted(((_set_zone(entry.time, zone), entry) for entry in interactions), key=lambda pair: pair[0].astimezone(UTC))
    own = _own_words_by_id([interaction for _, interaction in timed])
    days: dict[date, list[tuple[datetime, Interaction]]] = {}
    for time, interaction in timed:
        days.setdefault(time.date(), []).append((time, interaction))
    return [
        Day(
            day,
            tuple(utterance for time, interaction in times for utterance in _build_utterances(interaction, time, own)),
            tuple(title for time, interaction in times for title in _find_titles(interaction, time)),
        )
        for day, times in days.items()
    ]


def _set_zone(time: datetime, zone: tzinfo) -> datetime:
    return time.replace(tzinfo=zone) if time.utcoffset() is None else time.astimezone(zone)


def _find_titles(interaction: Interaction, time: datetime) -> Iterator[SeenTitle]:
    if isinstance(interaction, Save):
        yield SeenTitle(interaction.id, interaction.post_title, "saved", time)
    elif isinstance(interaction, Reaction):
        reaction = interaction.reaction.casefold().strip(" :\ufe0f").replace(" ", "_").replace("-", "_")
        if word_list("disliking").isdisjoint((reaction, interaction.reaction.strip())):
            yield SeenTitle(interaction.id, interaction.title, "liked" if reaction in word_list("liking") else "read", time)
    elif isinstance(interaction, Discussion) and interaction.article_title:
        yield SeenTitle(interaction.id, interaction.article_title, "discussed", time)


def _build_utterances(
    interaction: Interaction, time: datetime, own_words: Mapping[str, Sequence[Spans]]
) -> Iterator[Utterance]:
    if isinstance(interaction, Explicit):
        yield Utterance(interaction.id, 0, "user", interaction.text, time, own_spans(interaction.text)[0], explicit=True)
    elif isinstance(interaction, Discussion):
        for position, (message, own) in enumerate(zip(interaction.messages, own_words[interaction.id], strict=True)):
            yield Utterance(interaction.id, position, message.role, message.content, time, own, part_of=interaction.part_of)


def _own_words_by_id(interactions: Sequence[Interaction]) -> dict[str, list[Spans]]:
    """Return the spans of own words in each message, by interaction id. Role-play may span several interactions."""
    conversations: dict[str, list[Discussion]] = {}
    for interaction in interactions:
        if isinstance(interaction, Discussion):
            conversations.setdefault(interaction.part_of or interaction.id, []).append(interaction)
    spans_by_part: dict[str, list[Spans]] = {}
    for parts in conversations.values():
        spans = _own_word_spans([message for part in parts for message in part.messages])
        spans_by_part |= {part.id: list(islice(spans, len(part.messages))) for part in parts}
    return spans_by_part


def _own_word_spans(messages: Sequence[Message]) -> Iterator[Spans]:
    """Yield the spans of own words in each message. The pieces of a split message are read together."""
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
    """Yield the spans in each piece of a split text, relative to the piece."""
    for end, piece in zip(accumulate(map(len, pieces)), pieces, strict=True):
        start = end - len(piece)
        yield tuple(
            (max(first, start) - start, min(last, end) - start) for first, last in spans if first < end and last > start
        )

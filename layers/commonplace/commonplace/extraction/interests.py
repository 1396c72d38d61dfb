"""Notes of titles that the user saw, retained for a while; a topic seen on three days is an interest."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from commonplace.domain.memory import Memory
from commonplace.extraction.candidate import Candidate
from commonplace.extraction.clauses import LONGEST_EVIDENCE
from commonplace.extraction.days import Met, TitleMet
from commonplace.extraction.patterns import word_list
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import undisguised
from commonplace.text.tagging import tags_of

DAYS = 3
_VERB: dict[Met, str] = {"saved": "saved", "read": "read", "liked": "liked", "discussed": "read"}
BETWEEN = " · "
"""Separates the titles on which an interest is based."""
_NOTED, _INTEREST = 0.7, 0.8
_SHORTEST = 3


class _Occasion(NamedTuple):
    interaction_id: str
    title: str


def title_notes(titles: Iterable[TitleMet]) -> list[Candidate]:
    """Return a note for each title seen, once a day."""
    notes = {_note(_VERB[one.how], one.title): one for one in titles}
    return [
        Candidate(
            content=content,
            interaction_id=one.interaction_id,
            position=0,
            evidence=one.title[:LONGEST_EVIDENCE],
            confidence=_NOTED,
            type="fact",
            section="reading_history",
            durability="daily",
            event_time=one.time,
        )
        for content, one in notes.items()
    ]


def possible_notes(title: str) -> frozenset[str]:
    """Return all notes that a title alone allows."""
    return frozenset(_note(verb, title) for verb in _VERB.values())


def _note(verb: str, title: str) -> str:
    """Return the title in one line, with apostrophes for its own quotes, so that it can't close the quotation."""
    shown = " ".join(undisguised(title).split()).replace("'", "’")
    return f"The user {verb} '{shown}'"


def interests(titles: Sequence[TitleMet], earlier: Iterable[Memory]) -> list[Candidate]:
    """Return a durable interest per topic seen on three days, including these titles; none for a known one.

    `earlier`: memories on the subjects of the titles, of any kind.
    """
    before = list(earlier)
    known = {memory.content.casefold() for memory in before}
    met = [(topic, one) for one in titles for topic in _topics(one.title)]
    found: dict[str, Candidate] = {}
    for topic, one in met:
        content = f"The user is interested in {topic.replace('-', ' ')}"
        days = dict(_days(topic, met, before))
        occasions = [days[when] for when in sorted(days)[-DAYS:]]
        if len(days) >= DAYS and content.casefold() not in known and topic not in found:
            found[topic] = Candidate(
                content=content,
                interaction_id=one.interaction_id,
                position=0,
                evidence=_joined_titles([occasion.title for occasion in occasions]),
                confidence=_INTEREST,
                type="preference",
                tags=(topic,),
                key=f"interested_in_{topic}",
                section="reading_history",
                durability="durable",
                event_time=one.time,
                rests_on=tuple(occasion.interaction_id for occasion in occasions),
            )
    return list(found.values())


def _days(topic: str, met: Sequence[tuple[str, TitleMet]], earlier: Sequence[Memory]) -> Iterator[tuple[date, _Occasion]]:
    for memory in earlier:
        read = memory.section == "reading_history" and memory.event_time is not None and memory.session_id is not None
        title = memory.content.partition("'")[2].removesuffix("'")
        if read and memory.event_time and memory.session_id and topic in _topics(title):
            yield memory.event_time.date(), _Occasion(memory.session_id, title)
    yield from ((one.time.date(), _Occasion(one.interaction_id, one.title)) for other, one in met if other == topic)


def _joined_titles(titles: Sequence[str]) -> str:
    room = (LONGEST_EVIDENCE - len(BETWEEN) * (len(titles) - 1)) // len(titles)
    whole = BETWEEN.join(titles)
    return whole if len(whole) <= LONGEST_EVIDENCE else BETWEEN.join(title[:room] for title in titles)


def _topics(title: str) -> list[str]:
    words = frozenset(tokenizer.terms(title))
    found = [tag for tag in tags_of(title) if len(tag) >= _SHORTEST and tag not in word_list("no_interests")]
    return [tag for tag in found if words.issuperset(tokenizer.terms(tag))]

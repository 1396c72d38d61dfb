"""Create short-lived notes about titles that the user saw, and interests from topics that the user saw on three days."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from commonplace.domain.memory import Memory
from commonplace.extraction.candidate import Candidate
from commonplace.extraction.clauses import LONGEST_EVIDENCE
from commonplace.extraction.days import Encounter, SeenTitle
from commonplace.extraction.patterns import word_list
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import undisguised
from commonplace.text.tagging import tags_of

DAYS = 3
_VERB: dict[Encounter, str] = {"saved": "saved", "read": "read", "liked": "liked", "discussed": "read"}
BETWEEN = " · "
"""The separator between the titles that support an interest."""
_NOTED, _INTEREST = 0.7, 0.8
_SHORTEST = 3


def title_notes(titles: Iterable[SeenTitle]) -> list[Candidate]:
    """Return a note for each title. Identical notes are merged."""
    notes = {_build_note(_VERB[title.how], title.title): title for title in titles}
    return [
        Candidate(
            content=content,
            interaction_id=title.interaction_id,
            position=0,
            evidence=title.title[:LONGEST_EVIDENCE],
            confidence=_NOTED,
            type="fact",
            section="reading_history",
            durability="daily",
            event_time=title.time,
        )
        for content, title in notes.items()
    ]


def possible_notes(title: str) -> frozenset[str]:
    """Return every note that could be created for a title."""
    return frozenset(_build_note(verb, title) for verb in _VERB.values())


def _build_note(verb: str, title: str) -> str:
    """Return the one-line note for a title. Straight quotes are replaced, so that the title can't end the quotation."""
    shown = " ".join(undisguised(title).split()).replace("'", "’")
    return f"The user {verb} '{shown}'"


def interests(titles: Sequence[SeenTitle], earlier: Iterable[Memory]) -> list[Candidate]:
    """Return a durable interest for each topic that was seen on three days. Known interests are skipped.

    Both `titles` and the notes in `earlier` count. `earlier` may contain any memories about the subjects of the titles.
    """
    before = list(earlier)
    known = {memory.content.casefold() for memory in before}
    pairs = [(topic, title) for title in titles for topic in _find_topics(title.title)]
    candidates: dict[str, Candidate] = {}
    for topic, title in pairs:
        content = f"The user is interested in {topic.replace('-', ' ')}"
        days = dict(_find_days(topic, pairs, before))
        occasions = [days[when] for when in sorted(days)[-DAYS:]]
        if len(days) >= DAYS and content.casefold() not in known and topic not in candidates:
            candidates[topic] = Candidate(
                content=content,
                interaction_id=title.interaction_id,
                position=0,
                evidence=_join_titles([occasion_title for _, occasion_title in occasions]),
                confidence=_INTEREST,
                type="preference",
                tags=(topic,),
                key=f"interested_in_{topic}",
                section="reading_history",
                durability="durable",
                event_time=title.time,
                rests_on=tuple(interaction_id for interaction_id, _ in occasions),
            )
    return list(candidates.values())


def _find_days(
    topic: str, pairs: Sequence[tuple[str, SeenTitle]], old: Sequence[Memory]
) -> Iterator[tuple[date, tuple[str, str]]]:
    """Yield each day on which the user saw a topic, with the interaction id and the title."""
    for memory in old:
        title = memory.content.partition("'")[2].removesuffix("'")
        is_read = memory.section == "reading_history"
        if is_read and memory.event_time and memory.session_id and topic in _find_topics(title):
            yield memory.event_time.date(), (memory.session_id, title)
    yield from ((title.time.date(), (title.interaction_id, title.title)) for other, title in pairs if other == topic)


def _join_titles(titles: Sequence[str]) -> str:
    """Join the titles as evidence. If the result is too long, each title is cut to an equal share of the length."""
    length = (LONGEST_EVIDENCE - len(BETWEEN) * (len(titles) - 1)) // len(titles)
    whole = BETWEEN.join(titles)
    return whole if len(whole) <= LONGEST_EVIDENCE else BETWEEN.join(title[:length] for title in titles)


def _find_topics(title: str) -> list[str]:
    """Return the tags whose words all occur in the title, except for short tags and tags that show no interest."""
    words = frozenset(tokenizer.terms(title))
    tags = [tag for tag in tags_of(title) if len(tag) >= _SHORTEST and tag not in word_list("no_interests")]
    return [tag for tag in tags if words.issuperset(tokenizer.terms(tag))]

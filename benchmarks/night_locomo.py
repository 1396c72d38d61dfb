"""LoCoMo through the nightly run by rules, each speaker in turn the user, beside storing every turn."""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby
from pathlib import Path
from zoneinfo import ZoneInfo

from rich.progress import track

from benchmarks.conversations import LOCOMO_KINDS, Conversation, Turn, locomo
from benchmarks.night_replay import Evening, by_rules, opened
from benchmarks.night_stories import Day
from benchmarks.report import Cell, Table, main
from commonplace import Commonplace

_FIRST = 10
_UTC = ZoneInfo("UTC")
Keep = Callable[[Commonplace, Conversation, str, Evening], None]
"""Brings a conversation into an empty store; the name is that of the speaker who is the user."""


def measure(given: argparse.Namespace) -> list[Table]:
    """The share of questions for which one of the first ten memories rests on a turn that answers them."""
    conversations = locomo(given.data)
    ways: dict[str, Keep] = {"rules": _by_rules, "every turn of the user": _own_turns, "every turn of both": _all_turns}
    rows = [_row(label, conversations, keep) for label, keep in ways.items()]
    columns = ("way", "memories", "questions", "share", *LOCOMO_KINDS.values())
    notes = [
        "Each speaker of each conversation has a store. The questions for a store are the questions that a turn by this "
        "speaker answers. Nothing in LoCoMo is said to an assistant. Most turns are conversation between friends."
    ]
    return [Table("Questions whose evidence is in the top 10", columns, rows, "compared with storing every turn", notes)]


def _row(label: str, conversations: Sequence[Conversation], keep: Keep) -> tuple[Cell, ...]:
    hits: dict[str, list[bool]] = defaultdict(list)
    memories = 0
    users = [(one, speaker) for one in conversations for speaker in sorted({turn.speaker for turn in one.turns})]
    for conversation, user in track(users, label):
        clock = Evening(_UTC, _day_of(conversation.turns[0]))
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "memory.db", clock) as memory:
            keep(memory, conversation, user, clock)
            places = {record["memory_id"]: (record["session_id"], record["position"]) for record in memory.export()}
            memories += len(places)
            for kind, hit in _asked(memory, conversation, user, places):
                hits[kind].append(hit)
    every = [hit for part in hits.values() for hit in part]
    return (label, memories, len(every), _share(every), *(_share(hits[kind]) for kind in LOCOMO_KINDS.values()))


def _share(hits: Sequence[bool]) -> float | None:
    return sum(hits) / len(hits) if hits else None


def _asked(
    memory: Commonplace, conversation: Conversation, user: str, places: dict[str, tuple[str, int]]
) -> Iterator[tuple[str, bool]]:
    """Each question that a turn of the user answers: its kind, and whether such a turn is found."""
    own = {turn.name: (turn.session, turn.position) for turn in conversation.turns if turn.speaker == user}
    for asked in conversation.asked:
        wanted = {own[name] for name in asked.evidence if name in own}
        if wanted:
            found = memory.search_memory(asked.question, limit=_FIRST, options={"min_relevance": 0.0}).results
            yield asked.kind, any(places[hit.id] in wanted for hit in found)


def _by_rules(memory: Commonplace, conversation: Conversation, user: str, clock: Evening) -> None:
    for day, sessions in groupby(_sessions(conversation), key=lambda turns: _day_of(turns[0])):
        clock.day = day
        talks = tuple(
            {
                "type": "discussion", "id": turns[0].session, "time": turns[0].at.isoformat() if turns[0].at else None,
                "messages": [{"role": "user" if one.speaker == user else "assistant", "content": one.text} for one in turns],
            }
            for turns in sessions
        )  # fmt: skip
        by_rules(memory, Day(date=day, interactions=talks))


def _own_turns(memory: Commonplace, conversation: Conversation, user: str, clock: Evening) -> None:
    _all_turns(memory, replace(conversation, turns=[one for one in conversation.turns if one.speaker == user]), user, clock)


def _all_turns(memory: Commonplace, conversation: Conversation, _: str, clock: Evening) -> None:
    memory.import_turns([turn.given() for turn in conversation.turns])
    clock.day = _day_of(conversation.turns[-1])


def _sessions(conversation: Conversation) -> Iterator[list[Turn]]:
    for _, turns in groupby(conversation.turns, key=lambda turn: turn.session):
        yield list(turns)


def _day_of(turn: Turn) -> date:
    assert turn.at is not None, turn.name
    return turn.at.date()


if __name__ == "__main__":
    main("night_locomo", "LoCoMo by rules: what a conversation between friends leaves behind", measure, True)

"""People with their short facts and their plain questions: the sets of `everyday` and `peers`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.conversations import Asked
from benchmarks.report import FOLDER

WEEKS_LATER = timedelta(days=21)
"""The questions are asked that long after the last memory."""


@dataclass(frozen=True)
class Fact:
    """What a person told: its name in the set, what was said, and when (noon, UTC)."""

    name: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Person:
    """What one person told, what they ask (evidence: the names of all facts that answer), and what nothing answers.

    `part`: which half of which set this person belongs to.
    """

    part: str
    language: str
    facts: list[Fact]
    asked: list[Asked]
    unanswerable: list[str]

    @property
    def asks_at(self) -> datetime:
        """When the questions are asked."""
        return max(fact.at for fact in self.facts) + WEEKS_LATER


TUNED, HELD, APART = "everyday, odd lines (tuned on)", "everyday, even lines", "ten persons written apart"
MORE = "69 more persons"


def everyday(data: Path) -> list[Person]:
    """The eleven people of the set; lines are counted from 1."""
    lines = (data / "everyday" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [_person(line, TUNED if number % 2 else HELD) for number, line in enumerate(lines, 1)]


def apart() -> list[Person]:
    """Ten people of this repository, by a writer who saw a description of the set and no code."""
    return _read("persons.jsonl", APART)


def more_persons() -> list[Person]:
    """69 people of this repository, 20 of them not in English, by three writers who saw no code."""
    return _read("more_persons.jsonl", MORE)


def _read(name: str, part: str) -> list[Person]:
    lines = (FOLDER / "everyday" / name).read_text(encoding="utf-8").splitlines()
    return [_person(line, part) for line in lines]


def recall(evidence: frozenset[str], hits: Sequence[frozenset[str]], first: int) -> float:
    """The share of the evidence in the first hits; a hit has several names where several facts became one memory."""
    return len(evidence & frozenset().union(*hits[:first])) / len(evidence)


def _person(line: str, part: str) -> Person:
    row = json.loads(line)
    return Person(
        part=part,
        language=row["language"],
        facts=[Fact(one["id"], one["text"], datetime.fromisoformat(one["date"] + "T12:00+00:00")) for one in row["memories"]],
        asked=[Asked(one["q"], frozenset(one["gold"]), one["kind"]) for one in row["questions"]],
        unanswerable=row["unanswerable"],
    )

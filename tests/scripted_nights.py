"""Nights whose reader is a script: a test decides what is read out of a day, and everything after that is real."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.runs import Mode
from commonplace.extraction.candidate import Candidate, Decision, MemoryView, Reading
from commonplace.extraction.days import Day
from commonplace.nightly import operations_planner
from commonplace.nightly.budget import Answers
from commonplace.nightly.service import Nights

Decide = Callable[[Day, MemoryView], Iterable[Decision]]


@dataclass
class Script:
    """A reader that does as it is told. `days`: the dates that it read; `tired`: what it was told of each."""

    decide: Decide
    unread: tuple[str, ...] = ()
    days: list[str] = field(default_factory=list)
    tired: list[frozenset[str]] = field(default_factory=list)

    def read(self, _mode: Mode, day: Day, view: MemoryView, _answers: Answers, tired: frozenset[str]) -> Reading:
        self.days.append(day.date.isoformat())
        self.tired.append(tired)
        return Reading(tuple(self.decide(day, view)), unread=tuple(one for one in self.unread if one not in tired))


def nights_of(memory: Commonplace, reader: Script | Decide) -> Nights:
    """The nights of a memory file, read by a script."""
    script = reader if isinstance(reader, Script) else Script(reader)
    return replace(memory.nights(), read=script.read)


def open_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets every decision pass: what the gates hold back has tests of its own."""
    monkeypatch.setattr(operations_planner, "refusal_reason", lambda *_: None)


def told(interaction_id: str, *texts: str, time: str = "2026-05-20T09:00:00+02:00") -> dict[str, Any]:
    """A discussion in which the user says these things."""
    messages = [{"role": "user", "content": text} for text in texts]
    return {"type": "discussion", "id": interaction_id, "time": time, "messages": messages}


def heard(day: Day, text: str, **more: Any) -> Candidate:
    """A candidate that rests on a message of the day."""
    one = next(one for one in day.utterances if text in one.text)
    fields: dict[str, Any] = {"content": text, "evidence": text, "confidence": 0.9, **more}
    return Candidate(interaction_id=one.interaction_id, position=one.position, **fields)


def all_new(day: Day, view: MemoryView) -> list[Decision]:
    """Every message is a new memory."""
    return [Decision(heard(day, one.text), "ADD", why="new") for one in day.utterances]


def id_of(memory: Commonplace, text: str) -> str:
    """The id of the current memory that says this."""
    found = [one["memory_id"] for one in memory.export() if one["raw_text"] == text and one["status"] == "active"]
    assert len(found) == 1, found
    return str(found[0])


def current(memory: Commonplace) -> list[str]:
    """What is remembered now, in order of the alphabet."""
    return sorted(one["raw_text"] for one in memory.export() if one["status"] == "active")

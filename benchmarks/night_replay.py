"""Days replayed in a fresh file: recorded, read at 23:00 of the user's zone, and asked for weeks later."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.night_scoring import FIRST, Ending, Remembered
from benchmarks.night_stories import Day, Story, folded
from commonplace import Commonplace, SearchOptions
from commonplace.settings import Settings

LATER = timedelta(days=14)
"""How long after the last day the questions are asked."""
Night = Callable[[Commonplace, Day], None]


@dataclass
class Evening:
    """A clock that stands at 23:00 of a day, in a zone."""

    zone: ZoneInfo
    day: date

    def __call__(self) -> datetime:
        return datetime.combine(self.day, time(23), self.zone)


@contextmanager
def opened(path: Path, clock: Evening, changed: Mapping[str, Any] | None = None) -> Iterator[Commonplace]:
    """A memory file by rules whatever the environment says. `changed`: settings by name."""
    settings = Settings.model_validate({"timezone": clock.zone.key, **(changed or {})})
    with Commonplace(path, user_id="bench", now=clock, settings=settings) as memory:
        yield memory


def by_rules(memory: Commonplace, day: Day) -> None:
    """Records a day and reads it."""
    told = memory.record_interactions(list(day.interactions))
    assert not told.refused, told.refused
    run = memory.nightly("rules")
    assert run.status != "failed", run.error
    assert not run.unread, run.notes


def whole(memory: Commonplace, day: Day) -> None:
    """Stores every message of the user as it is, to compare."""
    memory.import_turns([turn for interaction in day.interactions for turn in _turns(interaction)])


def _turns(interaction: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    said = interaction.get("messages", [{"role": "user", "content": interaction.get("text", "")}])
    for position, message in enumerate(said):
        if message["role"] == "user" and message["content"]:
            yield {
                "session_id": interaction["id"], "position": position, "speaker": "user", "text": message["content"],
                "event_time": interaction["time"],
            }  # fmt: skip


def replay(story: Story, night: Night, changed: Mapping[str, Any] | None = None) -> Ending:
    """Lives a story through and asks its questions."""
    with tempfile.TemporaryDirectory() as folder:
        path, ever = Path(folder) / "memory.db", set[str]()
        clock = Evening(ZoneInfo(story.zone), story.days[0].date)
        with opened(path, clock, changed) as memory:
            for day in story.days:
                clock.day = day.date
                night(memory, day)
                ever |= {record["raw_text"] for record in memory.export()}
            clock.day += LATER
            active = list(current(memory, clock()))
            found, passing = (
                {gold.id: answers(memory, gold.question, least) for gold in story.gold} for least in (0.0, None)
            )
        return Ending(active, sorted(ever), found, passing, columns(path), bytes_of(Path(folder)))


def current(memory: Commonplace, now: datetime) -> Iterator[Remembered]:
    """What is remembered at a time: the active records that have not expired."""
    for record in memory.export():
        ends = [datetime.fromisoformat(record[name]) for name in ("expires_at", "valid_to") if record[name]]
        if record["status"] == "active" and all(now < end for end in ends):
            yield Remembered(record["raw_text"], record["evidence"] or "")


def answers(memory: Commonplace, question: str, least: float | None) -> Sequence[str]:
    """The texts that a question finds, best first. `least`: relevance from 0 to 1; None: the default threshold."""
    options: SearchOptions = {} if least is None else {"min_relevance": least}
    return [hit.content for hit in memory.search_memory(question, limit=FIRST, options=options).results]


def columns(path: Path) -> list[str]:
    """Every text in a column of the file's tables."""
    with closing(sqlite3.connect(path)) as file:
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for table in tables for row in file.execute(f'SELECT * FROM "{table}"')]
    return sorted({value for row in rows for value in row if isinstance(value, str)})


def bytes_of(folder: Path) -> str:
    """All files of the folder as one folded text."""
    return folded("\n".join(path.read_bytes().decode("utf-8", "replace") for path in sorted(folder.iterdir())))

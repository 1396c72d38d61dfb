"""An import whose process is killed (-9) while it stores; the next one leaves what one that lived leaves, and undo takes it back."""

import json
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.settings import Settings
from tests.integration.command_line import COMMAND, clean

pytestmark = pytest.mark.integration

INSTRUMENTS = (
    "cello viola harp oboe flute tuba piano drums banjo lute horn organ sitar guitar trumpet bassoon clarinet violin"
    " accordion ukulele mandolin saxophone trombone"
).split()
LIVED = "I live in Lisbon."
SPRING = datetime(2024, 4, 3, 9, 0, tzinfo=UTC)
FACTS = [
    {"id": f"m{number}", "memory": f"I play the {name} in room {number}.", "created_at": (SPRING + timedelta(days=number)).isoformat()}
    for number, name in enumerate(INSTRUMENTS * 5)
]  # fmt: skip


def conversation(number: int, instrument: str) -> dict[str, Any]:
    at = (SPRING + timedelta(days=number)).isoformat()
    said = {"sender": "human", "text": f"I play the {instrument}.", "created_at": at}
    return {"uuid": f"c{number}", "created_at": at, "chat_messages": [said]}


GIVEN = {
    "mem0": (FACTS, [one["memory"] for one in FACTS]),
    "claude": (
        [conversation(number, name) for number, name in enumerate(INSTRUMENTS)],
        [f"I play the {name}." for name in INSTRUMENTS],
    ),
}


def opened(file: Path, later: timedelta = timedelta(0)) -> Commonplace:
    return Commonplace(file, now=lambda: datetime.now(UTC) + later, settings=Settings(db=file))


def stored(file: Path) -> int:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM memories").fetchone()[0])


def killed_midway(file: Path, export: Path) -> int:
    """Runs the command in a process of its own, and kills it once some is stored; how many memories it leaves."""
    before, until = stored(file), time.monotonic() + 60
    command = [COMMAND, "import", str(export), "--apply", "--db", str(file)]
    process = subprocess.Popen(command, env=clean(file.parent), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while stored(file) - before < 3 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    return stored(file) - before


@pytest.mark.parametrize("kind", ["mem0", pytest.param("claude", marks=pytest.mark.sample)])
def test_an_import_that_is_killed_and_repeated_stores_each_once_and_is_undone(
    memory_file: Path, tmp_path: Path, kind: str
) -> None:
    given, said = GIVEN[kind]
    export = tmp_path / "export.json"
    export.write_text(json.dumps(given), encoding="utf-8")
    with opened(memory_file) as memory:
        memory.store_memory(LIVED)
    left = killed_midway(memory_file, export)
    assert 0 < left < len(said)
    with opened(memory_file, timedelta(minutes=11)) as memory:  # by then the place of the dead is free
        done = memory.import_from(export, apply=True)
        assert (done.kind, done.refused, done.conflicts, done.lost) == (kind, [], [], [])
        assert sorted(one["raw_text"] for one in memory.export()) == sorted([LIVED, *said])
        assert {run.status for run in memory.runs()} == {"done"}
        again = memory.import_from(export, apply=True)
        assert (again.added, len(again.known)) == (0, len(said))
        for run in memory.runs():
            memory.undo_run(run.run_id)
        assert [one["raw_text"] for one in memory.export() if one["status"] == "active"] == [LIVED]

"""Reading a memory that was kept: a field of a newer version is no reason to fail, and everything else still is."""

import json
import sqlite3
from pathlib import Path

import pytest
from pydantic import ValidationError

from commonplace.bootstrap.local import open_local
from commonplace.domain.memory import Memory
from commonplace.ports.values import Audit, Entry, Visibility
from commonplace.settings import Settings
from tests.conftest import NOON

MEMORY = Memory(
    memory_id="mem_1", user_id="local|ana", raw_text="tea", normalized_text="tea", memory_type="fact", category="contexts",
    section="personal_context", created_at=NOON, updated_at=NOON,
)  # fmt: skip
NEWER = json.dumps({**json.loads(MEMORY.model_dump_json()), "mood": "of another version"})


def test_a_field_of_a_newer_version_is_left_out() -> None:
    assert Memory.from_record(MEMORY.model_dump_json()) == MEMORY
    assert Memory.from_record(NEWER) == MEMORY
    assert Memory.from_record(NEWER).model_dump() == MEMORY.model_dump()


def test_elsewhere_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError):
        Memory.model_validate_json(NEWER)


def test_a_known_field_is_read_as_strictly_as_ever() -> None:
    with pytest.raises(ValidationError):
        Memory.from_record(NEWER.replace('"version": 1', '"version": 0'))


def test_a_file_that_a_newer_version_wrote_is_read(tmp_path: Path) -> None:
    settings = Settings(db=tmp_path / "memory.db")
    opened = open_local(settings)
    opened.ports.records.add([Entry(MEMORY, None, Audit("store", NOON, {}))])
    opened.close()
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        connection.execute("UPDATE memories SET record = ?", (NEWER,))
    connection.close()
    opened = open_local(settings)
    records = opened.ports.records
    assert records.get("local|ana", ["mem_1"]) == list(records.all("local|ana")) == [MEMORY]
    assert [one.memory for one in records.newest("local|ana", 5)[0]] == [MEMORY]
    seen = Visibility("local|ana", (MEMORY.agent_id,), NOON)
    assert [one.memory_id for one in opened.ports.index.similar(seen, ["tea"], None, 5)] == ["mem_1"]
    changed = MEMORY.model_copy(update={"version": 2, "status": "deleted"})
    assert records.update(changed, Audit("delete", NOON, {})) == changed
    opened.close()

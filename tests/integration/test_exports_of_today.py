"""Exports in the form that Claude and OpenMemory write today: what they remember is offered, or left out for the true reason."""

import json
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from tests.conftest import refusal

pytestmark = pytest.mark.integration

REMEMBERED = """**Personal context**

Ana is allergic to latex.

**Work context** Ana designs bridges for the city of Porto.
"""
CLAUDE = [
    {
        "conversations_memory": REMEMBERED,
        "project_memories": {"0197-aa": "**Purpose & context**\n\nAna restores a 1960s sailing boat."},
        "account_uuid": "7a3c2f0e-93d1-4d38-9f5c-5c2d8a0b1c2d",
    }
]
TALKS = [
    {
        "uuid": "c1", "name": "Bees", "created_at": "2026-05-01T10:00:00Z",
        "chat_messages": [{"sender": "human", "text": "I keep three hives of bees.", "created_at": "2026-05-01T10:00:00Z"}],
    }
]  # fmt: skip
OPEN_MEMORY = {
    "user": {"id": "u1", "user_id": "ana"},
    "memories": [
        {"id": "m1", "content": "Ana plays the oboe.", "state": "active", "created_at": 1714550400},
        {"id": "m2", "content": "Ana lives in Vigo.", "state": "deleted", "created_at": 1714550400},
    ],
    "apps": [{"id": "a1", "name": "cursor"}],
}


def file_of(folder: Path, given: Any) -> Path:
    path = folder / "memories.json"
    path.write_text(json.dumps(given), "utf-8")
    return path


def zip_of(folder: Path, **files: Any) -> Path:
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, given in files.items():
            archive.writestr(f"{name}.json", json.dumps(given))
    return path


def texts(memory: Commonplace) -> list[str]:
    return sorted(one["raw_text"] for one in memory.export())


def test_what_claude_remembers_is_offered(memory: Commonplace, tmp_path: Path) -> None:
    path = file_of(tmp_path, CLAUDE)
    plan = memory.import_from(path)
    assert (plan.kind, plan.refused) == ("anthropic-memory", [])
    memory.import_from(path, apply=True)
    said = ["Ana designs bridges for the city of Porto.", "Ana is allergic to latex.", "Ana restores a 1960s sailing boat."]
    assert texts(memory) == said
    assert memory.import_from(path, apply=True).added == 0


def test_an_export_of_claude_reads_conversations_and_names_the_memories(memory: Commonplace, tmp_path: Path) -> None:
    plan = memory.import_from(zip_of(tmp_path, conversations=TALKS, memories=CLAUDE, users=[{"name": "Ana"}]))
    assert plan.kind == "claude"
    assert plan.left_out["memories.json, what Claude remembers: unpack it, and import it on its own"] == 1
    assert plan.left_out["a file of another kind"] == 1


def test_an_export_of_claude_whose_conversations_are_empty_is_its_memories(memory: Commonplace, tmp_path: Path) -> None:
    plan = memory.import_from(zip_of(tmp_path, conversations=[], memories=CLAUDE, users=[{"name": "Ana"}]))
    assert (plan.kind, plan.added, plan.refused) == ("anthropic-memory", 3, [])


def test_a_refused_archive_or_folder_with_memories_names_them(memory: Commonplace, tmp_path: Path) -> None:
    archive = zip_of(tmp_path, conversations={"of": "another form"}, memories=CLAUDE)
    (tmp_path / "export").mkdir()
    for path in (archive, file_of(tmp_path / "export", CLAUDE).parent):
        why = refusal(partial(memory.import_from, path)).message
        assert ("without memories.json" in why, "import its" in why) == (False, True)


@pytest.mark.parametrize("packed", [True, False])
def test_the_memories_of_openmemory_are_read(memory: Commonplace, tmp_path: Path, packed: bool) -> None:
    path = zip_of(tmp_path, memories=OPEN_MEMORY) if packed else file_of(tmp_path, OPEN_MEMORY)
    done = memory.import_from(path, apply=True)
    assert (done.kind, done.refused) == ("mem0", [])
    assert texts(memory) == ["Ana plays the oboe."]
    assert done.left_out["a memory that was deleted there"] == 1


def test_memories_of_other_forms_are_refused_by_themselves(memory: Commonplace, tmp_path: Path) -> None:
    odd = [{"conversations_memory": 7, "project_memories": ["a"]}, "Ana", {"conversations_memory": "Ana owns a kayak."}]
    done = memory.import_from(file_of(tmp_path, odd), "anthropic-memory", apply=True)
    assert texts(memory) == ["Ana owns a kayak."]
    assert len(done.refused) == 1


def test_an_archive_of_something_else_is_refused(memory: Commonplace, tmp_path: Path) -> None:
    assert "unpack it" in refusal(lambda: memory.import_from(zip_of(tmp_path, notes="I keep bees."))).message

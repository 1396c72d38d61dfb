"""Erasing a memory takes along what was closed and says the same: no byte of the folder holds its words."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.integrations.anthropic import MemoryTool

pytestmark = pytest.mark.integration

SAID, OTHER = "Ana keeps a zquorbix in Brno.", "Ana lives in Brno."
TALK: dict[str, Any] = {
    "type": "discussion",
    "id": "t1",
    "messages": [{"role": "user", "content": "I keep a zquorbix at home."}],
}


def active(memory: Commonplace, word: str = "zquorbix") -> str:
    """The id of the one active memory that has the word."""
    (found,) = [one.memory_id for one in memory.list_memories().memories if word in one.value]
    return found


def stored_deleted_and_stored(memory: Commonplace, _folder: Path) -> None:
    first = memory.store_memory(SAID).memory_id
    memory.delete_memory(memory_id=first)
    memory.store_memory(SAID.upper().replace("ANA KEEPS A ZQUORBIX", "Ana keeps a zquorbix"))
    memory.delete_memory(memory_id=active(memory))
    memory.store_memory(SAID)


def edited_deleted_and_stored(memory: Commonplace, _folder: Path) -> None:
    first = memory.store_memory("Ana keeps a zquorbix in Graz.").memory_id
    memory.update_memory(memory_id=first, value=SAID)
    memory.delete_memory(memory_id=active(memory))
    memory.store_memory(SAID)


def imported_undone_and_imported(memory: Commonplace, folder: Path) -> None:
    path = folder / "given" / "mem0.json"
    path.parent.mkdir()
    path.write_text(json.dumps([{"id": "m1", "memory": SAID}]), "utf-8")
    for _ in range(2):
        run_id = memory.import_from(path, apply=True).run_id
        assert run_id is not None
        memory.undo_run(run_id)
    memory.import_from(path, apply=True)
    path.unlink()


def read_undone_and_read(memory: Commonplace, _folder: Path) -> None:
    memory.record_interactions([TALK])
    memory.undo_run(memory.nightly("rules").run_id, reread=True)
    memory.nightly("rules")


def imported_as_messages(memory: Commonplace, _folder: Path) -> None:
    messages = [{"role": "user", "content": "I keep a zquorbix at home."}]
    run_id = memory.import_messages(messages, apply=True).run_id
    assert run_id is not None
    memory.undo_run(run_id)
    memory.import_messages(messages, apply=True)


def edited_and_renamed(memory: Commonplace, _folder: Path) -> None:
    tool = MemoryTool(memory)
    steps: list[dict[str, Any]] = [
        {"command": "create", "path": "/memories/a.md", "file_text": "Ana keeps a zquorbix in Wien.\n"},
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "Wien", "new_str": "Linz"},
        {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"},
        {"command": "str_replace", "path": "/memories/b.md", "old_str": "Linz", "new_str": "Graz"},
        {"command": "create", "path": "/memories/c.md", "file_text": "Ana keeps a zquorbix in Graz.\n"},
        {"command": "delete", "path": "/memories/c.md"},
    ]
    for step in steps:
        tool.call(step)


def stored_with_other_punctuation(memory: Commonplace, _folder: Path) -> None:
    memory.delete_memory(memory_id=memory.store_memory("ana keeps a  zquorbix, in brno!").memory_id)
    memory.store_memory(SAID)


def repeated_in_conversations(memory: Commonplace, _folder: Path) -> None:
    for number, said in enumerate((TALK["messages"][0]["content"], "Good morning! As you know, I keep a zquorbix at home.")):
        memory.record_interactions([{**TALK, "id": f"t{number}", "messages": [{"role": "user", "content": said}]}])
        memory.nightly("rules")


def stored_and_repeated_in_a_conversation(memory: Commonplace, _folder: Path) -> None:
    memory.store_memory("I keep a zquorbix at home.")
    memory.record_interactions([TALK])
    memory.nightly("rules")


def repeated_in_japanese(memory: Commonplace, _folder: Path) -> None:
    for name in ("t1", "t2"):
        said = "私の猫のzquorbixは魚が嫌いです。"
        memory.record_interactions([{**TALK, "id": name, "messages": [{"role": "user", "content": said}]}])
        memory.nightly("rules")


def deleted_and_written_anew(memory: Commonplace, _folder: Path) -> None:
    for place in ("Wien", "Graz"):
        memory.documents.write(("notes",), "a", f"Ana keeps a zquorbix in {place}.")
        if place == "Wien":
            memory.documents.delete(("notes",), "a")


def undone_and_written_anew(memory: Commonplace, _folder: Path) -> None:
    memory.documents.write(("notes",), "a", "Ana keeps a zquorbix in Wien.")
    memory.documents.undo(("notes",), "a")
    memory.documents.write(("notes",), "a", "Ana keeps a zquorbix in Graz.")


def deleted_under_another_heading(memory: Commonplace, _folder: Path) -> None:
    for name, heading in (("a", "Friends"), ("b", "People")):
        memory.documents.write(("notes",), name, f"# {heading}\n\nAna keeps a zquorbix in Wien.")
    memory.documents.delete(("notes",), "b")


@pytest.mark.parametrize(
    "happened",
    [
        stored_deleted_and_stored, edited_deleted_and_stored, imported_undone_and_imported, read_undone_and_read, imported_as_messages,
        edited_and_renamed, stored_with_other_punctuation, repeated_in_conversations, stored_and_repeated_in_a_conversation,
        repeated_in_japanese, deleted_and_written_anew, undone_and_written_anew, deleted_under_another_heading,
    ],
)  # fmt: skip
def test_closed_copies_go_along(
    memory: Commonplace, memory_file: Path, tmp_path: Path, happened: Callable[[Commonplace, Path], None]
) -> None:
    other = memory.store_memory(OTHER).memory_id
    happened(memory, tmp_path)
    memory.search_memory("what about a zquorbix")
    assert active(memory) in memory.erase(active(memory)).ids
    assert [one["memory_id"] for one in memory.export() if one["raw_text"]] == [other]
    memory.close()
    files = [path for path in memory_file.parent.rglob("*") if path.is_file()]
    assert files
    assert [path.name for path in files if b"zquorbix" in path.read_bytes().lower()] == []


def test_what_replaced_a_closed_copy_stays(memory: Commonplace) -> None:
    first = memory.store_memory(SAID).memory_id
    new = memory.update_memory(memory_id=first, value="Ana keeps a canary in Brno.").memory_id
    again = memory.store_memory(SAID).memory_id
    assert again != first
    assert set(memory.erase(again).ids) == {again, first}
    assert memory.get_memory(new).memory.value == "Ana keeps a canary in Brno."


def test_a_conversation_that_says_something_else_stays(memory: Commonplace, memory_file: Path) -> None:
    for number, said in enumerate(("I keep a parrot at home.", "Parrots live long, and my home is noisy.")):
        memory.record_interactions([{**TALK, "id": f"t{number}", "messages": [{"role": "user", "content": said}]}])
        memory.nightly("rules")
    memory.erase(active(memory, "keep"))
    memory.close()
    words = b"".join(path.read_bytes() for path in memory_file.parent.iterdir() if path.is_file())
    assert b"I keep a parrot" not in words
    assert b"Parrots live long" in words


@pytest.mark.parametrize(("query", "left"), [("город Омск", 0), ("тётя Омска", 0), ("город Томск", 1), ("чай", 1)])
def test_a_search_with_an_inflected_word_goes_along(memory: Commonplace, query: str, left: int) -> None:
    omsk = memory.store_memory("Моя тётя живёт в Омске.").memory_id
    memory.store_memory("Мой брат живёт в Томске.")
    memory.search_memory(query)
    memory.erase(omsk)
    with memory._local.ports.records._database.reading() as connection:  # type: ignore[attr-defined]
        assert connection.execute("SELECT count(*) FROM searches").fetchone() == (left,)

"""The move from a TinyDB memory: planned, reviewed, applied, checked, taken back; and every old id still works."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, legacy
from commonplace.domain.errors import ErrorCode
from commonplace.settings import Settings
from commonplace.use_cases.filing import COLUMNS
from tests.conftest import NOON, found, refusal
from tests.legacy_store import CATEGORIES, documents, tables, written

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]

ALLERGY, RULE = "I am allergic to peanuts.", "The deploy command is make ship."
SMALL = {
    "notes": {
        "1": {"content": ALLERGY, "category": "health", "tags": ["JS", "nuts"], "importance": 5, "access_count": 7,
              "created_at": "2024-08-27T10:30:00Z", "last_accessed": "2025-01-02T03:04:05Z", "mood": "calm"},
        "4": {"text": RULE, "category": "zettel", "tags": "javascript, deploy", "source": "a wiki"},
        "9": {"content": "i am allergic  to peanuts.", "category": "personal", "tags": ["nut"], "importance": 1},
    },
    "tasks": {
        "1": {"id": "mem_12345", "content": "Ana waters the orchids on Fridays.", "category": "todo", "expires_at": "2025-05-01"},
        "2": {"title": "no words"},
    },
}  # fmt: skip


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return saved(tmp_path / "old.json", SMALL)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large.json"
    path.write_bytes(written())
    return path


def saved(path: Path, store: dict[str, Any]) -> Path:
    path.write_text(json.dumps(store), encoding="utf-8")
    return path


def kept(memory: Commonplace) -> dict[str, dict[str, Any]]:
    return {one["raw_text"]: one for one in memory.export() if one["status"] == "active"}


def test_a_plan_of_141_changes_nothing(memory: Commonplace, large: Path) -> None:
    before = large.read_bytes()
    seen: list[tuple[int, int]] = []
    plan = memory.migrate_tinydb(large, progress=lambda done, of: seen.append((done, of)))
    assert (plan.documents, plan.added, plan.aliases, plan.review, plan.refused) == (141, 141, 141, [], [])
    assert (len(plan.categories), len({to for filed in plan.categories.values() for to in filed})) == (len(CATEGORIES), 7)
    assert (plan.tags_before.distinct, plan.tags_after.distinct) == (481, 261)
    assert (plan.applied, plan.run_id, memory.runs(), list(memory.export())) == (False, None, [], [])
    assert seen[-1] == (141, 141)
    assert large.read_bytes() == before


def test_141_are_over_in_one_call_and_every_old_id_works(memory: Commonplace, large: Path) -> None:
    before = large.read_bytes()
    done = memory.migrate_tinydb(large, apply=True)
    assert (done.added, done.lost, done.status, len(list(memory.export()))) == (141, [], "done", 141)
    for table, rows in tables().items():
        for number, row in rows.items():
            one = memory.get(row.get("id", f"{table}/{number}"))
            assert one.value == row["content"]
            assert any(tag.startswith(row["category"].casefold()[:4]) for tag in one.tags)
    again = memory.migrate_tinydb(large, apply=True)
    assert (again.added, again.aliases, len(again.known), again.run_id) == (0, 0, 141, None)
    assert len(list(memory.export())) == 141
    assert large.read_bytes() == before


def test_what_the_old_search_found_is_found_here(memory: Commonplace, large: Path) -> None:
    memory.migrate_tinydb(large, apply=True)
    asked = large.with_name("queries.jsonl")
    wanted = [{"query": one["content"], "expected": [one["id"]]} for one in documents() if "id" in one]
    asked.write_text("\n".join(map(json.dumps, wanted)), encoding="utf-8")
    check = memory.check_migration(large, asked)
    assert (check.queries, check.not_moved, check.new_recall, check.worse) == (len(wanted), [], 1.0, [])
    assert {one["access_count"] for one in memory.export()} == {one["access_count"] for one in documents()}
    assert legacy.tinydb_search_memories("nuts", memory=memory)
    assert memory.usage_patterns().searches == 0


def test_every_old_tag_finds_its_memories(memory: Commonplace, large: Path) -> None:
    memory.migrate_tinydb(large, apply=True)
    for document in documents()[::12]:
        named = document["tags"] if isinstance(document["tags"], list) else document["tags"].split(", ")
        for tag in named:
            assert document["content"] in found(memory, tag)


def test_times_counts_and_all_else_come_along(memory: Commonplace, old: Path) -> None:
    memory.migrate_tinydb(old, apply=True)
    one = kept(memory)[ALLERGY]
    assert (one["created_at"], one["last_accessed"]) == ("2024-08-27T10:30:00Z", "2025-01-02T03:04:05Z")
    assert (one["access_count"], one["importance"], one["category"]) == (7, 1.0, "contexts")
    assert one["tags"] == ["javascript", "nut", "health", "personal"]
    assert one["user_note"] == "mood: calm"
    assert one["embedding_model"] is not None
    assert memory.search_memory("nut allergy").results[0].id == one["memory_id"]
    memory._local.ports.usage.fold("local|ana")
    assert kept(memory)[ALLERGY]["access_count"] == 8


def test_two_that_say_the_same_are_one_memory_with_both_ids(memory: Commonplace, old: Path) -> None:
    done = memory.migrate_tinydb(old, apply=True)
    assert (done.added, done.aliases) == (2, 3)
    assert memory.get("notes/1").memory_id == memory.get("notes/9").memory_id


def test_what_is_over_is_kept_as_over(open_memory: Opener, old: Path) -> None:
    memory = open_memory(now=lambda: NOON)
    memory.migrate_tinydb(old, apply=True)
    assert memory.get("mem_12345").expires_at is not None
    orchids = "Ana waters the orchids on Fridays."
    assert orchids not in found(memory, "orchids")
    assert memory.search_memory("orchids", options={"include_expired": True}).results[0].content == orchids


def test_a_person_decides_what_is_not_sure(memory: Commonplace, old: Path, tmp_path: Path) -> None:
    review = tmp_path / "review.csv"
    plan = memory.migrate_tinydb(old, review)
    (row,) = plan.review
    assert tuple(row) == COLUMNS
    assert (row["legacy_id"], row["content"], row["from"]) == ("notes/4", RULE, "zettel")
    assert memory.migrate_tinydb(old, apply=True).review == [row]
    assert refusal(lambda: memory.get("notes/4")).code is ErrorCode.INVALID_ARGUMENT  # it waits
    text = review.read_text("utf-8-sig")
    review.write_text(text.replace(f",{row['to']},", ",system,"), encoding="utf-8")
    edited = review.read_bytes()
    done = memory.migrate_tinydb(old, review, apply=True)
    assert (done.added, done.review, review.read_bytes()) == (1, [], edited)
    one = memory.get("notes/4")
    assert (one.filed_under, one.origin, one.tags) == ("system", "a wiki", ["javascript", "deploy", "zettel"])


def test_a_table_of_ones_own_names_categories(memory: Commonplace, old: Path, tmp_path: Path) -> None:
    table = tmp_path / "map.csv"
    table.write_text("from,to\nzettel,references\nhealth,system\n", encoding="utf-8")
    plan = memory.migrate_tinydb(old, categories=table)
    assert plan.review == []
    assert plan.categories["zettel"] == {"references": 1}
    assert plan.categories["health"] == {"system": 1}


def test_what_is_refused_is_told_and_the_others_are_moved(memory: Commonplace, old: Path) -> None:
    done = memory.migrate_tinydb(old, apply=True)
    (one,) = done.refused
    assert (one.legacy_id, one.code, one.field) == ("tasks/2", "missing_field", "content")
    assert [(one.legacy_id, one.fields) for one in done.leftovers] == [("notes/1", ["mood"])]


def test_its_undo_is_the_rollback_and_it_can_be_moved_again(memory: Commonplace, old: Path) -> None:
    there = memory.store_memory("Ana waters the orchids on Fridays.").memory_id
    before = kept(memory)
    done = memory.migrate_tinydb(old, apply=True)
    assert done.run_id is not None
    assert memory.get("mem_12345").memory_id == there  # it was said here already
    memory.undo_run(done.run_id)
    assert kept(memory) == before
    for name in ("notes/1", "mem_12345"):
        assert refusal(lambda name=name: memory.get_memory(name)).code is ErrorCode.NOT_FOUND  # type: ignore[misc]
    again = memory.migrate_tinydb(old, apply=True)
    assert (again.added, again.aliases) == (1, 3)
    assert memory.get("notes/1").value == ALLERGY


def test_each_undo_of_an_undo_turns_the_old_ids_round(memory: Commonplace, old: Path) -> None:
    there = memory.store_memory("Ana waters the orchids on Fridays.").memory_id
    run_id = memory.migrate_tinydb(old, apply=True).run_id
    assert run_id is not None
    for is_found in (False, True, False, True):
        run_id = memory.undo_run(run_id).run_id
        if is_found:
            assert memory.get("mem_12345").memory_id == there
        else:
            assert refusal(lambda: memory.get_memory("mem_12345")).code is ErrorCode.NOT_FOUND


def test_an_old_id_follows_what_becomes_of_its_memory(memory: Commonplace, old: Path) -> None:
    memory.migrate_tinydb(old, apply=True)
    memory.update_memory(memory_id="notes/9", value="I am allergic to all nuts.")
    assert memory.get("notes/1").value == "I am allergic to all nuts."
    assert memory.migrate_tinydb(old, apply=True).added == 0
    merged = memory.store_memory("I am allergic to nuts and to bees.", context={"supersedes": ["notes/1"]})
    assert memory.get("notes/9").memory_id == merged.memory_id
    assert merged.operation_id is not None
    memory.undo(merged.operation_id)
    assert memory.get("notes/9").value == "I am allergic to all nuts."
    memory.delete_memory(memory_id="notes/9")
    assert memory.migrate_tinydb(old, apply=True).added == 0  # what was deleted here does not come back


def test_what_was_erased_here_does_not_come_with_the_same_file(memory: Commonplace, old: Path) -> None:
    memory.migrate_tinydb(old, apply=True)
    memory.erase("notes/9")  # it is notes/1, too
    again = memory.migrate_tinydb(old, apply=True)
    refused = [(one.legacy_id, one.field, one.code) for one in again.refused]
    assert refused == [("notes/1", "id", "erased"), ("notes/9", "id", "erased"), ("tasks/2", "content", "missing_field")]
    assert (again.added, again.known) == (0, ["mem_12345"])
    assert ALLERGY not in kept(memory)


def test_the_same_id_with_other_words_is_a_conflict_and_left(memory: Commonplace, old: Path) -> None:
    memory.migrate_tinydb(old, apply=True)
    saved(old, {"notes": {"1": {"content": "Ana moved to Lisbon.", "category": "personal"}}})
    done = memory.migrate_tinydb(old, apply=True)
    assert (done.conflicts, done.added) == (["notes/1"], 0)
    assert memory.get("notes/1").value == ALLERGY


def test_a_run_that_died_goes_on_and_gives_the_ids(open_memory: Opener, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    aliases = type(memory._local.ports.aliases)
    with monkeypatch.context() as patched:
        patched.setattr(aliases, "add", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.migrate_tinydb(old, apply=True)
    assert memory.migrate_tinydb(old, apply=True).added == 0
    assert memory.get("notes/1").value == ALLERGY
    assert memory.get("mem_12345").value


def test_the_old_tools_for_reading_go_on(memory: Commonplace, old: Path) -> None:
    memory.migrate_tinydb(old, apply=True)
    before = list(memory.export())
    assert legacy.tinydb_find_similar_tags("js", memory=memory) == [{"tag": "javascript", "similarity": 1.0, "count": 1}]
    assert legacy.tinydb_find_similar_tags("orbit", threshold=1.0, memory=memory) == []
    one = legacy.tinydb_get_memory("notes/1", memory=memory)
    assert (one["content"], one["importance"], one["access_count"]) == (ALLERGY, 5, 7)
    assert legacy.tinydb_search_memories("peanut allergy", memory=memory)[0]["memory_id"] == one["memory_id"]
    assert legacy.tinydb_list_categories(memory=memory) == {"contexts": 1}
    memory._local.ports.usage.fold("local|ana")
    assert list(memory.export()) == before


def test_it_is_each_users_own(open_memory: Opener, old: Path) -> None:
    open_memory(user_id="ana").migrate_tinydb(old, apply=True)
    ben = open_memory(user_id="ben", now=lambda: NOON + timedelta(days=1))
    assert refusal(lambda: ben.get_memory("notes/1")).code is ErrorCode.NOT_FOUND
    assert ben.migrate_tinydb(old, apply=True).added == 2


def test_the_pages_are_written_after_the_move_and_after_it_was_taken_back(old: Path, tmp_path: Path) -> None:
    settings = Settings(db=tmp_path / "memory.db", pages=tmp_path / "pages")
    with Commonplace(settings=settings, user_id="ana", now=lambda: NOON) as memory:
        done = memory.migrate_tinydb(old, apply=True)
        (page,) = (tmp_path / "pages").glob("*/MEMORY.md")
        assert ALLERGY in page.read_text("utf-8")
        assert done.run_id is not None
        memory.undo_run(done.run_id)
        assert ALLERGY not in page.read_text("utf-8")

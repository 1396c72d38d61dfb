"""`validate_storage` and `repair_index` over a file: each kind of damage is found, mended, and found no more."""

import json
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.domain.consistency import Scope, ValidateResult
from commonplace.domain.errors import ErrorCode
from commonplace.domain.ids import new_memory_id
from commonplace.text.foundation import tokenizer
from commonplace.use_cases import consistency
from tests.conftest import NOON, refusal
from tests.contract.damage import damage_in_file

pytestmark = pytest.mark.integration

Opener = Callable[..., Commonplace]
SAID = (
    "I drink green tea in the morning.", "My daughter Mia is allergic to peanuts.", "私は東京に住んでいます。",
    "I don't eat café naïve 😀 anymore.", "I moved to Berlin in 2023.",
)  # fmt: skip
DERIVED = {
    "a word gone": "UPDATE words_content SET c0 = '1_nothing' WHERE id = 1",
    "another memory's words": (
        "UPDATE words SET content = (SELECT c0 FROM words_content WHERE id = 2) || ' 1_zither' WHERE rowid = 1"
    ),
    "a word too many among its labels": "UPDATE words SET labels = labels || ' 1_zither' WHERE rowid = 1",
    "its words gone": "DELETE FROM words_content WHERE id = 1",
    "an index of words that is empty": "DELETE FROM words_data WHERE id > 10",
    "an index of words that is no index": "UPDATE words_data SET block = zeroblob(8) WHERE id > 1",
    "an index of words that is no index, and no count of changes": (
        "DELETE FROM changes; UPDATE words_data SET block = NULL WHERE id = 10"
    ),
    "a size of words": "DELETE FROM words_docsize",
    "half a vector": "UPDATE memories SET embedding = substr(embedding, 1, 256) WHERE row = 2",
    "no vector": "UPDATE memories SET embedding = NULL WHERE row = 2",
    "a vector of zeros": "UPDATE memories SET embedding = zeroblob(512) WHERE row = 2",
    "the name of another model": "UPDATE memories SET embedding_model = 'other' WHERE row = 2",
    "another importance": "UPDATE memories SET importance = 0.01 WHERE row = 1",
    "an importance that is none": "UPDATE memories SET importance = 'high' WHERE row = 1",
    "closed only here": "UPDATE memories SET status = 'archived' WHERE row = 1",
    "another agent's": "UPDATE memories SET agent_id = 'travel' WHERE row = 1",
    "expired only here": "UPDATE memories SET expires_at = 1 WHERE row = 1",
    "another key": "UPDATE memories SET key = 'other' WHERE key IS NOT NULL",
    "another identity": "UPDATE memories SET fingerprint = x'00' WHERE row = 1",
    "another version": "UPDATE memories SET version = 7 WHERE row = 1",
    "a change that is none": "UPDATE memories SET change = 'x' WHERE row = 1",
    "identities that changed places": (
        "CREATE TEMP TABLE kept AS SELECT row AS r, fingerprint AS f FROM memories WHERE row < 3;"
        "UPDATE memories SET fingerprint = CAST(row AS BLOB) WHERE row < 3;"
        "UPDATE memories SET fingerprint = (SELECT f FROM kept WHERE r != row) WHERE row < 3"
    ),
    "a tag counted twice": "UPDATE tags SET memories = memories * 2",
    "a tag not counted": "DELETE FROM tags",
    "a tag of nothing": "INSERT INTO tags VALUES (1, 'nothing', 3)",
    "a count of changes that goes back": "UPDATE changes SET last = 1",
    "no count of changes": "DELETE FROM changes",
}  # fmt: skip


@contextmanager
def changing(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, isolation_level=None, timeout=60)) as connection:
        yield connection


def change(file: Path, statement: str, *values: object) -> None:
    with changing(file) as connection:
        if values:
            connection.execute(statement, values)
        else:
            connection.executescript(statement)


def change_record(file: Path, memory_id: str, **fields: object) -> None:
    """Another record, as somebody may write it who forgets nothing beside it: no more than these fields is wrong."""
    with changing(file) as connection:
        (record,) = connection.execute("SELECT record FROM memories WHERE memory_id = ?", (memory_id,)).fetchone()
        changed = json.dumps({**json.loads(record), **fields}, ensure_ascii=False)
        connection.execute("UPDATE memories SET record = ? WHERE memory_id = ?", (changed, memory_id))


@pytest.fixture
def ids(memory: Commonplace) -> list[str]:
    """Of what is kept; also a memory under a key, which replaced another, and one that is closed."""
    stored = [memory.store_memory(said).memory_id for said in SAID]
    memory.write_memory("role", "The user works as a nurse.", "work_context")
    memory.update_memory("role", "The user works as a surgeon.")
    memory.delete_memory(memory_id=stored[4])
    return stored


def kinds(found: ValidateResult) -> dict[str, int]:
    return {str(kind): count for kind, count in found.counts.items()}


def answers(memory: Commonplace) -> list[list[tuple[str, float]]]:
    asked = ("green tea", "what is Mia allergic to", "東京", "café", "role of the user", "where did I live")
    return [[(hit.id, hit.relevance_score) for hit in memory.search_memory(query).results] for query in asked]


def test_a_healthy_store_has_no_finding(memory: Commonplace, ids: list[str]) -> None:
    found = memory.validate_storage()
    assert (found.ok, found.status, found.checked, found.findings, found.cursor) == (True, "done", 7, [], None)
    done = memory.repair_index()
    assert (done.status, done.indexed, done.removed, done.unchanged, done.failed) == ("planned", 0, 0, 7, [])


@pytest.mark.parametrize("name", DERIVED)
def test_what_is_derived_is_found_mended_and_found_no_more(
    open_memory: Opener, memory: Commonplace, memory_file: Path, ids: list[str], name: str
) -> None:
    before, records = answers(memory), list(memory.export())
    change(memory_file, DERIVED[name])
    found = memory.validate_storage()
    assert not found.ok or name == "a size of words"  # no search asks for it
    assert {one.kind for one in found.findings} <= {"missing", "different", "miscounted"}
    assert all(one.repairable for one in found.findings)
    planned = memory.repair_index()
    assert not memory.validate_storage().ok or name == "a size of words"  # it was only told
    done = memory.repair_index(dry_run=False)
    assert (done.indexed, done.removed, done.unchanged) == (planned.indexed, planned.removed, planned.unchanged)
    assert (done.status, done.failed) == ("done", [])
    assert memory.validate_storage().findings == []
    assert answers(memory) == answers(open_memory()) == before
    assert [{**one, "last_accessed": 0, "access_count": 0} for one in memory.export()] == [
        {**one, "last_accessed": 0, "access_count": 0} for one in records
    ]


def test_only_the_words_that_are_wrong_are_written_anew(memory: Commonplace, memory_file: Path, ids: list[str]) -> None:
    with changing(memory_file) as connection:
        given = "SELECT id, c0, c1 FROM words_content"
        right, changes = connection.execute(given).fetchall(), dict(connection.execute("SELECT row, change FROM memories"))
        connection.execute("UPDATE words SET content = content || ' 1_zither' WHERE rowid = 2")
        (found,) = memory.validate_storage().findings
        assert (found.kind, found.id) == ("different", ids[1])
        assert memory.repair_index(dry_run=False).indexed == 1
        assert connection.execute(given).fetchall() == right
        later = dict(connection.execute("SELECT row, change FROM memories"))
    assert {row for row in changes if later[row] != changes[row]} == {2}


def test_threads_that_stem_at_once_leave_right_words_alone(memory: Commonplace, memory_file: Path) -> None:
    ends = "ational", "izations", "ingly", "fulness"
    words = [f"{a}{b}{c}{end}" for a in ("ba", "de", "gi") for b in ("lo", "mu", "ra") for c in "ktv" for end in ends * 2]
    for at in range(0, len(words), 12):
        memory.store_memory(" ".join(words[at : at + 12]), wait=False)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    tokenizer._stem_word.cache_clear()
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(tokenizer.terms, random.Random(4).sample(words, len(words)) * 4))
    finally:
        sys.setswitchinterval(interval)
    assert memory.validate_storage().findings == []
    assert (done := memory.repair_index(dry_run=False)).indexed == 0, done


def test_words_of_no_memory_are_taken_out(memory: Commonplace, memory_file: Path, ids: list[str]) -> None:
    change(memory_file, "INSERT INTO words (rowid, content, labels) VALUES (99, '1_tea 1_green', '')")
    found = memory.validate_storage()
    assert [(one.kind, one.id, one.repairable) for one in found.findings] == [("orphaned", "row:99", True)]
    assert memory.repair_index(dry_run=False).removed == 1
    assert memory.validate_storage().findings == []
    with changing(memory_file) as connection:
        assert connection.execute("SELECT 1 FROM words_content WHERE id = 99").fetchone() is None


def test_words_of_somebody_else_are_not_told(open_memory: Opener, memory_file: Path, ids: list[str]) -> None:
    bea = open_memory("bea")
    bea.store_memory("I collect zithers.")
    change(memory_file, "INSERT INTO words (rowid, content, labels) VALUES (99, '2_zither', '')")
    change(memory_file, "UPDATE memories SET importance = 0.9 WHERE owner = 2")
    damage_in_file(memory_file, ids[0], b"{}")
    assert kinds(bea.validate_storage()) == {"orphaned": 1, "different": 1}
    ana = open_memory()
    assert kinds(ana.validate_storage()) == {"unreadable": 1, "miscounted": 1}
    assert bea.repair_index("all", dry_run=False).indexed == 1
    assert bea.validate_storage().ok
    assert not ana.validate_storage().ok


def test_all_writes_a_vector_anew_that_looks_whole(memory: Commonplace, memory_file: Path, ids: list[str]) -> None:
    before = answers(memory)
    with changing(memory_file) as connection:
        (kept,) = connection.execute("SELECT embedding FROM memories WHERE row = 2").fetchone()
        connection.execute("UPDATE memories SET change = 1000, embedding = ? WHERE row = 2", (kept[256:] + kept[:256],))
        connection.execute("UPDATE changes SET last = 1000")
    assert answers(memory) != before
    assert memory.repair_index("all", dry_run=False).indexed == 7
    assert answers(memory) == before


def test_an_unreadable_record_is_told_and_never_touched(memory: Commonplace, memory_file: Path, ids: list[str]) -> None:
    damage_in_file(memory_file, ids[1], b'{"raw_text": "My daughter')
    with changing(memory_file) as connection:
        row = connection.execute("SELECT * FROM memories WHERE memory_id = ?", (ids[1],)).fetchone()
    found = memory.validate_storage()
    (told,) = (one for one in found.findings if one.kind == "unreadable")
    assert (told.id, told.repairable, found.unreadable) == (ids[1], False, [ids[1]])
    assert f"commonplace erase --memory {ids[1]}" in told.detail
    for scope in get_args(Scope):
        assert memory.repair_index(scope, dry_run=False).unreadable == [ids[1]]
    with changing(memory_file) as connection:
        assert connection.execute("SELECT * FROM memories WHERE memory_id = ?", (ids[1],)).fetchone() == row
    assert kinds(memory.validate_storage()) == {"unreadable": 1}


@pytest.mark.parametrize("link", ["superseded_by", "supersedes"])
def test_a_link_to_nothing_is_told_and_left(memory: Commonplace, memory_file: Path, ids: list[str], link: str) -> None:
    nobody = new_memory_id(NOON - timedelta(days=29))
    change_record(memory_file, ids[0], **{link: nobody})
    (told,) = memory.validate_storage().findings
    assert (told.kind, told.id, told.repairable) == ("broken_link", ids[0], False)
    assert nobody in told.detail
    done = memory.repair_index(dry_run=False)
    assert done.notes is not None
    assert done.notes.warnings is not None
    assert done.notes.warnings[0].startswith("1 broken link: ")
    assert kinds(memory.validate_storage()) == {"broken_link": 1}


def test_a_link_to_what_may_be_purged_by_now_is_none(memory: Commonplace, memory_file: Path, ids: list[str]) -> None:
    change_record(memory_file, ids[0], supersedes=new_memory_id(NOON - timedelta(days=31)))
    assert memory.validate_storage().ok


def test_a_month_makes_no_finding(open_memory: Opener, memory: Commonplace, ids: list[str]) -> None:
    memory.delete_memory("role")
    for days in (29, 31):
        later = open_memory(now=lambda days=days: NOON + timedelta(days=days))
        later.store_memory(f"I ran {days} km.")
    left = list(later.export())
    assert len(left) == 7  # two are gone, and what one of them replaced names it yet
    assert {one["superseded_by"] for one in left} - {one["memory_id"] for one in left} != {None}
    assert later.validate_storage().findings == []


def test_circles_are_told_once(memory: Commonplace, memory_file: Path, ids: list[str]) -> None:
    for one, other in ((0, 1), (1, 2), (2, 0)):
        change_record(memory_file, ids[one], superseded_by=ids[other])
    (told,) = memory.validate_storage().findings
    assert (told.kind, told.id, told.repairable) == ("circle", min(ids[:3]), False)
    assert "over 3 memories" in told.detail


def test_two_holders_are_told_with_how_to_close_one(memory: Commonplace, memory_file: Path, ids: list[str]) -> None:
    change_record(memory_file, ids[1], key="role")
    change_record(memory_file, ids[2], raw_text=SAID[0], normalized_text=SAID[0])
    found = memory.validate_storage()
    assert kinds(found) == {"different": 2, "same_key": 1, "same_content": 1}
    assert all("commonplace delete" in one.detail for one in found.findings if one.kind.startswith("same"))
    done = memory.repair_index(dry_run=False)
    assert sorted((one.id, one.code) for one in done.failed) == sorted([(ids[1], "conflict"), (ids[2], "conflict")])
    assert SAID[0] not in str(found)


def test_a_held_date_is_told_and_is_no_fault(memory: Commonplace, memory_file: Path, ids: list[str]) -> None:
    change_record(memory_file, ids[0], valid_from="0001-01-01T00:00:00+14:00")
    memory.repair_index(dry_run=False)
    found = memory.validate_storage()
    assert (found.ok, kinds(found)) == (True, {"held": 1})


def test_a_check_goes_on_part_by_part(
    open_memory: Opener, memory: Commonplace, memory_file: Path, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consistency, "PART", 3)
    for number in (0, 2, 4):
        change(memory_file, "UPDATE memories SET importance = 0.01 WHERE memory_id = ?", ids[number])
    damage_in_file(memory_file, ids[3], b"{}")
    change(memory_file, "INSERT INTO words (rowid, content, labels) VALUES (99, '1_tea', '')")
    parts = [memory.validate_storage()]
    while parts[-1].cursor:
        assert parts[-1].status == "running"
        parts.append(memory.validate_storage(cursor=parts[-1].cursor))
    assert [one.checked for one in parts] == [3, 3, 0]
    assert "orphaned" not in parts[0].counts
    assert "orphaned" in parts[-1].counts
    told = [one.id for part in parts for one in part.findings if one.kind in ("different", "unreadable")]
    assert sorted(told) == sorted([ids[0], ids[2], ids[3], ids[4]])
    other = open_memory("bea")
    for wrong in (parts[0].cursor[:-1] + "!", parts[0].cursor[1:], "x", "é"):  # type: ignore[index]
        assert refusal(lambda wrong=wrong: memory.validate_storage(cursor=wrong)).field == "cursor"  # type: ignore[misc]
    assert refusal(lambda: other.validate_storage(cursor=parts[0].cursor)).code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize("tool", ["validate_storage", "repair_index"])
def test_there_is_no_run_to_ask_for(memory: Commonplace, tool: str) -> None:
    with pytest.raises(CommonplaceError) as caught:
        memory.call(tool, {"run_id": "run_01M7Y9WZRKKCZMXKBZPYYE31X7"})
    assert (caught.value.code, caught.value.field) == (ErrorCode.NOT_FOUND, "run_id")


def test_what_is_written_after_a_repair_counts_on(
    open_memory: Opener, memory: Commonplace, memory_file: Path, ids: list[str]
) -> None:
    answers(memory)
    change(memory_file, "UPDATE changes SET last = 1")
    open_memory().repair_index(dry_run=False)
    told = open_memory().store_memory("I collect zithers.").memory_id
    assert [hit.id for hit in memory.search_memory("zithers").results][:1] == [told]


def test_a_moment_is_the_clock_s(open_memory: Opener, memory: Commonplace, memory_file: Path, ids: list[str]) -> None:
    late: datetime = NOON + timedelta(days=40)
    change_record(memory_file, ids[0], supersedes=new_memory_id(NOON - timedelta(days=1)))
    assert not memory.validate_storage().ok
    assert open_memory(now=lambda: late).validate_storage().ok

"""One of several merged memories is erased: its words go with the one that was made of all, and the others are found."""

import gzip
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.interactions import INTERACTION
from commonplace.domain.memory import Memory
from commonplace.nightly.readers import reader_for
from commonplace.nightly.service import Nights
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.values import Alias, Audit, Fence, Operation
from commonplace.runs.queueing import exclusive_lease
from commonplace.runs.staging import run_context
from commonplace.runs.undo import undo_operation
from tests.conftest import NOON
from tests.contract.damage import damage_of
from tests.contract.test_merging import ANA, back, call, record, stored

pytestmark = pytest.mark.integration

CELLO, PIANO, KAYAK = "I play the cello in Bonn.", "I have a piano at home.", "I own a red kayak."
OF_A_WRITE = {"version", "updated_at"}
_GZIP = b"\x1f\x8b"


def erasable(opened: OpenStore) -> ErasableUser:
    return ErasableUser(run_context(ANA, replace(opened.ports, night=opened.night)), opened.erasure())


def merged(opened: OpenStore, *ids: str) -> str:
    return str(call(opened, "merge_memories", memory_ids=ids, dry_run=False).memory_id)


def found(opened: OpenStore, query: str) -> list[str]:
    return [hit.id for hit in call(opened, "search_memory", query=query).results]


@pytest.fixture
def ids(opened: OpenStore) -> list[str]:
    """Three memories of which one is made; each has tags, evidence and an id from elsewhere."""
    ids = [stored(opened, text, at, tags=[tag]) for at, (text, tag) in enumerate(
        ((CELLO, "cello-lessons"), (PIANO, "piano"), (KAYAK, "kayak"))
    )]  # fmt: skip
    for number, name in enumerate(ids):
        memory = record(opened, name)
        evidence = f"said: {memory.content}"
        opened.ports.records.update(memory.next_version(NOON, evidence=evidence), Audit("correct", NOON, {}))
        opened.ports.aliases.add(ANA.user_id, [Alias(str(number), name)])
    return ids


def everything_kept(opened: OpenStore, request: pytest.FixtureRequest, file: Path) -> str:
    """Whatever the store holds, as one text: what lies packed is unpacked."""
    assert opened.night().finish_erasing(True)
    parts = [file.read_bytes()]
    with closing(sqlite3.connect(file)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        cells = (cell for name in names for row in connection.execute(f'SELECT * FROM "{name}"') for cell in row)
        parts += [cell if isinstance(cell, bytes) else str(cell).encode() for cell in cells]
    if request.node.callspec.params["opened"] == "dynamodb":
        client, table = request.getfixturevalue("dynamodb_client"), request.getfixturevalue("table_name")
        items = [item for page in client.get_paginator("scan").paginate(TableName=table) for item in page["Items"]]
        values = [value for item in items for attribute in item.values() for value in attribute.values()]
        parts += [value if isinstance(value, bytes) else str(value).encode() for value in values]
    unpacked = (gzip.decompress(part) if part.startswith(_GZIP) else part for part in parts)
    return b"\n".join(unpacked).decode(errors="replace").casefold()


@pytest.fixture
def kept(opened: OpenStore, request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return lambda: everything_kept(opened, request, tmp_path / "memory.db")


def test_the_words_of_one_are_nowhere_and_the_others_are_one_memory_without_it(
    opened: OpenStore, ids: list[str], kept: Any
) -> None:
    one = merged(opened, *ids)
    call(opened, "search_memory", query="cello in Bonn")
    call(opened, "backup_restore", action="backup")
    call(opened, "export_memories", format="jsonl")
    call(opened, "optimize_tags")
    assert "cello" in kept()
    done = erasable(opened).erase_memory(ids[0])
    assert (set(done.ids), done.memories) == ({ids[0], one}, 2)
    (again,) = done.made_again
    new = record(opened, again)
    assert (new.status, new.content, new.tags, new.supersedes) == ("active", f"{PIANO} {KAYAK}", ("piano", "kayak"), ids[1])
    assert new.evidence == f"said: {PIANO}\nsaid: {KAYAK}"
    assert [(record(opened, name).status, record(opened, name).superseded_by) for name in ids[1:]] == [
        ("superseded", again)
    ] * 2
    assert [found(opened, query) for query in ("piano at home", "red kayak")] == [[again], [again]]
    for word in ("cello", "bonn"):
        assert word not in kept()
    assert opened.ports.erased.among(ANA.user_id, [*ids, one, again, "0", "1"]) == {ids[0], one, "0"}
    assert call(opened, "get_memory", memory_id="1").memory.memory_id == again
    values = call(opened, "history", memory_id=ids[1]).values
    assert {value.memory_id for value in values} == {again, *ids[1:]}
    with pytest.raises(CommonplaceError) as gone:
        erasable(opened).erase_memory(ids[0])
    assert gone.value.code is ErrorCode.NOT_FOUND
    assert record(opened, again).status == "active"


def test_the_last_that_is_left_is_itself_again(opened: OpenStore, ids: list[str], kept: Any) -> None:
    before = record(opened, ids[1]).model_dump(exclude=OF_A_WRITE)
    one = merged(opened, *ids[:2])
    done = erasable(opened).erase_memory(ids[0])
    assert (set(done.ids), done.made_again) == ({ids[0], one}, (ids[1],))
    assert record(opened, ids[1]).model_dump(exclude=OF_A_WRITE) == before
    assert found(opened, "piano at home") == [ids[1]]
    assert "cello" not in kept()


def test_one_after_the_other(opened: OpenStore, ids: list[str], kept: Any) -> None:
    merged(opened, *ids)
    (again,) = erasable(opened).erase_memory(ids[0]).made_again
    done = erasable(opened).erase_memory(ids[2])
    assert (set(done.ids), done.made_again) == ({ids[2], again}, (ids[1],))
    assert found(opened, "piano at home") == [ids[1]]
    assert erasable(opened).erase_memory(ids[1]).made_again == ()
    assert not [word for word in ("cello", "kayak", "piano") if word in kept()]


def test_the_merged_one_takes_all_along_that_it_was_made_of(opened: OpenStore, ids: list[str], kept: Any) -> None:
    one = merged(opened, *ids)
    done = erasable(opened).erase_memory(one)
    assert (set(done.ids), done.made_again) == ({one, *ids}, ())
    assert not [word for word in ("cello", "kayak", "piano") if word in kept()]


def test_of_one_that_was_merged_again_all_others_are_one(opened: OpenStore, ids: list[str], kept: Any) -> None:
    first = merged(opened, *ids[:2])
    second = merged(opened, first, ids[2])
    done = erasable(opened).erase_memory(ids[0])
    assert set(done.ids) == {ids[0], first, second}
    assert record(opened, done.made_again[0]).content == f"{PIANO} {KAYAK}"
    assert "cello" not in kept()
    assert erasable(opened).erase_memory(ids[2]).made_again == (ids[1],)


def test_what_a_person_made_of_it_goes_with_all_of_it(opened: OpenStore, ids: list[str]) -> None:
    one = merged(opened, *ids)
    newest = call(opened, "update_memory", memory_id=one, value="I play the cello and own nothing.").memory_id
    done = erasable(opened).erase_memory(ids[0])
    assert (set(done.ids), done.made_again) == ({newest, one, *ids}, ())


def test_what_was_corrected_in_the_one_stays_so(opened: OpenStore, ids: list[str]) -> None:
    one = merged(opened, *ids)
    call(opened, "update_memory", memory_id=one, importance=5, category="work_context")
    (again,) = erasable(opened).erase_memory(ids[0]).made_again
    assert (record(opened, again).importance, record(opened, again).section) == (1.0, "work_context")


def test_where_it_was_deleted_the_others_stay_closed(opened: OpenStore, ids: list[str], kept: Any) -> None:
    one = merged(opened, *ids)
    call(opened, "delete_memory", memory_id=one)
    done = erasable(opened).erase_memory(ids[0])
    assert (set(done.ids), done.made_again) == ({ids[0], one}, ())
    assert "cello" not in kept()
    assert found(opened, "piano at home") == []


def test_a_merge_that_was_taken_back_leaves_no_words_either(opened: OpenStore, ids: list[str], kept: Any) -> None:
    done = call(opened, "merge_memories", memory_ids=ids, dry_run=False)
    back(opened, done.run_id)
    told = erasable(opened).erase_memory(ids[1])
    assert (set(told.ids), told.made_again) == ({ids[1], done.memory_id}, ())
    assert "piano" not in kept()
    assert found(opened, "red kayak") == [ids[2]]


@pytest.mark.parametrize("left", [2, 1])
def test_to_take_the_merge_back_brings_only_the_others(opened: OpenStore, ids: list[str], left: int) -> None:
    before = [record(opened, one).model_dump(exclude=OF_A_WRITE) for one in ids[1:]]
    done = call(opened, "merge_memories", memory_ids=ids[: 1 + left], dry_run=False)
    (again,) = erasable(opened).erase_memory(ids[0]).made_again
    assert call(opened, "merge_memories", run_id=done.run_id).memory_id == again
    back(opened, done.run_id)
    assert [record(opened, one).model_dump(exclude=OF_A_WRITE) for one in ids[1:]] == before
    assert [record(opened, one).content for one in (ids[0], done.memory_id)] == ["", ""]
    assert [one.memory_id for one in opened.ports.records.all(ANA.user_id) if one.status == "active"] == ids[1:]


def test_to_take_back_what_made_it_again_does_nothing(opened: OpenStore, ids: list[str]) -> None:
    done = call(opened, "merge_memories", memory_ids=ids, dry_run=False)
    (again,) = erasable(opened).erase_memory(ids[0]).made_again
    context = run_context(ANA, replace(opened.ports, night=opened.night))
    run = opened.night().runs.get(ANA.user_id, done.run_id)
    assert run is not None
    with exclusive_lease(context) as lease:
        undone = undo_operation(run.operations[-1].operation_id, context, lease)
    assert {one.outcome for one in undone.operations} == {"kept"}
    assert found(opened, "piano at home") == [again]


def test_a_backup_from_before_brings_the_others_back(opened: OpenStore, ids: list[str]) -> None:
    run = call(opened, "merge_memories", memory_ids=ids, dry_run=False)
    backup_id = call(opened, "backup_restore", action="backup").backup_id
    (again,) = erasable(opened).erase_memory(ids[0]).made_again
    assert call(opened, "backup_restore", action="verify", backup_id=backup_id).ok
    plan = call(opened, "backup_restore", action="restore", backup_id=backup_id, mode="replace")
    call(opened, "backup_restore", action="restore", run_id=plan.run_id, confirm=backup_id)
    active: list[Memory] = [one for one in opened.ports.records.all(ANA.user_id) if one.status == "active"]
    assert [one.memory_id for one in active] == ids[1:]
    assert (record(opened, again).status, record(opened, str(run.memory_id)).content) == ("deleted", "")


def test_one_that_can_not_be_read_is_taken_out_of_the_merged_one(
    opened: OpenStore, ids: list[str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    one = merged(opened, *ids)
    damage_of(request, request.node.callspec.params["opened"], tmp_path / "memory.db")(ids[1], b"[]")
    done = erasable(opened).erase_memory(ids[1])
    assert set(done.ids) == {ids[1], one}
    assert record(opened, done.made_again[0]).content == f"{CELLO} {KAYAK}"


def test_what_would_be_made_again_is_told_before(opened: OpenStore, ids: list[str]) -> None:
    one = merged(opened, *ids)
    scope = erasable(opened).scope(ids[0])
    assert [memory.memory_id for memory in scope.memories] == [one, ids[0]]
    assert [memory.memory_id for memory in scope.left] == ids[1:]


def test_what_somebody_has_told_again_meanwhile_stays_alone(opened: OpenStore, ids: list[str]) -> None:
    one = merged(opened, *ids[:2])
    told = call(opened, "store_memory", content=PIANO).memory_id
    call(opened, "update_memory", memory_id=told, category="personal_context")
    done = erasable(opened).erase_memory(ids[0])
    assert (set(done.ids), done.made_again) == ({ids[0], one}, ())
    assert found(opened, "piano at home") == [told]


def test_more_than_are_merged_at_once_are_each_by_itself_again(opened: OpenStore, ids: list[str]) -> None:
    names = ("violin", "flute", "harp", "oboe", "tuba", "drum", "horn", "lute", "banjo")
    more = [stored(opened, f"I heard a {name} once.", 3 + at) for at, name in enumerate(names)]
    merged(opened, merged(opened, ids[0], *more), *ids[1:])
    apply, calls = opened.ports.operations.apply, 0

    def dies(operation: Operation, fence: Fence | None = None) -> bool:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "it died here")
        return apply(operation, fence)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(opened.ports.operations, "apply", dies)
        with pytest.raises(CommonplaceError):
            erasable(opened).erase_memory(ids[0])
    erasable(opened).erase_memory(ids[0])
    active = {one.memory_id for one in opened.ports.records.all(ANA.user_id) if one.status == "active"}
    assert active == {*more, *ids[1:]}


def test_what_the_others_were_read_from_stays(opened: OpenStore, ids: list[str]) -> None:
    texts = [INTERACTION.validate_python({"type": "explicit", "id": name, "time": NOON, "text": name}) for name in ("a", "b")]
    night = opened.night()
    night.ledger.record(ANA.user_id, texts, NOON)
    for memory_id, session in zip(ids, ("a", "b"), strict=False):
        memory = record(opened, memory_id)
        opened.ports.records.update(memory.next_version(NOON, session_id=session), Audit("correct", NOON, {}))
    merged(opened, *ids)
    erasable(opened).erase_memory(ids[1])
    assert [entry.interaction is None for entry in night.ledger.entries(ANA.user_id, ["a", "b"])] == [False, True]


def test_a_wish_leaves_what_the_others_told_and_the_merged_one_had_left_out(opened: OpenStore, kept: Any) -> None:
    merged(opened, stored(opened, CELLO, 1), stored(opened, f"I play the cello. {KAYAK}", 2), stored(opened, PIANO, 3))
    wish = {"type": "explicit", "id": "wish", "time": NOON, "text": "Forget Bonn."}
    opened.night().ledger.record(ANA.user_id, [INTERACTION.validate_python(wish)], NOON)
    context = run_context(ANA, replace(opened.ports, night=opened.night))
    (run,) = Nights(context, reader_for(context)).nightly("rules")
    assert run.status == "done"
    active = [one.content for one in opened.ports.records.all(ANA.user_id) if one.status == "active"]
    assert active == [f"I play the cello. {KAYAK} {PIANO}"]
    assert "bonn" not in kept()

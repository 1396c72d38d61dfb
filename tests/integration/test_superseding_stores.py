"""`context.supersedes` of store_memory: several memories closed by the one that takes their place, and all opened again."""

from pathlib import Path

import pytest

from commonplace import Commonplace, CommonplaceError, ErrorCode


def stored(memory: Commonplace, text: str, *supersedes: str) -> str:
    done = memory.store_memory(text, context={"supersedes": supersedes} if supersedes else None)
    return done.memory_id


def test_named_memories_are_closed_by_the_new_one_and_opened_by_its_undo(tmp_path: Path) -> None:
    with Commonplace(tmp_path / "m.db") as memory:
        berlin = stored(memory, "I live in Berlin.")
        written = memory.write_memory("home_town", "My flat overlooks the canal.", "personal_context").memory_id
        assert written is not None
        before = {one: memory.get_memory(one).memory for one in (berlin, written)}
        done = memory.store_memory("I moved to Munich.", context={"supersedes": [berlin, written, berlin]})
        assert done.operation_id is not None
        told = {one.memory_id: one.status for one in memory.history(memory_id=written).values}
        assert told == {berlin: "superseded", written: "superseded", done.memory_id: "active"}
        assert {one.memory_id for one in memory.list_memories().memories} == {done.memory_id}
        memory.undo(done.operation_id)
        assert {one.memory_id for one in memory.list_memories().memories} == {berlin, written}
        for name, old in before.items():
            now = memory.get_memory(name).memory
            assert (now.value, now.key, now.tags) == (old.value, old.key, old.tags)
        assert memory.get_memory(key="home_town").memory.memory_id == written


def test_a_name_that_cannot_be_superseded_is_told_with_its_successor(tmp_path: Path) -> None:
    with Commonplace(tmp_path / "m.db") as memory:
        berlin = stored(memory, "I live in Berlin.")
        munich = stored(memory, "I moved to Munich.", berlin)
        with pytest.raises(CommonplaceError) as closed:
            stored(memory, "I moved to Rome.", munich, berlin)
        assert (closed.value.code, closed.value.field) == (ErrorCode.NOT_FOUND, "context.supersedes")
        assert munich in closed.value.message
        with pytest.raises(CommonplaceError) as unknown:
            stored(memory, "I moved to Rome.", "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV")
        assert (unknown.value.code, unknown.value.field) == (ErrorCode.NOT_FOUND, "context.supersedes")
        assert [one.memory_id for one in memory.list_memories().memories] == [munich]
        with Commonplace(tmp_path / "m.db", user_id="somebody else") as other, pytest.raises(CommonplaceError) as foreign:
            stored(other, "I moved to Rome.", munich)
        assert foreign.value.message == "context.supersedes: no memory has this id"


def test_a_memory_that_is_there_already_takes_the_place_of_others(tmp_path: Path) -> None:
    with Commonplace(tmp_path / "m.db") as memory:
        berlin, munich = stored(memory, "I live in Berlin."), stored(memory, "I moved to Munich.")
        again = memory.store_memory("I moved to Munich.", context={"supersedes": [berlin]})
        assert again.memory_id == munich
        assert [one.memory_id for one in memory.list_memories().memories] == [munich]
        assert [one.memory_id for one in memory.history(memory_id=berlin).values] == [munich, berlin]
        assert again.operation_id is not None
        memory.undo(again.operation_id)
        assert {one.memory_id for one in memory.list_memories().memories} == {berlin, munich}


def test_a_store_points_at_what_it_may_leave_untrue(tmp_path: Path) -> None:
    with Commonplace(tmp_path / "m.db") as memory:
        berlin = stored(memory, "I live in Berlin.")
        stored(memory, "My sister plays the flute.")
        advice = memory.store_memory("I moved to Munich.").recommendations
        assert [(one.memory_id, one.content) for one in advice.updates] == [(berlin, "I live in Berlin.")]
        assert advice.suggested_merges == []
        near = memory.store_memory("My sister is a flute player.").recommendations
        assert [one.memory_id for one in near.similar] == near.similar_memories
        assert near.similar[0].content == "My sister plays the flute."
        assert near.similar[0].similarity is not None

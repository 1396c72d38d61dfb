"""`memory_store` with the id of an insight that is there."""

import pytest

from commonplace import Commonplace, CommonplaceError, ErrorCode, StoreMetadata
from tests.scripted_nights import current, id_of

pytestmark = pytest.mark.integration

KNOWN: StoreMetadata = {"type": "fact", "user": "alice", "importance": 0.8, "confidence": 1.0, "tags": ["database"]}


def test_what_is_left_out_stays_and_the_old_one_is_kept(memory: Commonplace) -> None:
    first = memory.memory_store("Production runs PostgreSQL 14", KNOWN, collection="infra")
    second = memory.memory_store("Production runs PostgreSQL 16", {"type": "fact"}, id=first.id)
    assert (second.collection, second.metadata.user, second.metadata.importance) == ("infra", "alice", 0.8)
    assert second.metadata.tags == ["database"]
    old, new = (one for one in memory.export() if one["memory_id"] in (first.id, second.id))
    assert (old["status"], old["superseded_by"], new["supersedes"]) == ("superseded", second.id, first.id)


def test_a_key_goes_on_to_what_takes_its_place(memory: Commonplace) -> None:
    written = memory.write_memory("database", "Production runs PostgreSQL 14", "work_context", "durable")
    memory.memory_store("Production runs PostgreSQL 16", {"type": "fact"}, id=written.memory_id)
    assert memory.get_memory(key="database").memory.value == "Production runs PostgreSQL 16"


def test_the_same_words_change_only_what_is_known_of_them(memory: Commonplace) -> None:
    first = memory.memory_store("Production runs PostgreSQL 14", KNOWN)
    again = memory.memory_store("production runs  PostgreSQL 14", {"type": "insight", "emotion": "concern"}, id=first.id)
    assert (again.id, again.metadata.type, again.metadata.emotion) == (first.id, "insight", "concern")
    assert [one["version"] for one in memory.export()] == [2]
    assert memory.memory_search("production database", filter={"emotion": "concern"}).count == 1


@pytest.mark.parametrize("gone", ["mem_01KS2D7V80D40T4RDW3DEEAEXT", "mem_1699999999", "nonsense"])
def test_an_id_that_nobody_has_is_not_found(memory: Commonplace, gone: str) -> None:
    with pytest.raises(CommonplaceError) as error:
        memory.memory_store("Production runs PostgreSQL 14", KNOWN, id=gone)
    assert (error.value.code, error.value.field) == (ErrorCode.NOT_FOUND, "id")
    assert current(memory) == []


def test_a_deleted_one_is_not_brought_back(memory: Commonplace) -> None:
    first = memory.memory_store("Production runs PostgreSQL 14", KNOWN)
    memory.delete_memory(memory_id=first.id)
    with pytest.raises(CommonplaceError) as error:
        memory.memory_store("Production runs PostgreSQL 16", KNOWN, id=first.id)
    assert error.value.code is ErrorCode.NOT_FOUND


def test_what_another_memory_says_exactly_is_refused(memory: Commonplace) -> None:
    memory.memory_store("Production runs PostgreSQL 16", KNOWN)
    first = memory.memory_store("Production runs PostgreSQL 14", KNOWN)
    with pytest.raises(CommonplaceError) as error:
        memory.memory_store("Production runs PostgreSQL 16", KNOWN, id=first.id)
    assert (error.value.code, error.value.field) == (ErrorCode.INVALID_ARGUMENT, "content")
    assert id_of(memory, "Production runs PostgreSQL 14") == first.id


def test_an_update_can_be_taken_back(memory: Commonplace) -> None:
    first = memory.memory_store("Production runs PostgreSQL 14", KNOWN)
    memory.memory_store("Production runs PostgreSQL 14", {"type": "insight", "tags": ["production"]}, id=first.id)
    memory.undo("last")
    (hit,) = memory.memory_search("production database").results
    assert (hit.metadata.type, hit.metadata.tags) == ("fact", ["database"])
    memory.memory_store("Production runs PostgreSQL 16", KNOWN, id=first.id)
    memory.undo("last")
    assert current(memory) == ["Production runs PostgreSQL 14"]

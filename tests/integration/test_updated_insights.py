"""`memory_store` with the id of an insight that is there."""

import pytest

from commonplace import Commonplace, CommonplaceError, ErrorCode, StoreMetadata
from tests.conftest import refusal
from tests.scripted_nights import current, id_of

pytestmark = pytest.mark.integration

KNOWN: StoreMetadata = {"type": "fact", "user": "alice", "importance": 0.8, "confidence": 1.0, "tags": ["database"]}


def test_what_is_left_out_stays_and_the_old_one_is_kept(memory: Commonplace) -> None:
    first = memory.memory_store("Production runs PostgreSQL 14", KNOWN, collection="infra")
    second = memory.memory_store("Production runs PostgreSQL 16", {"type": "fact"}, id=first.id)
    assert (second.collection, second.metadata.user, second.metadata.importance) == ("infra", "alice", 0.8)
    assert second.metadata.tags == ["database"]
    old, new = sorted(memory.export(), key=lambda one: one["raw_text"])
    assert (old["status"], old["superseded_by"], new["supersedes"]) == ("superseded", new["memory_id"], first.id)


def test_it_keeps_its_id_however_often_it_is_updated(memory: Commonplace) -> None:
    first = memory.memory_store("Production runs PostgreSQL 14", KNOWN)
    for version in (15, 16, 17):
        assert memory.memory_store(f"Production runs PostgreSQL {version}", KNOWN, id=first.id).id == first.id
    (hit,) = memory.memory_search("production database").results
    assert (hit.id, hit.content) == (first.id, "Production runs PostgreSQL 17")
    kept = memory.get_memory(memory_id=first.id).memory
    assert (kept.memory_id, kept.value) == (first.id, "Production runs PostgreSQL 17")
    assert [kept.memory_id for kept in memory.list_memories().memories] == [first.id]
    told = memory.history(memory_id=first.id).values
    assert [value.value for value in told] == [f"Production runs PostgreSQL {version}" for version in (17, 16, 15, 14)]
    memory.undo("last")
    assert memory.get_memory(memory_id=first.id).memory.value == "Production runs PostgreSQL 16"
    memory.update_memory(memory_id=first.id, value="Production runs PostgreSQL 18")
    assert memory.memory_search("production database").results[0].id == first.id
    memory.delete_memory(memory_id=first.id)
    assert memory.memory_search("production database").count == 0


@pytest.mark.parametrize("name", ["mem_01KS2D7V80D40T4RDW3DEEAEXT", "mem_1699999999", "insight 7", "2b1c-Ä/7"])
def test_an_id_that_nobody_has_is_taken_for_a_new_one(memory: Commonplace, name: str) -> None:
    assert memory.memory_store("Production runs PostgreSQL 14", KNOWN, id=name).id == name
    assert memory.memory_store("Production runs PostgreSQL 16", {"type": "fact"}, id=name).id == name
    (hit,) = memory.memory_search("production database").results
    assert (hit.id, hit.content, hit.metadata.tags) == (name, "Production runs PostgreSQL 16", ["database"])
    assert memory.get_memory(memory_id=name).memory.memory_id == name
    assert memory.get(name).value == "Production runs PostgreSQL 16"
    assert len(memory.history(memory_id=name).values) == 2
    memory.delete_memory(memory_id=name)
    assert current(memory) == []


def test_an_id_of_the_callers_is_erased_with_its_words_and_does_not_come_back(memory: Commonplace) -> None:
    memory.memory_store("Production runs PostgreSQL 14", KNOWN, id="insight-7")
    memory.memory_store("Production runs PostgreSQL 16", KNOWN, id="insight-7")
    assert memory.erase("insight-7").memories == 2
    assert "insight-7" not in str(memory.export())
    with pytest.raises(CommonplaceError) as error:
        memory.memory_store("Production runs PostgreSQL 14", KNOWN, id="insight-7")
    assert (error.value.code, error.value.field) == (ErrorCode.ERASED, "id")


def test_an_id_that_is_a_secret_is_not_kept(memory: Commonplace) -> None:
    with pytest.raises(CommonplaceError) as error:
        memory.memory_store("Production runs PostgreSQL 14", KNOWN, id="ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5")
    assert (error.value.code, error.value.field) == (ErrorCode.SECRET_ONLY, "id")


def test_what_is_known_already_is_found_under_the_new_id_too(memory: Commonplace) -> None:
    first = memory.memory_store("Production runs PostgreSQL 14", KNOWN)
    assert memory.memory_store("Production runs PostgreSQL 14", KNOWN, id="insight-7").id == "insight-7"
    assert memory.get_memory(memory_id="insight-7").memory.memory_id == first.id


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


def test_the_key_of_another_memory_is_no_id_for_an_insight(memory: Commonplace) -> None:
    memory.write_memory("garden.plan", "Tomatoes along the wall", "personal_context")
    taken = refusal(lambda: memory.memory_store("Ana grows roses.", KNOWN, id="garden.plan"))
    assert (taken.code, taken.field) == (ErrorCode.CONFLICT, "id")
    assert memory.get_memory(key="garden.plan").memory.value == "Tomatoes along the wall"


def test_a_new_text_gets_tags_of_its_own_unless_somebody_chose_them(memory: Commonplace) -> None:
    def tags(text: str, *chosen: str) -> list[str]:
        metadata: StoreMetadata = {"type": "fact", "tags": list(chosen)} if chosen else {"type": "fact"}
        return memory.memory_store(text, metadata, id="ana").metadata.tags

    assert "swimming" in tags("Ana swims every morning.")
    stamps = tags("Ana collects stamps.")
    assert not {"swimming", "exercise"} & set(stamps)
    assert "collect" in stamps
    assert tags("Ana bakes bread.", "weekend") == tags("Ana bakes rye bread.") == ["weekend"]

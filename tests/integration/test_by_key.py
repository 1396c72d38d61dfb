"""The four tools that keep memories by key, whole: what is written, what is in the way, what is closed."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import ErrorCode
from commonplace.ports.values import IndexUnavailable
from tests.conftest import NOON, found, refusal

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]

ROLE = "The user works as a data engineer at Acme."


def written(memory: Commonplace, key: str = "role", value: str = ROLE, **more: Any) -> Any:
    done = memory.write_memory(key, value, **{"category": "work_context", "durability": "durable", **more})
    assert done.written, done.message
    return done


def record(memory: Commonplace, memory_id: str) -> dict[str, Any]:
    return next(found for found in memory.export() if found["memory_id"] == memory_id)


def test_a_memory_is_written_under_its_key_and_told(memory: Commonplace) -> None:
    done = memory.write_memory("Role", ROLE, "work_context", "durable", confidence=0.95, source="agent")
    assert done.message == "✓ Memory written: work_context/role (confidence: 95.0%)"
    assert (done.written, done.key, done.stored_as, done.existing, done.notes) == (True, "role", "durable", [], None)
    assert done.memory_id is not None
    assert done.operation_id is not None
    assert done.operation_id.startswith("op_")
    kept = record(memory, done.memory_id)
    assert (kept["key"], kept["section"], kept["collection"], kept["source"]) == ("role", "work_context", "default", "agent")
    assert (kept["confidence"], kept["durability"], kept["expires_at"], kept["status"]) == (0.95, "durable", None, "active")
    applied = memory._local.ports.operations.applied("local|ana", done.operation_id)
    assert applied is not None
    assert [made.memory_id for made in applied.made] == [done.memory_id]
    assert found(memory, "what does the user do for a living") == [ROLE]


def test_a_taken_key_shows_what_holds_it_and_points_to_update_memory(memory: Commonplace) -> None:
    first = written(memory)
    again = memory.write_memory("ROLE", "The user is a pilot.", "work_context", "durable", allow_similar=True)
    assert (again.written, again.memory_id, again.operation_id) == (False, None, None)
    assert [(one.key, one.value, one.memory_id) for one in again.existing] == [("role", ROLE, first.memory_id)]
    assert "update_memory" in again.message
    assert "memory_id" not in again.model_dump()
    assert len(list(memory.export())) == 1


@pytest.mark.parametrize("allow", [False, True])
def test_the_same_text_is_not_written_twice_whatever_is_allowed(memory: Commonplace, allow: bool) -> None:
    first = written(memory)
    again = memory.write_memory("job", f"  {ROLE.upper()} ", "work_context", "durable", allow_similar=allow)
    assert (again.written, [one.memory_id for one in again.existing]) == (False, [first.memory_id])
    assert "with the key role" in again.message


def test_the_same_text_of_another_tool_is_to_be_updated_by_its_id(memory: Commonplace) -> None:
    stored = memory.store_memory(ROLE)
    again = memory.write_memory("role", ROLE, "work_context", "durable")
    assert (again.written, [(one.key, one.memory_id) for one in again.existing]) == (False, [(None, stored.memory_id)])
    assert f"call update_memory with the memory_id {stored.memory_id}" in again.message


def test_the_same_in_other_words_is_written_only_when_that_is_allowed(memory: Commonplace) -> None:
    first = written(memory)
    other = "The user is employed by Acme as a data engineer."
    again = memory.write_memory("job", other, "work_context", "durable")
    assert (again.written, [one.memory_id for one in again.existing]) == (False, [first.memory_id])
    assert "allow_similar" in again.message
    forced = written(memory, "job", other, allow_similar=True)
    assert [one.memory_id for one in forced.existing] == [first.memory_id]


def test_what_is_merely_similar_is_listed_and_blocks_nothing(memory: Commonplace) -> None:
    first = written(memory)
    other = written(memory, "sister_role", "The user's sister works as a data engineer at Bolt.")
    assert [one.memory_id for one in other.existing] == [first.memory_id]


def test_durable_below_seventy_percent_is_a_daily_note_and_says_so(memory: Commonplace) -> None:
    done = written(memory, "rust", "The user is getting interested in Rust.", confidence=0.69)
    assert done.stored_as == "daily"
    assert "daily note" in done.message
    kept = record(memory, done.memory_id)
    assert kept["durability"] == "daily"
    assert kept["expires_at"] == (NOON + timedelta(days=90)).isoformat()
    assert kept["purge_at"] == (NOON + timedelta(days=120)).isoformat()
    assert written(memory, "go", "The user writes Go at work.", confidence=0.7).stored_as == "durable"


def test_an_expired_note_gives_its_key_and_its_text_back(open_memory: Opener) -> None:
    note = "The user is getting interested in Rust."
    first = written(open_memory(), "rust", note, durability="daily")
    later = open_memory(now=lambda: NOON + timedelta(days=91))
    assert later.read_memory("work_context").count == 0
    again = written(later, "rust", note)
    assert again.memory_id != first.memory_id


def test_nobody_else_is_in_the_way(open_memory: Opener) -> None:
    written(open_memory("ana"))
    assert written(open_memory("ben")).existing == []


def test_an_agent_neither_sees_nor_changes_what_is_meant_for_another(open_memory: Opener) -> None:
    written(open_memory(agent_id="coach"))
    other = open_memory(agent_id="cook")
    again = other.write_memory("role", "The user is a pilot.", "work_context", "durable")
    assert (again.written, again.existing) == (False, [])
    assert "Acme" not in again.message
    assert refusal(lambda: other.update_memory("role", "The user is a pilot.")).code is ErrorCode.KEY_NOT_FOUND
    assert refusal(lambda: other.delete_memory("role")).code is ErrorCode.KEY_NOT_FOUND
    assert refusal(lambda: other.history("role")).code is ErrorCode.KEY_NOT_FOUND


def test_without_an_index_the_same_text_is_still_not_written_twice(memory: Commonplace, monkeypatch: Any) -> None:
    first = written(memory)

    def gone(*_: object) -> object:
        raise IndexUnavailable("down")

    monkeypatch.setattr(memory._local.ports.index, "similar", gone)
    again = memory.write_memory("job", ROLE, "work_context", "durable")
    assert (again.written, [one.memory_id for one in again.existing]) == (False, [first.memory_id])
    done = written(memory, "tea", "The user drinks tea.")
    assert done.notes is not None
    assert "similar memories were not looked for" in str(done.notes.degraded)


@pytest.mark.parametrize("same", ["key", "value"])
def test_of_many_writes_at_once_one_is_written_and_the_others_are_told_of_it(open_memory: Opener, same: str) -> None:
    def write(number: int) -> Any:
        key = "role" if same == "key" else f"role{number}"
        value = ROLE if same == "value" else f"The user has worked at company {number}."
        return memories[number].write_memory(key, value, "work_context", "durable", allow_similar=True)

    memories = [open_memory() for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(write, range(6)))
    (done,) = (answer for answer in answers if answer.written)
    told = {one.memory_id for answer in answers if not answer.written for one in answer.existing}
    assert told == {done.memory_id}
    assert [kept["memory_id"] for kept in memories[0].export()] == [done.memory_id]


def test_an_update_closes_the_old_value_and_gives_its_key_to_the_new(memory: Commonplace) -> None:
    first = written(memory)
    value = "The user works as a team lead at Acme."
    done = memory.update_memory("Role", value)
    assert (done.previous_id, done.message) == (
        first.memory_id, f"✓ Memory updated: work_context/role; the old value is kept as {first.memory_id}",
    )  # fmt: skip
    old, new = record(memory, done.previous_id), record(memory, done.memory_id)
    assert (old["status"], old["superseded_by"], old["valid_to"]) == ("superseded", done.memory_id, NOON.isoformat())
    assert (old["raw_text"], old["key"]) == (ROLE, "role")
    assert (new["status"], new["supersedes"], new["key"], new["section"]) == (
        "active",
        first.memory_id,
        "role",
        "work_context",
    )
    assert found(memory, "role at Acme") == [value]
    assert [entry.memory_id for entry in memory.read_memory("work_context").entries] == [done.memory_id]
    assert not memory.write_memory("role", "The user is a pilot.", "work_context", "durable").written


def test_an_update_may_move_a_memory_to_another_heading_and_keeps_a_note_a_note(open_memory: Opener) -> None:
    written(open_memory(), "rust", "The user looks at Rust.", durability="daily", category="preference")
    later = open_memory(now=lambda: NOON + timedelta(days=10))
    done = later.update_memory("rust", "The user writes Rust at work.", category="work_context")
    kept = record(later, done.memory_id)
    assert (kept["section"], kept["durability"]) == ("work_context", "daily")
    assert kept["expires_at"] == (NOON + timedelta(days=100)).isoformat()


def test_an_update_to_what_it_says_already_is_a_new_version_of_it(memory: Commonplace) -> None:
    written(memory)
    done = memory.update_memory("role", ROLE)
    assert found(memory, "data engineer") == [ROLE]
    assert record(memory, done.memory_id)["supersedes"] == done.previous_id


def test_an_update_to_what_another_memory_says_is_refused_by_its_field(memory: Commonplace) -> None:
    written(memory)
    written(memory, "tea", "The user drinks tea.")
    error = refusal(lambda: memory.update_memory("tea", ROLE))
    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, "value")
    assert found(memory, "tea") == ["The user drinks tea."]


def test_a_deleted_memory_is_no_longer_found_and_its_key_is_free(memory: Commonplace) -> None:
    first = written(memory)
    done = memory.delete_memory("role")
    assert done.memory_id == first.memory_id
    assert done.operation_id in done.message
    kept = record(memory, done.memory_id)
    assert (kept["status"], kept["purge_at"]) == ("deleted", (NOON + timedelta(days=30)).isoformat())
    assert found(memory, "data engineer") == []
    assert memory.read_memory("work_context").count == 0
    assert memory.get_memory_context("data engineer").memory_ids == []
    assert written(memory).memory_id != first.memory_id


@pytest.mark.parametrize("call", [lambda m: m.delete_memory("rol"), lambda m: m.update_memory("rol", "x y z")])
def test_an_unknown_key_tells_the_nearest(memory: Commonplace, call: Any) -> None:
    for key in ("role", "role_since", "tea"):
        written(memory, key, f"The user's {key} is number {len(key)}.", allow_similar=True)
    error = refusal(lambda: call(memory))
    assert (error.code, error.field, error.code.status) == (ErrorCode.KEY_NOT_FOUND, "key", 404)
    assert "role, role_since" in error.message
    assert "tea" not in error.message


def test_reading_lists_the_most_important_first_then_the_newest(open_memory: Opener) -> None:
    clock = [NOON]
    memory = open_memory(now=lambda: clock[0])
    for key, value in (
        ("coffee", "The user drinks coffee at breakfast."), ("tea", "The user drinks green tea in the evening."),
        ("allergy", "The user is allergic to penicillin."),
    ):  # fmt: skip
        clock[0] += timedelta(minutes=1)
        written(memory, key, value, category="personal_context")
    answer = memory.read_memory("personal_context")
    by_rank = [record(memory, entry.memory_id) for entry in answer.entries]
    ranks = [(-kept["importance"], -NOON.fromisoformat(kept["created_at"]).timestamp()) for kept in by_rank]
    assert ranks == sorted(ranks)
    assert answer.entries[0].key == "allergy"
    assert answer.count == 3
    assert answer.message == "✓ 3 memories in personal_context"
    assert answer.markdown.splitlines()[:2] == ["## Personal context", "- **allergy**: The user is allergic to penicillin."]
    assert memory.read_memory("personal_context", limit=1).entries == answer.entries[:1]
    assert memory.read_memory("reading_history").entries == []


def test_reading_shows_what_other_tools_stored_without_a_key(memory: Commonplace) -> None:
    stored = memory.store_memory("My daughter Mia is\nallergic to peanuts.")
    (entry,) = memory.call("read_memory", {"category": "personal_context"})["entries"]
    assert (entry["memory_id"], "key" in entry) == (stored.memory_id, False)
    assert memory.read_memory("personal_context").markdown.endswith("- My daughter Mia is allergic to peanuts.")


def test_secrets_are_taken_out_and_told(memory: Commonplace) -> None:
    done = memory.write_memory("login", "ana / Tiger99!", "work_context", "durable")
    assert done.notes is not None
    assert done.notes.redacted == ["password"]
    assert "Tiger99" not in str(list(memory.export()))
    error = refusal(lambda: memory.update_memory("login", "the password is Tiger99!x"))
    assert (error.code, error.field) == (ErrorCode.SECRET_ONLY, "value")


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"key": "a b"}, "invalid_argument", "key"), ({"value": "!?"}, "empty_text", "value"),
        ({"value": "x" * 8_001}, "text_too_long", "value"), ({"category": "contexts"}, "invalid_argument", "category"),
        ({"durability": "forever"}, "invalid_argument", "durability"), ({"confidence": 1.1}, "invalid_argument", "confidence"),
        ({"confidence": "high"}, "invalid_argument", "confidence"), ({"user_id": "ben"}, "unknown_field", "user_id"),
        ({"source": "me"}, "invalid_argument", "source"), ({"allow_similar": "perhaps"}, "invalid_argument", "allow_similar"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_malformed_is_refused_by_its_field(memory: Commonplace, arguments: Any, code: str, field: str) -> None:
    whole = {"key": "role", "value": ROLE, "category": "work_context", "durability": "durable", **arguments}
    status, body = memory.answer("write_memory", whole)
    assert (status, body["error"]["code"], body["error"]["field"]) == (400, code, field)

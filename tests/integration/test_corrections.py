"""Labels and expiry corrected under the same id, and taken back."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import ErrorCode
from tests.conftest import NOON, refusal

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]

TEA = "Ana drinks green tea every morning."
LABELS: dict[str, Any] = {
    "type": "value", "tags": ["Green Tea", "habits"], "importance": 5, "category": "work_context",
    "filed_under": "projects", "expires_at": (NOON + timedelta(days=3)).isoformat(),
}  # fmt: skip
_OF_A_WRITE = {"version", "updated_at"}


def kept(memory: Commonplace, memory_id: str) -> dict[str, Any]:
    return next(one for one in memory.export() if one["memory_id"] == memory_id)


def lasting(memory: Commonplace, memory_id: str) -> dict[str, Any]:
    return {name: value for name, value in kept(memory, memory_id).items() if name not in _OF_A_WRITE}


@pytest.fixture
def tea(memory: Commonplace) -> str:
    return memory.store_memory(TEA).memory_id


def test_labels_are_corrected_under_the_same_id(memory: Commonplace, tea: str) -> None:
    done = memory.update_memory(memory_id=tea, **LABELS)
    assert (done.memory_id, done.previous_id) == (tea, tea)
    assert "category, expires_at, filed_under, importance, tags, type" in done.message
    one = memory.get_memory(tea).memory
    assert (one.value, one.type, one.tags, one.importance) == (TEA, "value", ["green-tea", "habits"], 5)
    assert (one.section, one.filed_under, one.durability) == ("work_context", "projects", "daily")
    assert one.expires_at == NOON + timedelta(days=3)
    record = kept(memory, tea)
    assert (record["version"], datetime.fromisoformat(record["purge_at"])) == (2, NOON + timedelta(days=33))
    assert [step.operation for step in memory.history(memory_id=tea).values[0].steps] == ["store", "correct"]


def test_a_search_goes_by_the_corrected_labels(memory: Commonplace, tea: str) -> None:
    memory.update_memory(memory_id=tea, **LABELS)
    (hit,) = memory.search_memory("what does Ana drink", category="projects", options={"importance_min": 5}).results
    assert (hit.id, hit.category, hit.section, hit.importance) == (tea, "projects", "work_context", 5)
    assert memory.search_memory("habits", options={"min_relevance": 0.0}).results
    assert memory._local.ports.facts.tags("local|ana") == {"green-tea": 1, "habits": 1}


@pytest.mark.parametrize("name", [*LABELS, "all"])
def test_a_correction_can_be_taken_back_and_brought_back(memory: Commonplace, tea: str, name: str) -> None:
    memory.update_memory(memory_id=tea, tags=["morning"], importance=2)
    before = lasting(memory, tea)
    done = memory.update_memory(memory_id=tea, **(LABELS if name == "all" else {name: LABELS[name]}))
    after = lasting(memory, tea)
    assert before != after
    undone = memory.undo(done.operation_id)
    assert lasting(memory, tea) == before
    assert [one.outcome for one in undone.operations] == ["undone"]
    memory.undo_run(undone.run_id)
    assert lasting(memory, tea) == after


def test_only_the_last_correction_can_be_taken_back_on_its_own(memory: Commonplace, tea: str) -> None:
    first = memory.update_memory(memory_id=tea, tags=["one"])
    second = memory.update_memory(memory_id=tea, tags=["two"])
    (kept_back,) = memory.undo(first.operation_id).operations
    assert (kept_back.outcome, memory.get_memory(tea).memory.tags) == ("kept", ["two"])
    memory.undo(second.operation_id)
    assert memory.get_memory(tea).memory.tags == ["one"]


def test_the_new_value_of_a_corrected_memory_gives_way_to_it_again(memory: Commonplace, tea: str) -> None:
    memory.update_memory(memory_id=tea, **LABELS)
    before = lasting(memory, tea)
    done = memory.update_memory(memory_id=tea, value="Ana drinks water.")
    memory.undo(done.operation_id)
    assert lasting(memory, tea) == before


def test_tags_that_an_undo_replaced_stand_in_no_operation(memory: Commonplace, tea: str) -> None:
    done = memory.update_memory(memory_id=tea, tags=["secretgarden"])
    again = memory.update_memory(memory_id=tea, tags=["tea"])
    for operation_id in (done.operation_id, again.operation_id):
        applied = memory._local.ports.operations.applied("local|ana", operation_id)
        assert applied is not None
        assert "secretgarden" not in str(applied)


def test_an_operation_that_kept_no_tags_leaves_tags_alone(memory: Commonplace, memory_file: Path) -> None:
    written = memory.write_memory("tea", TEA, "preference", "durable").memory_id
    assert written is not None
    folder = memory_file.parent / "pages"
    memory.update_memory(key="tea", tags=["morning"])
    memory.write_markdown(folder)
    page = (folder / "MEMORY.md").read_text("utf-8")
    (folder / "MEMORY.md").write_text(page.replace("**tea**", "**drink**"), encoding="utf-8")
    renaming = memory.apply_markdown(folder, dry_run=False).run  # as 0.1 kept it: the key that it replaced, and no tags
    assert memory.get_memory(key="drink").memory.memory_id == written
    memory.undo_run(renaming.run_id)
    one = memory.get_memory(written).memory
    assert (one.key, one.tags) == ("tea", ["morning"])


def test_no_label_and_no_value_is_refused_by_name(memory: Commonplace, tea: str) -> None:
    error = refusal(lambda: memory.update_memory(memory_id=tea))
    assert (error.code, error.field) == (ErrorCode.MISSING_FIELD, "value")


@pytest.mark.parametrize(
    ("labels", "field"),
    [
        ({"expires_at": (NOON - timedelta(hours=1)).isoformat()}, "expires_at"), ({"type": "thing"}, "type"),
        ({"expires_at": (NOON + timedelta(hours=1)).isoformat(), "durability": "durable"}, "durability"),
        ({"importance": 6}, "importance"), ({"filed_under": "preference"}, "filed_under"), ({"tags": [""]}, "tags.0"),
        ({"category": "projects"}, "category"),
    ],
    ids=str,
)  # fmt: skip
def test_a_label_that_can_not_be_is_refused_by_its_field(
    memory: Commonplace, tea: str, labels: dict[str, Any], field: str
) -> None:
    status, body = memory.answer("update_memory", {"memory_id": tea, **labels})
    assert (status, body["error"]["field"]) == (400, field)
    assert kept(memory, tea)["version"] == 1


def test_a_note_is_made_lasting_and_a_lasting_memory_a_note(memory: Commonplace, tea: str) -> None:
    memory.update_memory(memory_id=tea, durability="daily")
    assert memory.get_memory(tea).memory.expires_at == NOON + timedelta(days=90)
    memory.update_memory(memory_id=tea, durability="durable")
    assert memory.get_memory(tea).memory.expires_at is None


def test_a_new_value_lasts_at_least_as_long_as_the_old_one(memory: Commonplace) -> None:
    year = NOON + timedelta(days=365)
    parking = memory.store_memory("Ana's parking permit is yellow.", context={"expires_at": year}).memory_id
    done = memory.update_memory(memory_id=parking, value="Ana's parking permit is blue.")
    assert memory.get_memory(done.memory_id).memory.expires_at == year


def test_a_secret_is_no_tag(memory: Commonplace, tea: str) -> None:
    done = memory.update_memory(memory_id=tea, tags=["tea", "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"])
    assert done.notes is not None
    assert done.notes.redacted
    assert memory.get_memory(tea).memory.tags == ["tea"]


def test_what_is_over_can_not_take_the_place_of_what_was_said_since(open_memory: Opener) -> None:
    first = open_memory().store_memory(TEA, context={"expires_at": NOON + timedelta(hours=1)}).memory_id
    late = open_memory(now=lambda: NOON + timedelta(days=1))
    late.store_memory(TEA)
    error = refusal(lambda: late.update_memory(memory_id=first, durability="durable"))
    assert error.code is ErrorCode.NOT_FOUND  # archived: the same was said again

"""`memory_timeline` through the tool call: buckets, topics, changes, pages."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from commonplace import Commonplace
from commonplace.domain.analysis import TimelineResult
from commonplace.use_cases.timeline import PAGE
from tests.conftest import NOON, refusal

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]


def told(memory: Commonplace, text: str, day: str) -> str:
    return memory.memory_store(text, {"type": "fact", "tags": [text.split()[-1].strip(".")]}, place={"event_time": day}).id


def days(result: TimelineResult) -> list[tuple[str, int]]:
    return [(f"{bucket.start:%Y-%m-%d}", bucket.count) for bucket in result.buckets]


def test_memories_stand_where_things_happened_and_else_where_they_were_stored(memory: Commonplace) -> None:
    told(memory, "Ana ran a marathon.", "2025-12-31")
    told(memory, "Ana bought a cello.", "2026-01-01")
    told(memory, "Ana sold the piano.", "2026-01-31T23:59:59")
    memory.store_memory("Ana drinks tea.")
    assert days(memory.memory_timeline()) == [("2025-12-01", 1), ("2026-01-01", 2), ("2026-05-01", 1)]
    assert days(memory.memory_timeline(granularity="year")) == [("2025-01-01", 1), ("2026-01-01", 3)]
    assert days(memory.memory_timeline(granularity="week"))[:2] == [("2025-12-29", 2), ("2026-01-26", 1)]
    first = memory.memory_timeline(granularity="day").buckets[0]
    assert first.end - first.start == timedelta(days=1)
    assert first.start.utcoffset() == timedelta(hours=1)


def test_a_period_is_half_open(memory: Commonplace) -> None:
    for day in ("2026-01-01", "2026-02-01", "2026-03-01"):
        told(memory, f"Ana ran on {day}.", day)
    assert days(memory.memory_timeline(after="2026-02-01")) == [("2026-02-01", 1), ("2026-03-01", 1)]
    assert days(memory.memory_timeline(before="2026-02-01")) == [("2026-01-01", 1)]
    assert days(memory.memory_timeline(after="2026-02-01", before="2026-03-01")) == [("2026-02-01", 1)]


def test_a_topic_wants_each_of_its_words(memory: Commonplace) -> None:
    told(memory, "Ana drinks green tea.", "2026-01-05")
    told(memory, "Ana eats green apples.", "2026-02-05")
    assert days(memory.memory_timeline(topic="the green teas")) == [("2026-01-01", 1)]
    assert days(memory.memory_timeline(topic="green")) == [("2026-01-01", 1), ("2026-02-01", 1)]
    assert memory.memory_timeline(topic="cello").buckets == []
    for topic in ("", "the", "?"):
        error = refusal(partial(memory.memory_timeline, topic=topic))
        assert (error.code.label, error.field) == ("empty_text", "topic")


def test_a_change_shows_the_old_value_beside_the_new_one(open_memory: Opener) -> None:
    clock = [NOON - timedelta(days=90)]
    memory = open_memory(now=lambda: clock[0])
    old = memory.write_memory("role", "Ana is a nurse.", "work_context", "durable").memory_id
    clock[0] = NOON
    new = memory.update_memory("role", "Ana is a teacher.").memory_id
    (bucket,) = memory.memory_timeline().buckets
    assert (f"{bucket.start:%Y-%m}", bucket.count) == ("2026-05", 1)
    (change,) = bucket.changes
    assert (change.at, change.old.id, change.old.content, change.new.id, change.new.content) == (
        NOON, old, "Ana is a nurse.", new, "Ana is a teacher.",
    )  # fmt: skip
    assert len(memory.memory_timeline(after=NOON).buckets[0].changes) == 1
    assert memory.memory_timeline(before=NOON).buckets == []
    memory.delete_memory("role")
    assert memory.memory_timeline().buckets == []


def test_the_last_changes_of_many_are_shown(open_memory: Opener) -> None:
    clock = [NOON]
    memory = open_memory(now=lambda: clock[0])
    memory.write_memory("mood", "Ana counts 0 sheep.", "preference", "durable")
    for number in range(1, 13):
        clock[0] = NOON + timedelta(minutes=number)
        memory.update_memory("mood", f"Ana counts {number} sheep.")
    answer = memory.memory_timeline()
    assert [change.new.content for change in answer.buckets[0].changes] == [f"Ana counts {at} sheep." for at in range(3, 13)]
    assert answer.notes is not None
    assert answer.notes.partial == "of a bucket the last 10 changes are shown"


def test_pages_lead_on_without_a_gap_and_sum_to_all(memory: Commonplace) -> None:
    for number in range(PAGE + 5):
        told(
            memory,
            f"Ana ran {number} miles.",
            f"{datetime(2025, 1, 1, 12, tzinfo=UTC) + timedelta(days=2 * number):%Y-%m-%d}",
        )
    first = memory.memory_timeline(granularity="day")
    assert (len(first.buckets), first.cursor is not None) == (PAGE, True)
    rest = memory.memory_timeline(granularity="day", cursor=first.cursor)
    assert (len(rest.buckets), rest.cursor) == (5, None)
    assert sum(bucket.count for bucket in (*first.buckets, *rest.buckets)) == memory.memory_stats().total
    assert first.buckets[-1].end <= rest.buckets[0].start
    assert first.cursor is not None
    for wrong in (first.cursor[:-2] + "AA", "2025-01-01", memory.store_memory("Ana sings.").memory_id):
        error = refusal(partial(memory.memory_timeline, granularity="day", cursor=wrong))
        assert (error.code.status, error.field) == (400, "cursor")
    assert refusal(lambda: memory.memory_timeline(granularity="week", cursor=first.cursor)).field == "cursor"


def test_what_another_agent_or_user_knows_is_not_there(open_memory: Opener) -> None:
    memory = open_memory()
    memory.memory_store_personal("I cook.", "The user cooks.", "habit", ["cooking"], agent_id="chef")
    assert memory.memory_timeline().buckets == []
    assert open_memory(agent_id="chef").memory_timeline().buckets[0].count == 1
    assert open_memory(user_id="ben").memory_timeline().buckets == []


def test_concepts_are_those_of_most_memories_with_aliases_taken_for_one(memory: Commonplace) -> None:
    for text in ("I learned JavaScript.", "I use JS at work.", "JavaScript is fun for me.", "I play the cello."):
        memory.store_memory(text)
    shown = memory.memory_timeline().buckets[0].concepts
    assert shown[0].lower() == "javascript"
    assert "js" not in [name.lower() for name in shown]
    assert len(shown) <= 5

"""`memory_stats` through the tool call: what is in there, counted, and the laws that its numbers keep."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from commonplace import Commonplace
from tests.conftest import NOON

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]
DAY = timedelta(days=1)


def test_what_is_there_is_counted_by_its_headings(memory: Commonplace) -> None:
    memory.write_memory("role", "Ana is a nurse.", "work_context", "durable")
    memory.write_memory("drink", "Ana drinks tea.", "preference", "daily")
    memory.memory_store("Ana decides fast.", {"type": "insight", "tags": ["decisions", "speed"]}, collection="coach")
    told = memory.memory_stats()
    assert (told.total, told.as_of, told.notes) == (3, NOON, None)
    assert told.by.collection == {"default": 2, "coach": 1}
    assert told.by.durability == {"durable": 2, "daily": 1}
    assert {"work_context": 1, "preference": 1}.items() <= told.by.section.items()
    assert told.by.status == {"active": 3}
    assert [(one.up_to_days, one.count) for one in told.age] == [(7, 3), (30, 0), (90, 0), (365, 0), (None, 0)]
    assert [(one.month, one.added, one.closed) for one in told.growth] == [("2026-05", 3, 0)]
    assert {"decisions", "speed"} <= {one.tag for one in told.tags.top}
    assert told.record_bytes > 1_000


def test_nothing_is_counted_as_nothing(memory: Commonplace) -> None:
    told = memory.memory_stats()
    assert (told.total, told.by.category, told.growth, told.tags.reuse_rate, told.record_bytes) == (0, {}, [], 0.0, 0)
    assert told.health.score == 1.0


def test_what_was_replaced_deleted_or_is_over_is_closed_in_its_month(open_memory: Opener) -> None:
    clock = [NOON - 100 * DAY]
    memory = open_memory(now=lambda: clock[0])
    memory.write_memory("drink", "Ana drinks tea.", "preference", "durable")
    gone = memory.store_memory("Ana plays chess on Mondays.").memory_id
    over = {"expires_at": (NOON - DAY).isoformat()}
    memory.store_memory("The voucher is for the bakery.", context={"expires_at": over["expires_at"]})
    clock[0] = NOON
    memory.update_memory("drink", "Ana drinks coffee.")
    memory.delete_memory(memory_id=gone)
    told = memory.memory_stats()
    assert told.by.status == {"active": 1, "deleted": 1, "expired": 1, "superseded": 1}
    assert [(one.month, one.added, one.closed) for one in told.growth] == [("2026-02", 3, 0), ("2026-05", 1, 3)]
    state = memory.discover_memory_tools().current_system_state
    assert told.health.parts.expired == 0.0  # the voucher ended when it should
    assert (told.health.score, state.health_score, state.optimization_opportunities) == (1.0, 1.0, [])
    memory.erase(gone)
    assert "deleted" not in memory.memory_stats().by.status


def test_a_period_takes_in_its_beginning_and_leaves_out_its_end(open_memory: Opener) -> None:
    for days in (2, 1, 0):
        open_memory(now=lambda days=days: NOON - days * DAY).store_memory(f"Ana ran {days} miles.")
    memory = open_memory()
    assert memory.memory_stats(after=NOON - DAY).total == 2
    assert memory.memory_stats(before=NOON - DAY).total == 1
    assert memory.memory_stats(after=NOON - 2 * DAY, before=NOON).total == 2
    assert memory.memory_stats(after=NOON, before=NOON - DAY).total == 0
    assert memory.memory_stats(before="9999-01-01").total == 3


def test_an_agent_counts_what_it_sees(open_memory: Opener) -> None:
    memory = open_memory()
    memory.store_memory("Ana drinks tea.")
    memory.memory_store_personal("I cook.", "The user cooks.", "habit", ["secret-tag"], agent_id="chef")
    assert memory.memory_stats().total == 1
    assert "secret-tag" not in {one.tag for one in memory.memory_stats().tags.top}
    assert open_memory(agent_id="chef").memory_stats().total == 2
    assert open_memory(user_id="ben").memory_stats().total == 0


def test_months_are_those_of_the_zone_and_utc_is_told_where_none_is_known(open_memory: Opener) -> None:
    evening = datetime(2026, 5, 31, 23, 30, tzinfo=UTC)
    open_memory(now=lambda: evening).store_memory("Ana drinks tea.")
    utc, tokyo = open_memory(now=lambda: evening), open_memory(now=lambda: evening, timezone="Asia/Tokyo")
    assert [one.month for one in utc.memory_stats().growth] == ["2026-05"]
    assert [one.month for one in tokyo.memory_stats().growth] == ["2026-06"]
    notes = utc.memory_stats().notes
    assert notes is not None
    assert notes.warnings == ["no time zone is known: days and months are in UTC"]
    assert tokyo.memory_stats().notes is None
    assert open_memory(now=lambda: evening, timezone="UTC").memory_stats().notes is None


def test_a_wrong_argument_is_named(memory: Commonplace) -> None:
    for field, value in (("after", "yesterday"), ("before", 5.5e30), ("tags", [])):
        status, body = memory.answer("memory_stats", {field: value})
        assert (status, body["error"]["field"]) == (400, field)

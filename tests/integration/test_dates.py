"""Dates at the edge of the calendar: refused where they come in, held where they are stored, and nothing stops for one."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.domain.fields import EARLIEST, LATEST
from tests.conftest import NOON

pytestmark = pytest.mark.integration
BREAKERS = ("0001-01-01T00:00:00+14:00", "9001-01-01T00:00:00Z", "9998-12-31T00:00:00-05:00")
FAR_EAST, FAR_WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))


def said(at: object) -> dict[str, object]:
    return {"session_id": "s", "position": 1, "event_time": at}


TAKEN: dict[str, tuple[str, Callable[[object], dict[str, Any]]]] = {
    "context.place.event_time": ("store_memory", lambda at: {"content": "I drink tea.", "context": {"place": said(at)}}),
    "context.expires_at": ("store_memory", lambda at: {"content": "I drink tea.", "context": {"expires_at": at}}),
    "place.event_time": (
        "memory_store_personal",
        lambda at: {"raw_text": "tea", "normalized": "tea", "type": "preference", "tags": ["tea"], "place": said(at)},
    ),
    "options.time_range.after": ("search_memory", lambda at: {"query": "tea", "options": {"time_range": {"after": at}}}),
    "options.time_range.before": ("list_memories", lambda at: {"options": {"time_range": {"before": at}}}),
    "expires_at": ("update_memory", lambda at: {"key": "drink", "expires_at": at}),
}


@pytest.mark.parametrize("at", BREAKERS)
@pytest.mark.parametrize("field", TAKEN)
def test_a_tool_refuses_it_by_the_name_of_its_field(memory: Commonplace, field: str, at: str) -> None:
    memory.write_memory("drink", "I drink tea.", "preference", "durable")
    tool, arguments = TAKEN[field]
    status, answer = memory.answer(tool, arguments(at))
    assert (status, answer["error"]["field"]) == (400, field)
    assert "years 1 to 9000" in answer["error"]["message"]
    assert not answer["error"]["retryable"]


@pytest.mark.parametrize(("at", "zone"), [("0001-01-01T03:00:00", FAR_EAST), ("9000-12-31T22:00:00", FAR_WEST)])
def test_the_zone_counts_where_there_is_no_offset(open_memory: Callable[..., Commonplace], at: str, zone: timezone) -> None:
    memory = open_memory(now=lambda: NOON.astimezone(zone))
    for field, (tool, arguments) in TAKEN.items():
        if tool != "update_memory":
            status, answer = memory.answer(tool, arguments(at))
            assert (status, answer["error"]["field"]) == (400, field)
    with pytest.raises(CommonplaceError, match=r"turns\.0\.event_time: must be in the years 1 to 9000"):
        memory.import_turns([{"speaker": "user", "text": "tea", **said(at)}])


@pytest.mark.parametrize("at", BREAKERS)
def test_imports_and_interactions_refuse_it(memory: Commonplace, at: str) -> None:
    with pytest.raises(CommonplaceError, match="event_time: must be in the years 1 to 9000") as caught:
        memory.import_turns([{"speaker": "user", "text": "tea", **said(at)}])
    assert caught.value.field == "turns.0.event_time"
    for kind in ({"type": "explicit"}, {"type": "page"}):
        done = memory.record_interactions([{**kind, "text": "remember the tea", "time": at}])
        assert [one.field for one in done.refused] == ["time"]
    assert list(memory.export()) == []


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"])
def test_the_first_and_the_last_moment_are_taken_everywhere(
    open_memory: Callable[..., Commonplace], tmp_path: Path, zone: str
) -> None:
    memory = open_memory(now=lambda: NOON.astimezone(ZoneInfo(zone)))
    for number, at in enumerate((EARLIEST, LATEST)):
        place: Any = {**said(at.isoformat()), "position": number}
        memory.store_memory(f"Tea number {number}.", context={"place": place, "expires_at": LATEST.isoformat()})
    memory.write_markdown(tmp_path / "pages")
    assert len(list((tmp_path / "pages" / "memory").iterdir())) == 2
    assert memory.search_memory("tea number", options={"time_range": {"after": EARLIEST, "before": LATEST}}).results
    for query in ("tea yesterday", "tea in the year 1", "tea in 9000", "tea last week"):
        assert memory.search_memory(query).results
    assert memory.get_memory_context("tea").memory_ids


@pytest.mark.parametrize("at", ["9999-12-31", "9999-12-31T23:59:59-11:00", "9999-01-01T00:00:00+14:00"])
def test_the_year_9999_means_never(memory: Commonplace, at: str) -> None:
    memory.store_memory("I drink tea.", context={"expires_at": at})
    memory.write_memory("drink", "I drink coffee.", "preference", "daily")
    memory.update_memory("drink", expires_at=at)
    for record in memory.export():
        assert (record["expires_at"], record["purge_at"], record["durability"]) == (None, None, "durable")
    assert memory.search_memory("tea", options={"time_range": {"before": at}}).results
    with pytest.raises(CommonplaceError, match="durability: daily memories always expire"):
        memory.update_memory("drink", expires_at=at, durability="daily")


@pytest.fixture
def old_file(memory_file: Path, open_memory: Callable[..., Commonplace]) -> Path:
    """A file in which an older version has stored dates beyond the bounds."""
    with_dates = {"event_time": "0001-01-01T00:00:00+14:00", "expires_at": "9999-12-31T00:00:00Z", "purge_at": None}
    memory = open_memory()
    stored = memory.store_memory("I drink tea.", context={"expires_at": "2030-01-01"})
    memory.store_memory("I drink coffee.")
    memory.close()
    with closing(sqlite3.connect(memory_file, isolation_level=None)) as connection:
        (record,) = connection.execute("SELECT record FROM memories WHERE memory_id = ?", (stored.memory_id,)).fetchone()
        older = json.dumps({**json.loads(record), **with_dates})
        happened = datetime.fromisoformat(with_dates["event_time"] or "")
        connection.execute(
            "UPDATE memories SET record = ?, happened_at = ?, happened_day = ?, expires_at = ? WHERE memory_id = ?",
            (older, happened.timestamp(), happened.toordinal(), 253402214400.0, stored.memory_id),
        )
    return memory_file


def test_a_record_from_before_the_bounds_is_read_as_the_nearest(
    old_file: Path, open_memory: Callable[..., Commonplace], tmp_path: Path
) -> None:
    assert old_file.exists()
    memory = open_memory(now=lambda: NOON.astimezone(FAR_WEST))
    assert memory.search_memory("tea").results[0].content == "I drink tea."
    assert len(memory.list_memories().memories) == 2
    memory.write_markdown(tmp_path / "pages")
    (record,) = [one for one in memory.export() if one["raw_text"] == "I drink tea."]
    assert datetime.fromisoformat(record["event_time"]) == EARLIEST
    assert datetime.fromisoformat(record["expires_at"]) == LATEST
    report = memory.check()
    assert report.flaws.held == {record["memory_id"]: ["event_time", "expires_at"]}
    assert (report.records, report.flaws.unreadable, report.faults) == (2, {}, [])
    assert memory.erase(record["memory_id"]).ids == (record["memory_id"],)


def test_an_import_takes_such_a_record_and_names_it(memory: Commonplace, tmp_path: Path) -> None:
    memory.store_memory("I drink tea.", context={"expires_at": "2030-01-01"})
    (record,) = memory.export()
    older = {**record, "created_at": BREAKERS[0], "updated_at": BREAKERS[0], "purge_at": "9999-12-31T00:00:00-11:00"}
    with Commonplace(tmp_path / "other.db", user_id="ben", now=lambda: NOON) as other:
        planned = other.import_records([older])
        done = other.import_records([older], apply=True)
        assert planned.added == done.added == 1
        assert done.held == {record["memory_id"]: ["created_at", "updated_at", "purge_at"]}
        (kept,) = other.export()
        assert datetime.fromisoformat(kept["created_at"]) == EARLIEST
        other.store_memory("I drink coffee.")
        assert other.search_memory("tea").results


def test_an_old_interaction_of_any_date_is_read_by_a_night(
    memory_file: Path, open_memory: Callable[..., Commonplace]
) -> None:
    memory = open_memory()
    wish = {"type": "explicit", "text": "Remember that I am allergic to peanuts.", "id": "one"}
    memory.record_interactions([wish])
    with closing(sqlite3.connect(memory_file, isolation_level=None)) as connection:
        (body,) = connection.execute("SELECT interaction FROM interactions").fetchone()
        body = json.dumps({**json.loads(body), "time": BREAKERS[0]})
        connection.execute("UPDATE interactions SET interaction = ?, time = ?, seconds = -1e11", (body, BREAKERS[0]))
    run = memory.nightly()
    assert (run.status, run.interactions, run.unread) == ("done", ("one",), ())
    assert [one["raw_text"] for one in memory.export()] == ["I am allergic to peanuts."]


def page_of(folder: Path, day: str, like: str) -> None:
    """A page of ours under another day, with one entry added."""
    text = (folder / like).read_text("utf-8")
    (folder / "memory" / f"{day}.md").write_text(text.replace("<!-- end", "- I saw the end.\n<!-- end"), "utf-8")


@pytest.mark.parametrize(("day", "zone"), [("0001-01-01", FAR_EAST), ("9500-06-01", UTC), ("9999-12-31", FAR_WEST)])
def test_a_page_of_such_a_day_is_refused_entry_by_entry(
    open_memory: Callable[..., Commonplace], tmp_path: Path, day: str, zone: timezone
) -> None:
    memory = open_memory(now=lambda: NOON.astimezone(zone))
    memory.write_memory("note", "I have a cold.", "personal_context", "daily")
    memory.write_markdown(tmp_path)
    (written,) = (tmp_path / "memory").iterdir()
    page_of(tmp_path, day, f"memory/{written.name}")
    report = memory.apply_markdown(tmp_path, dry_run=False)
    (refused,) = [one.operation.why for one in report.operations if "years 1 to 9000" in one.operation.why]
    assert "event_time" in refused
    assert [one["raw_text"] for one in memory.export()] == ["I have a cold."]

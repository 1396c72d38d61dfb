"""The user's time is of their zone by its name, whichever clock tells it: an offset knows of no summer time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.settings import Settings

pytestmark = pytest.mark.integration

WINTER, SUMMER = timezone(timedelta(hours=1)), timezone(timedelta(hours=2))
SATURDAY = datetime(2026, 3, 28, 12, 0, tzinfo=WINTER)
MONDAY = datetime(2026, 3, 30, 0, 30, tzinfo=SUMMER)  # clocks were put forward on Sunday at 2


@pytest.mark.parametrize("named", ["argument", "settings"])
def test_a_time_without_an_offset_has_that_of_its_own_day(memory_file: Path, named: str) -> None:
    zone = {"timezone": "Europe/Berlin"}
    settings = Settings(db=memory_file, **(zone if named == "settings" else {}))
    given = zone if named == "argument" else {}
    with Commonplace(memory_file, user_id="ana", now=lambda: SATURDAY, settings=settings, **given) as memory:
        memory.store_memory("The choir sings on Monday.", context={"place": {"event_time": "2026-03-30T09:00:00"}})
        (record,) = memory.export()
    assert record["event_time"] == "2026-03-30T09:00:00+02:00"
    assert record["created_at"] == "2026-03-28T12:00:00+01:00"


@pytest.mark.parametrize("clock", [MONDAY, MONDAY.astimezone(UTC)], ids=["summer's offset", "utc"])
def test_yesterday_is_the_day_of_23_hours(open_memory: Callable[..., Commonplace], clock: datetime) -> None:
    memory = open_memory(now=lambda: clock, timezone="Europe/Berlin")
    span = memory.search_memory("what did I read about tides yesterday?").query_analysis.time_range
    assert span is not None
    assert span.after == datetime(2026, 3, 29, tzinfo=WINTER)
    assert span.before == datetime(2026, 3, 30, tzinfo=SUMMER)


def test_a_clock_goes_by_its_own_zone_where_none_is_named(open_memory: Callable[..., Commonplace]) -> None:
    open_memory(now=lambda: MONDAY.astimezone(UTC)).store_memory("The tide was high.")
    (record,) = open_memory().export()
    assert record["created_at"] == "2026-03-29T22:30:00Z"


def test_an_unknown_zone_is_refused_beside_a_clock_too(open_memory: Callable[..., Commonplace]) -> None:
    with pytest.raises(CommonplaceError, match="timezone"):
        open_memory(now=lambda: MONDAY, timezone="Mars/Olympus")

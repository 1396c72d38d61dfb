"""The laws of the timeline: each visible memory of the period stands in one bucket, and the buckets are the calendar's."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.analysis import TimelineRequest
from commonplace.domain.outline import Outline
from commonplace.domain.taxonomy import Granularity
from commonplace.ports.values import Visibility
from commonplace.use_cases.statistics import day_of
from commonplace.use_cases.timeline import day_after, first_day, spans_of
from tests.examples import examples
from tests.unit.use_cases.outlines import OUTLINES

NOW = datetime(2026, 5, 20, 12, tzinfo=ZoneInfo("Europe/Berlin"))
SEEN = Visibility("local|ana", ("global",), NOW)
GRANULARITIES: list[Granularity] = list(get_args(Granularity))
ZONES = ["UTC", "Pacific/Kiritimati", "America/Caracas", "Europe/Amsterdam", "Australia/Lord_Howe"]
DAYS = st.datetimes(datetime(1, 1, 2), datetime(8999, 12, 31)).map(lambda moment: moment.replace(tzinfo=UTC))
ENDS = st.none() | DAYS


@examples(200)
@given(st.lists(OUTLINES, max_size=30), st.sampled_from(GRANULARITIES), st.sampled_from(ZONES), ENDS, ENDS)
def test_counts_sum_to_what_is_visible_and_of_the_period(
    outlines: list[Outline], granularity: Granularity, zone: str, after: datetime | None, before: datetime | None
) -> None:
    request = TimelineRequest(after=after, before=before, granularity=granularity)
    spans = spans_of(outlines, SEEN, request, ZoneInfo(zone))
    low, high = after.timestamp() if after else -1e12, before.timestamp() if before else 1e12
    expected = [
        one.memory_id for one in outlines if one.is_visible(SEEN.agents, NOW.timestamp()) and low <= one.happened_at < high
    ]
    assert sorted(one.memory_id for span in spans for one in span.seen) == sorted(expected)
    assert all(span.seen or span.replaced for span in spans)
    for span, later in pairwise(spans):
        assert day_after(span.first, granularity) <= later.first
    for span in spans:
        assert first_day(span.first, granularity) == span.first
        for one in span.seen:
            assert span.first <= day_of(one.happened_at, ZoneInfo(zone)) < day_after(span.first, granularity)


@given(st.dates(max_value=date(9000, 12, 31)), st.sampled_from(GRANULARITIES))
def test_buckets_follow_each_other_without_a_gap(day: date, granularity: Granularity) -> None:
    first = first_day(day, granularity)
    end = day_after(first, granularity)
    assert first <= day < end
    assert first_day(end, granularity) == end
    assert first_day(end - timedelta(days=1), granularity) == first


@pytest.mark.parametrize(
    ("granularity", "first", "end"),
    [
        ("day", date(2024, 2, 29), date(2024, 3, 1)), ("week", date(2024, 2, 26), date(2024, 3, 4)),
        ("month", date(2024, 2, 1), date(2024, 3, 1)), ("year", date(2024, 1, 1), date(2025, 1, 1)),
    ],
)  # fmt: skip
def test_a_leap_day_stands_in_its_day_week_month_and_year(granularity: Granularity, first: date, end: date) -> None:
    assert first_day(date(2024, 2, 29), granularity) == first
    assert day_after(first, granularity) == end

"""The laws of the statistics: whatever is kept, the parts sum to the whole."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.outline import Outline
from commonplace.ports.values import Statistics
from commonplace.use_cases.discover import health, health_parts
from commonplace.use_cases.statistics import counted
from tests.examples import examples
from tests.unit.use_cases.outlines import OUTLINES

NOW = datetime(2026, 5, 20, 12, tzinfo=ZoneInfo("Europe/Berlin"))
EMPTY = Statistics(0, 0, 0, 0, 0, 0, 0)


@examples(200)
@given(st.lists(OUTLINES, max_size=30), st.sampled_from(["UTC", "Pacific/Kiritimati", "America/Caracas", "Europe/Amsterdam"]))
def test_every_breakdown_sums_to_the_total(stored: list[Outline], zone: str) -> None:
    told = counted(stored, EMPTY, NOW.astimezone(ZoneInfo(zone)))
    by = told.by.model_dump()
    status = by.pop("status")
    assert {name: sum(counts.values()) for name, counts in by.items()} == dict.fromkeys(by, told.total)
    assert sum(status.values()) == len(stored)
    assert status.get("active", 0) == told.total == sum(one.count for one in told.age)
    assert sum(one.added for one in told.growth) == len(stored)
    assert sum(one.closed for one in told.growth) == len(stored) - told.total
    assert told.record_bytes == sum(one.record_bytes for one in stored if one.is_live(NOW.timestamp()))
    months = [one.month for one in told.growth]
    assert months == sorted(set(months))
    assert all(one.added or one.closed for one in told.growth)


@given(st.lists(OUTLINES, max_size=30))
def test_tags_are_counted_once_a_memory(stored: list[Outline]) -> None:
    told = counted(stored, EMPTY, NOW).tags
    counts = [one.count for one in told.top]
    assert counts == sorted(counts, reverse=True)
    assert (told.distinct, told.assignments, told.used_once) == (len(counts), sum(counts), counts.count(1))
    assert told.reuse_rate == pytest.approx(1 - told.distinct / told.assignments if counts else 0.0, abs=0.001)


@given(st.builds(Statistics, *[st.integers(0, 100)] * 5, tags=st.integers(0, 100), single_tags=st.integers(0, 100)))
def test_the_score_is_one_less_its_parts_and_never_below_nothing(state: Statistics) -> None:
    parts = health_parts(state)
    assert health(state) == pytest.approx(max(0.0, 1 - sum(parts.values())), abs=0.001)
    assert all(part >= 0 for part in parts.values())


@pytest.mark.parametrize(
    ("state", "parts"),
    [
        (EMPTY, (0, 0, 0)),
        (
            Statistics(active=3, expired=1, unused=0, without_vector=0, other_embedding=2, tags=0, single_tags=0),
            (0.25, 0.5, 0),
        ),
        (Statistics(10, 0, 0, 0, 0, tags=20, single_tags=15), (0, 0, 0.05)),
        (Statistics(10, 0, 0, 0, 0, tags=19, single_tags=19), (0, 0, 0)),
    ],
)
def test_each_part_is_what_the_formula_takes(state: Statistics, parts: tuple[float, ...]) -> None:
    assert tuple(health_parts(state).values()) == pytest.approx(parts)

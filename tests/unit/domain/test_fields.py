"""The checks of values that requests share."""

from datetime import UTC, datetime, timedelta

import pytest

from commonplace.domain.fields import within

NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
BEFORE, AFTER = NOON - timedelta(seconds=1), NOON + timedelta(seconds=1)
NEVER = datetime(9999, 12, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("after", "before", "inside"),
    [
        (None, None, True), (NOON, None, True), (AFTER, None, False), (None, NOON, False), (None, AFTER, True),
        (BEFORE, AFTER, True), (NOON, NOON, False), (BEFORE, NEVER, True), (AFTER, NEVER, False),
    ],
)  # fmt: skip
def test_a_period_has_its_beginning_and_not_its_end(after: datetime | None, before: datetime | None, inside: bool) -> None:
    assert within(NOON, after, before) is inside

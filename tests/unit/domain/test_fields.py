"""The checks of values that requests share."""

from datetime import UTC, datetime, timedelta

import pytest

from commonplace.domain.documents import Document
from commonplace.domain.fields import Model, Notes, within
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Run, RunOperation
from commonplace.settings import Settings

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


def test_a_copy_refuses_a_field_that_the_model_does_not_have() -> None:
    with pytest.raises(TypeError, match="Notes has no field warning"):
        Notes().model_copy(update={"warning": ["x"]})
    assert Notes().model_copy(update={"warnings": ["x"]}).warnings == ["x"]


def test_every_model_that_is_copied_refuses_unknown_fields() -> None:
    assert all(issubclass(model, Model) for model in (Memory, Run, RunOperation, Document, Settings))

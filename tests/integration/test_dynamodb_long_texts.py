"""Runs and parts that are longer than an item: whole or not at all, whenever their writer dies, and nothing stays behind."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from commonplace.adapters.dynamodb.calls import Table, connect, partition_condition
from commonplace.adapters.dynamodb.long_texts import named, text_of
from commonplace.adapters.dynamodb.runs import DynamoRuns
from commonplace.adapters.dynamodb.table import ITEM, OVERFLOW, PART, RUN
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.runs import Run
from commonplace.ports.values import Fence
from tests.conftest import NOON
from tests.contract.test_runs import ANA, MINUTE, code_of, long_run, noise, run_of
from tests.dynamodb_faults import Faults, refusing
from tests.dynamodb_tables import PATIENT

pytestmark = pytest.mark.integration
DEATH = refusing("ValidationException")  # nothing that is tried again
FIRST, SECOND = noise(800_000, 1), noise(800_000, 2)  # two rows each
RUN_ID = run_of().run_id


@pytest.fixture
def mortal(dynamodb_client: object, dynamodb_url: str) -> Any:
    """A client of its own, since faults stay with it."""
    return connect("eu-central-1", dynamodb_url, PATIENT)


def runs_of(client: Any, table_name: str) -> DynamoRuns:
    return DynamoRuns(Table(client, table_name, lambda: PATIENT))


def fence_of(runs: DynamoRuns, minutes: int = 0) -> Fence:
    fence = runs.lease(ANA, NOON + minutes * MINUTE, NOON + (minutes + 10) * MINUTE)
    assert fence is not None
    return fence


def rows(table: Table, prefix: str) -> list[Any]:
    return [row for page in table.calls().pages(*partition_condition(ANA, prefix)) for row in page]


def dying(written: int) -> Iterator[Callable[..., AWSResponse] | None]:
    """Some transactions are written, the next is not."""
    return iter([*[None] * written, DEATH])


@pytest.mark.parametrize("written", [0, 1, 2])
def test_a_part_whose_writer_died_is_not_there(mortal: Any, table_name: str, dynamodb_table: Table, written: int) -> None:
    runs = DynamoRuns(dynamodb_table)
    fence = fence_of(runs)
    Faults(mortal, "TransactWriteItems", dying(written))
    with pytest.raises(CommonplaceError):
        runs_of(mortal, table_name).save_part(run_of(), "plan", FIRST, fence)
    assert runs.part(ANA, RUN_ID, "plan") is None
    assert len(rows(dynamodb_table, OVERFLOW)) == written
    runs.save_part(run_of(), "plan", SECOND, fence)
    assert runs.part(ANA, RUN_ID, "plan") == SECOND
    runs.drop_parts(ANA, RUN_ID, keep=["plan"])
    assert runs.part(ANA, RUN_ID, "plan") == SECOND
    assert len(rows(dynamodb_table, OVERFLOW)) == 2
    runs.drop_parts(ANA, RUN_ID)
    assert rows(dynamodb_table, OVERFLOW) == rows(dynamodb_table, PART) == []


@pytest.mark.parametrize("written", [0, 1])
def test_a_part_that_was_let_go_of_half_goes_with_the_next_attempt(
    mortal: Any, table_name: str, dynamodb_table: Table, written: int
) -> None:
    runs = DynamoRuns(dynamodb_table)
    runs.save_part(run_of(), "plan", FIRST, fence_of(runs))
    Faults(mortal, "TransactWriteItems", dying(written))
    with pytest.raises(CommonplaceError):
        runs_of(mortal, table_name).drop_parts(ANA, RUN_ID)
    assert runs.part(ANA, RUN_ID, "plan") == (None if written else FIRST)
    runs.drop_parts(ANA, RUN_ID)
    assert rows(dynamodb_table, OVERFLOW) == rows(dynamodb_table, PART) == []


@pytest.mark.parametrize("written", [0, 1, 2])
def test_a_run_whose_writer_died_is_as_it_was(mortal: Any, table_name: str, dynamodb_table: Table, written: int) -> None:
    runs, before = DynamoRuns(dynamodb_table), long_run()
    fence, after = fence_of(runs), before.model_copy(update={"candidates": 3})
    runs.save(before, fence)
    Faults(mortal, "TransactWriteItems", dying(written))
    with pytest.raises(CommonplaceError):
        runs_of(mortal, table_name).save(after, fence)
    assert runs.get(ANA, RUN_ID) == before
    runs.save(after, fence)
    assert runs.get(ANA, RUN_ID) == after
    (row,) = rows(dynamodb_table, RUN)
    assert sorted(named(row)) == [other[ITEM]["S"] for other in rows(dynamodb_table, OVERFLOW)]


def test_a_run_that_grew_short_leaves_no_rows(dynamodb_table: Table) -> None:
    runs = DynamoRuns(dynamodb_table)
    fence = fence_of(runs)
    runs.save(long_run(1), fence)
    runs.save(long_run(2), fence)
    runs.save(run_of(1), fence)
    (_, other) = rows(dynamodb_table, RUN)
    assert sorted(named(other)) == [row[ITEM]["S"] for row in rows(dynamodb_table, OVERFLOW)]
    assert (runs.get(ANA, RUN_ID), runs.get(ANA, run_of(2).run_id)) == (run_of(1), long_run(2))


def test_who_loses_the_lease_half_way_writes_no_more(mortal: Any, table_name: str, dynamodb_table: Table) -> None:
    runs = DynamoRuns(dynamodb_table)
    fence = fence_of(runs)

    def overtaken() -> Iterator[None]:
        yield None
        fence_of(runs, minutes=10)
        yield None

    Faults(mortal, "TransactWriteItems", overtaken())
    with pytest.raises(CommonplaceError) as caught:
        runs_of(mortal, table_name).save_part(run_of(), "plan", FIRST, fence)
    assert code_of(caught) is ErrorCode.LEASE_LOST
    assert len(rows(dynamodb_table, OVERFLOW)) == 1
    assert runs.part(ANA, RUN_ID, "plan") is None


def test_who_reads_while_it_is_written_anew_gets_the_new_one(dynamodb_table: Table) -> None:
    runs, calls = DynamoRuns(dynamodb_table), dynamodb_table.calls()
    fence = fence_of(runs)
    runs.save(long_run(), fence)
    (read_before,) = rows(dynamodb_table, RUN)
    runs.save(run_of(candidates=3), fence)
    assert Run.model_validate_json(text_of(calls, read_before) or "") == run_of(candidates=3)

"""The event source mapping, rule by rule, with a function that fails as it is told to."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.batches import Shard, Source

NOW = 1_800_000_000.0


def record(number: int, age: float = 0.0, **more: Any) -> dict[str, Any]:
    return {
        "eventName": "INSERT",
        **more,
        "dynamodb": {"SequenceNumber": str(number), "ApproximateCreationDateTime": NOW - age},
    }


def numbers(event: dict[str, Any]) -> list[int]:
    return [int(each["dynamodb"]["SequenceNumber"]) for each in event["Records"]]


def failures(*failed: object) -> dict[str, Any]:
    return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}


class Function:
    """Remembers each batch it got, and answers what a script says of it; the last word of the script stays."""

    def __init__(self, *script: Any) -> None:
        self.batches: list[list[int]] = []
        self.script = list(script) or [None]

    def __call__(self, event: dict[str, Any]) -> Any:
        self.batches.append(numbers(event))
        said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(said, Exception):
            raise said
        return said


def run(
    function: Callable[[dict[str, Any]], Any], records: Sequence[dict[str, Any]], **source: Any
) -> tuple[Shard, list[Any], list[float]]:
    """The shard after it, what was left behind, and how long it waited each time."""
    left: list[Any] = []
    waits: list[float] = []
    shard = Shard(Source.of({"BatchSize": 4} | source), function, left.append, now=lambda: NOW, wait=waits.append)
    shard.process(records)
    return shard, left, waits


RECORDS = [record(number) for number in range(1, 7)]
PARTIAL = {"FunctionResponseTypes": ["ReportBatchItemFailures"]}


def test_batches_come_in_order_and_the_checkpoint_is_the_last_record() -> None:
    function = Function()
    shard, left, waits = run(function, RECORDS)
    assert function.batches == [[1, 2, 3, 4], [5, 6]]
    assert (shard.checkpoint, left, waits) == ("6", [], [])


@pytest.mark.parametrize("answer", [None, {}, failures(), {"batchItemFailures": None}])
def test_these_answers_are_a_complete_success(answer: Any) -> None:
    function = Function(answer)
    run(function, RECORDS[:2], **PARTIAL)
    assert function.batches == [[1, 2]]


@pytest.mark.parametrize(
    "answer",
    [
        RuntimeError(),
        failures(""),
        failures(None),
        failures("99"),
        failures("2", None),
        {"batchItemFailures": [{"id": "2"}]},
        "ok",
    ],
)
def test_these_answers_are_a_complete_failure(answer: Any) -> None:
    function = Function(answer, None)
    run(function, RECORDS[:3], **PARTIAL)
    assert function.batches == [[1, 2, 3], [1, 2, 3]]


def test_the_lowest_failed_number_is_where_it_goes_on() -> None:
    function = Function(failures("4", "3"), None)
    shard, _, _ = run(function, RECORDS, **PARTIAL)
    assert function.batches == [[1, 2, 3, 4], [3, 4], [5, 6]]
    assert shard.checkpoint == "6"


def test_failures_are_not_read_unless_the_mapping_says_so() -> None:
    function = Function(failures("3"))
    run(function, RECORDS[:4])
    assert function.batches == [[1, 2, 3, 4]]


def test_a_batch_is_split_on_error_without_costing_a_retry() -> None:
    bad = 3

    def function(event: dict[str, Any]) -> None:
        batches.append(numbers(event))
        if bad in numbers(event):
            raise RuntimeError

    batches: list[list[int]] = []
    _, left, _ = run(function, RECORDS, BisectBatchOnFunctionError=True, MaximumRetryAttempts=0)
    assert batches == [[1, 2, 3, 4], [1, 2], [3, 4], [3], [4], [5, 6]]
    assert [told["DDBStreamBatchInfo"]["startSequenceNumber"] for told in left] == ["3"]


def test_a_batch_is_split_where_the_function_says_that_it_failed() -> None:
    function = Function(failures("3"), failures("3"), failures("3"), None)
    _, left, waits = run(function, RECORDS[:4], BisectBatchOnFunctionError=True, **PARTIAL)
    assert function.batches == [[1, 2, 3, 4], [3, 4], [3], [3], [4]]
    assert left == []
    assert len(waits) == 1, "only the record that was alone and failed again had to wait"


def test_after_its_retries_a_batch_is_left_behind_and_its_place_told_and_nothing_of_its_content() -> None:
    function = Function(RuntimeError(), RuntimeError(), RuntimeError(), None)
    secret = [record(number, secret="what was said") for number in range(1, 7)]
    shard, left, waits = run(function, secret, MaximumRetryAttempts=2)
    assert function.batches == [[1, 2, 3, 4]] * 3 + [[5, 6]]
    assert shard.checkpoint == "6"
    assert waits == sorted(waits)
    assert waits[0] < waits[1]
    (told,) = left
    assert told["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert told["requestContext"]["approximateInvokeCount"] == 3
    info = told["DDBStreamBatchInfo"]
    assert (info["startSequenceNumber"], info["endSequenceNumber"], info["batchSize"]) == ("1", "4", 4)
    assert info["approximateArrivalOfFirstRecord"] == "2027-01-15T08:00:00.000Z"
    assert "what was said" not in json.dumps(told)


def test_without_a_limit_it_goes_on_and_on_until_it_works() -> None:
    function = Function(*[RuntimeError()] * 50, None)
    _, left, waits = run(function, RECORDS[:1])
    assert (len(function.batches), left, max(waits)) == (51, [], 10.0)


def test_records_that_are_too_old_are_left_behind_unseen() -> None:
    function = Function()
    _, left, _ = run(
        function, [record(1, age=70), record(2, age=61), record(3, age=60), record(4)], MaximumRecordAgeInSeconds=60
    )
    assert function.batches == [[3, 4]]
    assert [told["requestContext"]["condition"] for told in left] == ["MaximumRecordAgeExceeded"]
    assert left[0]["DDBStreamBatchInfo"]["batchSize"] == 2


def test_what_grows_too_old_while_it_fails_is_left_behind() -> None:
    clock = [NOW]
    left: list[Any] = []
    function = Function(RuntimeError())
    source = Source(age=60)
    shard = Shard(
        source, function, left.append, now=lambda: clock[0], wait=lambda _seconds: clock.__setitem__(0, clock[0] + 25)
    )
    shard.process([record(1)])
    assert len(function.batches) == 3
    assert left[0]["requestContext"] | {"requestId": ""} == {
        "requestId": "", "functionArn": "function", "condition": "MaximumRecordAgeExceeded", "approximateInvokeCount": 3,
    }  # fmt: skip


def test_a_mapping_that_is_stopped_while_it_fails_keeps_its_checkpoint() -> None:
    function = Function(failures("2"), RuntimeError())
    tries: list[float] = []
    source = Source(partial=True)
    shard = Shard(source, function, lambda event: pytest.fail(str(event)), wait=tries.append, stopped=lambda: len(tries) > 3)
    shard.process(RECORDS)
    assert shard.checkpoint == "1"


def test_an_event_is_never_larger_than_an_invocation_may_be() -> None:
    function = Function()
    run(function, [record(number, text="x" * 2_500_000) for number in range(1, 6)])
    assert function.batches == [[1, 2], [3, 4], [5]]


@given(
    st.sets(st.integers(1, 12)), st.booleans(), st.booleans(), st.integers(0, 3), st.integers(1, 12),
)  # fmt: skip
def test_nothing_gets_lost_and_order_holds_whatever_fails(
    bad: set[int], bisect: bool, partial: bool, retries: int, size: int
) -> None:
    done: list[int] = []

    def function(event: dict[str, Any]) -> Any:
        for number in numbers(event):
            if number in bad:
                if partial:
                    return failures(str(number))
                raise RuntimeError
            done.append(number)
        return None

    more: dict[str, Any] = PARTIAL if partial else {}
    shard, left, _ = run(
        function, [record(number) for number in range(1, 13)],
        BatchSize=size, BisectBatchOnFunctionError=bisect, MaximumRetryAttempts=retries, **more,
    )  # fmt: skip
    infos = [told["DDBStreamBatchInfo"] for told in left]
    discarded = {
        number for info in infos for number in range(int(info["startSequenceNumber"]), int(info["endSequenceNumber"]) + 1)
    }
    assert shard.checkpoint == "12"
    assert set(done) | discarded == set(range(1, 13))
    assert bad <= discarded
    first = list(dict.fromkeys(done))
    assert first == sorted(first)
    if bisect:
        assert discarded == bad, "a split finds exactly those that fail"

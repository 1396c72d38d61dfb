"""The laws of the search log, and of what `usage_patterns` tells of it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace.adapters.dynamodb.calls import Table
from commonplace.adapters.dynamodb.usage import DynamoSearchLog
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.search_log import SqliteSearchLog
from commonplace.bootstrap.local import OpenStore
from commonplace.domain.analysis import UsageRequest, UsageResult
from commonplace.domain.requests import SearchRequest
from commonplace.domain.storage import ContextRequest
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.bundle import Ports
from commonplace.ports.usage import SearchLog
from commonplace.ports.values import Caller, LoggedSearch
from commonplace.runs.apply import RunContext
from commonplace.use_cases.context import get_memory_context
from commonplace.use_cases.search import search_memory
from commonplace.use_cases.usage_patterns import usage_patterns
from tests.conftest import NOON
from tests.contract.conftest import Writer

ANA, BEN = "local|ana", "local|ben"
CALLER = Caller(ANA, NOON)  # a Wednesday in Berlin
Logs = Callable[[bool], SearchLog]


class Clock:
    """The machine's clock, which can be set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 20, 10, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def seconds(self) -> float:
        return self.now.timestamp()


@pytest.fixture
def ports(opened: OpenStore) -> Ports:
    return opened.ports


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def logs(opened: OpenStore, request: pytest.FixtureRequest, tmp_path: Path, clock: Clock, writer: Writer) -> Iterator[Logs]:
    """More logs over the same store, as other processes have them."""
    for user_id in (ANA, BEN):
        writer.write("to be known", user_id=user_id)

    def opener(on: bool = True) -> SearchLog:
        if isinstance(opened.ports.search_log, DynamoSearchLog):
            table: Table = request.getfixturevalue("dynamodb_table")
            return DynamoSearchLog(table, on, clock)
        database = closed.enter_context(closing(Database(tmp_path / "memory.db")))
        return SqliteSearchLog(database, on, clock.seconds)

    with ExitStack() as closed:
        yield opener


def search(query: str, found: int = 1, at: datetime = NOON) -> LoggedSearch:
    return LoggedSearch(query, found, at)


def usage(ports: Ports, caller: Caller = CALLER, **period: datetime) -> UsageResult:
    return usage_patterns(UsageRequest.model_validate(period), caller, ports)


def ask(ports: Ports, query: str, caller: Caller = CALLER, **more: object) -> None:
    search_memory(SearchRequest.model_validate({"query": query, **more}), caller, ports)


def test_searches_come_back_in_order_and_are_their_users_own(logs: Logs) -> None:
    log = logs(True)
    for user_id, query in ((ANA, "tea"), (BEN, "milk"), (ANA, "茶")):
        log.searched(user_id, search(query))
    assert log.searches(ANA) == [search("tea"), search("茶")]
    assert logs(True).searches(BEN) == [search("milk")]
    assert log.searches("local|nobody") == []


def test_after_ninety_days_a_search_is_gone(logs: Logs, clock: Clock) -> None:
    log = logs(True)
    log.searched(ANA, search("tea"))
    assert len(log.searches(ANA)) == 1
    clock.now += timedelta(days=89)
    assert len(log.searches(ANA)) == 1
    clock.now += timedelta(days=1, seconds=1)
    assert log.searches(ANA) == []


def test_what_is_meant_is_forgotten_and_nothing_else(logs: Logs) -> None:
    log = logs(True)
    for user_id in (ANA, BEN):
        for query in ("tea", "milk"):
            log.searched(user_id, search(query))
    log.searches(ANA)
    assert log.forget(ANA, lambda query: query == "tea") == 1
    assert log.forget(ANA, lambda query: query == "tea") == 0
    assert [[one.query for one in log.searches(user_id)] for user_id in (ANA, BEN)] == [["milk"], ["tea", "milk"]]


def test_what_waits_in_another_process_does_not_come_after_it_was_forgotten(logs: Logs, clock: Clock) -> None:
    one, other = logs(True), logs(True)
    other.searched(ANA, search("tea"))
    clock.now += timedelta(seconds=1)
    one.forget(ANA, lambda query: query == "tea")
    assert [each.query for each in other.searches(ANA)] == []
    clock.now += timedelta(seconds=1)
    other.searched(ANA, search("milk"))
    assert [each.query for each in other.searches(ANA)] == ["milk"]


def test_switched_off_it_adds_nothing_and_still_forgets(logs: Logs) -> None:
    before, off = logs(True), logs(False)
    for query in ("tea", "milk"):
        before.searched(ANA, search(query))
    assert len(before.searches(ANA)) == 2
    off.searched(ANA, search("juice"))
    off.forget(ANA, lambda query: query == "tea")
    assert (before.is_on(), off.is_on()) == (True, False)
    assert [one.query for one in off.searches(ANA)] == ["milk"]


def test_with_a_memory_go_the_queries_with_a_stem_that_no_other_active_memory_has(
    opened: OpenStore, ports: Ports, writer: Writer
) -> None:
    gone = writer.write("Doctor Zquorbix says that Ana is allergic to nuts")
    writer.write("Ana has another doctor")
    writer.write("Ana likes nuts", status="deleted")
    writer.write("Zquorbix and nuts", user_id=BEN)
    for query in ("what does Zquorbix say", "the doctors", "which nuts", "who is she"):
        ask(ports, query)
    ask(ports, "zquorbix", Caller(BEN, NOON))
    told = ErasableUser(RunContext(CALLER, ports, opened.night(), lambda: NOON), opened.erasure()).erase_memory(
        gone.memory_id
    )
    assert [one.query for one in ports.search_log.searches(ANA)] == ["the doctors", "who is she"]
    assert [one.query for one in ports.search_log.searches(BEN)] == ["zquorbix"]
    assert (told.ids, told.places) == ((gone.memory_id,), ("search_log",))


def test_with_the_user_goes_their_log(opened: OpenStore, ports: Ports, writer: Writer) -> None:
    for user_id in (ANA, BEN):
        writer.write("Ana likes tea", user_id=user_id)
        ports.search_log.searched(user_id, search("tea"))
        assert ports.search_log.searches(user_id)
    opened.erasure().erase(ANA)
    assert ports.search_log.searches(ANA) == []
    assert ports.search_log.searches(BEN)


def erase(opened: OpenStore, memory_id: str) -> None:
    context = RunContext(CALLER, opened.ports, opened.night(), lambda: NOON)
    ErasableUser(context, opened.erasure()).erase_memory(memory_id)


def test_with_a_memory_go_the_queries_whose_stems_it_alone_has_together(
    opened: OpenStore, ports: Ports, writer: Writer
) -> None:
    gone = writer.write("Ana hides the silver key in the attic")
    writer.write("Ana drinks tea with a silver spoon")
    writer.write("The key of the car is lost")
    for query in ("silver keys", "keys in attics", "key", "silver key of the car", "which tea does Ana drink"):
        ask(ports, query)
    erase(opened, gone.memory_id)
    left = [one.query for one in ports.search_log.searches(ANA)]
    assert left == ["key", "silver key of the car", "which tea does Ana drink"]


def test_with_a_memory_go_the_queries_for_words_of_its_note_and_its_evidence(
    opened: OpenStore, ports: Ports, writer: Writer
) -> None:
    gone = writer.write("The doctor is kind", user_note="Zquorbix told me", evidence="Quillfeather said that he is kind")
    for query in ("what about Zquorbix", "who is Quillfeather", "who is kind to Ana"):
        ask(ports, query)
    writer.write("Ana is kind")
    erase(opened, gone.memory_id)
    assert [one.query for one in ports.search_log.searches(ANA)] == ["who is kind to Ana"]


def test_with_a_memory_go_inflected_forms_of_its_words(opened: OpenStore, ports: Ports, writer: Writer) -> None:
    gone = writer.write("Я живу в Омске с 2019 года")
    writer.write("Моя сестра живёт в Казани")
    for query in ("Омск", "Казань", "сестры"):
        ask(ports, query)
    erase(opened, gone.memory_id)
    assert [one.query for one in ports.search_log.searches(ANA)] == ["Казань", "сестры"]


def test_what_is_meant_is_forgotten_though_its_time_is_over(logs: Logs, clock: Clock) -> None:
    log = logs(True)
    for query in ("tea", "coffee"):
        log.searched(ANA, search(query))
    assert len(log.searches(ANA)) == 2
    clock.now += timedelta(days=400)
    assert (log.searches(ANA), log.queries(ANA)) == ([], ["tea", "coffee"])
    assert log.forget(ANA, lambda query: query == "tea") == 1
    assert log.queries(ANA) == ["coffee"]
    clock.now -= timedelta(days=400)
    assert [one.query for one in log.searches(ANA)] == ["coffee"]


def test_each_search_that_was_answered_is_counted_where_it_was_asked(ports: Ports, writer: Writer) -> None:
    writer.write("Ana drinks green tea at noon")
    ask(ports, "green tea")
    ask(ports, "tea at noon", Caller(ANA, NOON + timedelta(hours=20)))
    get_memory_context(ContextRequest(topic="tea"), CALLER, ports)
    told = usage(ports)
    assert (told.timezone, told.searches) == ("Europe/Berlin", 3)
    assert {hour: count for hour, count in enumerate(told.by_hour) if count} == {12: 2, 8: 1}
    assert told.by_weekday == [0, 0, 2, 1, 0, 0, 0]
    assert usage(ports, after=NOON + timedelta(hours=1)).searches == 1
    assert usage(ports, before=NOON + timedelta(hours=20)).searches == 2
    assert usage(ports, Caller(BEN, NOON)).searches == 0


def test_what_was_found_most_and_what_never(ports: Ports, writer: Writer) -> None:
    often, once, never = (writer.write(text) for text in ("Green tea is good", "Black coffee is strong", "Ben swims"))
    writer.write("Tea of another agent", agent_id="another")
    for query in ("green tea", "is green tea good", "black coffee"):
        ask(ports, query, limit=1)
    told = usage(ports)
    assert [(one.id, one.content, one.count) for one in told.top] == [
        (often.memory_id, often.content, 2), (once.memory_id, once.content, 1),
    ]  # fmt: skip
    assert (told.never_used.count, told.never_used.ids) == (1, [never.memory_id])


def test_what_was_asked_in_vain_is_told_once_with_how_often(ports: Ports, writer: Writer) -> None:
    writer.write("Ana drinks green tea")
    later = NOON + timedelta(hours=2)
    for query, now in (
        ("zebra crossings", NOON),
        ("Zebra  crossings", later),
        ("quarterly tax declaration", NOON),
        ("green tea", NOON),
    ):
        ask(ports, query, Caller(ANA, now))
    told = [(one.query, one.count, one.last) for one in usage(ports).found_nothing]
    assert told == [("Zebra crossings", 2, later), ("quarterly tax declaration", 1, NOON)]


def test_a_query_is_kept_short(ports: Ports, writer: Writer) -> None:
    writer.write("Ana drinks green tea")
    ask(ports, "tea " * 100)
    (kept,) = ports.search_log.searches(ANA)
    assert len(kept.query) == 200

"""The laws of feedback: what is kept of it, when it goes, and what a search heeds."""

from datetime import timedelta
from typing import Any

import pytest

from commonplace.adapters.dynamodb import usage as dynamodb
from commonplace.adapters.sqlite import feedback as sqlite
from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import ErrorCode
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.bundle import Ports
from commonplace.ports.usage import Feedback
from commonplace.ports.values import Alias, Caller, Rating
from commonplace.runs.apply import RunContext
from commonplace.use_cases import dispatch
from commonplace.use_cases.feedback import forget_feedback, record_feedback
from tests.conftest import NOON, refusal
from tests.contract.changes import ANA, BEN
from tests.contract.conftest import Writer

CALLER = Caller(ANA, NOON)


@pytest.fixture
def ports(opened: OpenStore) -> Ports:
    return opened.ports


@pytest.fixture
def feedback(ports: Ports) -> Feedback:
    return ports.feedback


@pytest.fixture
def tea(writer: Writer) -> str:
    return writer.write("Ana drinks green tea").memory_id


def told(ports: Ports, memory_id: str, query: str = "what do I drink", useful: bool = True) -> Any:
    return record_feedback({"memory_id": memory_id, "query": query, "useful": useful}, CALLER, ports)


def call(ports: Ports, tool: str, **arguments: object) -> Any:
    return dispatch.call(tool, arguments, CALLER, ports)


def queries(ports: Ports, user_id: str = ANA) -> list[str]:
    return [one.query for one in ports.feedback.ratings(user_id, NOON)]


def erasable(opened: OpenStore) -> ErasableUser:
    return ErasableUser(RunContext(CALLER, opened.ports, opened.night(), lambda: NOON), opened.erasure())


def test_ratings_come_back_the_oldest_first_and_are_their_users_own(feedback: Feedback, writer: Writer, tea: str) -> None:
    later, earlier = Rating(tea, "tea", True, NOON), Rating(tea, "茶", False, NOON - timedelta(days=1))
    bens = Rating(writer.write("Ben swims", user_id=BEN).memory_id, "sport", True, NOON)
    assert feedback.ratings(ANA, NOON) == []
    assert [feedback.rate(user_id, one) for user_id, one in ((ANA, later), (ANA, earlier), (BEN, bens))] == [True] * 3
    assert feedback.ratings(ANA, NOON) == [earlier, later]
    assert feedback.ratings(BEN, NOON) == [bens]
    assert feedback.ratings("local|nobody", NOON) == []


def test_of_one_memory_and_query_the_last_word_counts(feedback: Feedback, writer: Writer, tea: str) -> None:
    other = writer.write("Ana drinks coffee").memory_id
    last, apart = Rating(tea, "GREEN tea?", False, NOON), Rating(other, "Green tea?", True, NOON - timedelta(hours=1))
    for one in (Rating(tea, "Green tea?", True, NOON - timedelta(hours=2)), apart, last):
        feedback.rate(ANA, one)
    assert feedback.ratings(ANA, NOON) == [apart, last]


def test_nothing_is_kept_of_a_memory_that_is_not_there(feedback: Feedback, ports: Ports, writer: Writer, tea: str) -> None:
    bens = writer.write("Ben swims", user_id=BEN).memory_id
    call(ports, "delete_memory", memory_id=tea)
    assert not [name for name in (tea, bens, "mem_0") if feedback.rate(ANA, Rating(name, "tea", True, NOON))]
    assert feedback.ratings(ANA, NOON) == []


def test_after_ninety_days_a_rating_is_gone(feedback: Feedback, tea: str) -> None:
    feedback.rate(ANA, Rating(tea, "tea", True, NOON))
    assert len(feedback.ratings(ANA, NOON + timedelta(days=89))) == 1
    assert feedback.ratings(ANA, NOON + timedelta(days=90, seconds=1)) == []


def test_the_newest_are_kept(feedback: Feedback, tea: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for adapter in (sqlite, dynamodb):
        monkeypatch.setattr(adapter, "MOST_RATINGS", 3)
    for number in range(5):
        feedback.rate(ANA, Rating(tea, f"tea {number}", True, NOON + timedelta(minutes=number)))
    feedback.rate(ANA, Rating(tea, "tea 4", False, NOON + timedelta(minutes=9)))
    assert [(one.query, one.useful) for one in feedback.ratings(ANA, NOON)] == [
        ("tea 2", True), ("tea 3", True), ("tea 4", False),
    ]  # fmt: skip


def test_what_is_meant_is_forgotten_and_nothing_else(feedback: Feedback, writer: Writer, tea: str) -> None:
    bens = writer.write("Ben swims", user_id=BEN).memory_id
    for user_id, memory_id, query in ((ANA, tea, "tea"), (ANA, tea, "drinks"), (BEN, bens, "tea")):
        feedback.rate(user_id, Rating(memory_id, query, True, NOON))
    assert feedback.forget(ANA, lambda one: one.query == "milk") == 0
    assert feedback.forget(ANA, lambda one: one.query == "tea") == 1
    assert [[one.query for one in feedback.ratings(user_id, NOON)] for user_id in (ANA, BEN)] == [["drinks"], ["tea"]]
    assert feedback.forget("local|nobody", lambda _: True) == 0


def test_with_the_user_goes_their_feedback(opened: OpenStore, ports: Ports, writer: Writer, tea: str) -> None:
    bens = writer.write("Ben swims", user_id=BEN).memory_id
    for user_id, memory_id in ((ANA, tea), (BEN, bens)):
        ports.feedback.rate(user_id, Rating(memory_id, "tea", True, NOON))
    opened.erasure().erase(ANA)
    assert (queries(ports), queries(ports, BEN)) == ([], ["tea"])


def test_with_a_memory_goes_its_feedback_and_the_queries_that_share_two_stems_with_it(
    opened: OpenStore, ports: Ports, writer: Writer, tea: str
) -> None:
    gone = writer.write("Ana hides the silver key in the attic").memory_id
    writer.write("The key of the car is lost")
    for memory_id, query in (
        (gone, "what is hidden"),
        (tea, "what is silver"),
        (tea, "keys in attics"),
        (tea, "key"),
        (tea, "what do I drink"),
    ):
        told(ports, memory_id, query)
    erasable(opened).erase_memory(gone)
    assert queries(ports) == ["key", "what do I drink"]


def test_an_old_id_is_that_of_the_memory_it_leads_to(ports: Ports, tea: str) -> None:
    ports.aliases.add(ANA, [Alias("notes/7", tea)])
    assert told(ports, "notes/7").memory_id == tea
    assert [one.memory_id for one in ports.feedback.ratings(ANA, NOON)] == [tea]
    assert forget_feedback({"memory_id": "notes/7"}, CALLER, ports).forgotten == 1
    told(ports, "notes/7")
    new = call(ports, "update_memory", memory_id="notes/7", value="Ana drinks black tea.").memory_id
    assert told(ports, "notes/7").memory_id == new
    assert forget_feedback({"memory_id": "notes/7"}, CALLER, ports).forgotten == 2


def test_only_a_current_memory_of_this_agent_is_rated(ports: Ports, writer: Writer, tea: str) -> None:
    hidden = writer.write("Ana drinks milk", agent_id="another").memory_id
    new = call(ports, "update_memory", memory_id=tea, value="Ana drinks black tea.").memory_id
    for name, says in ((tea, f"replaced by {new}; use that id"), (hidden, "no memory"), ("mem_0", "no memory")):
        error = refusal(lambda name=name: told(ports, name))  # type: ignore[misc]
        assert (error.code, error.field) == (ErrorCode.NOT_FOUND, "memory_id")
        assert says in error.message
    assert queries(ports) == []


def test_a_query_is_kept_short_and_without_secrets(ports: Ports, tea: str) -> None:
    answer = told(ports, tea, "my wifi password is blue-monkey-42 and  which tea do I drink " + "tea " * 100)
    assert len(answer.query) == 200
    assert answer.notes.redacted
    assert queries(ports) == [answer.query]
    assert "blue-monkey-42" not in answer.query
    assert "  " not in answer.query


def test_a_query_that_names_nothing_is_not_kept_and_the_answer_says_so(ports: Ports, tea: str) -> None:
    answer = told(ports, tea, "what do you know about me?")
    assert not answer.kept
    assert "has no content words" in str(answer.notes.warnings)
    assert queries(ports) == []


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"query": "tea", "useful": True}, ErrorCode.MISSING_FIELD, "memory_id"),
        ({"memory_id": "mem_0", "query": " ", "useful": True}, ErrorCode.EMPTY_TEXT, "query"),
        ({"memory_id": "mem_0", "query": "tea", "useful": "yes"}, ErrorCode.INVALID_ARGUMENT, "useful"),
        ({"memory_id": "mem_0", "query": "tea", "useful": True, "user_id": BEN}, ErrorCode.UNKNOWN_FIELD, "user_id"),
    ],
)
def test_what_is_wrong_is_named(ports: Ports, given: dict[str, object], code: ErrorCode, field: str) -> None:
    error = refusal(lambda: record_feedback(given, CALLER, ports))
    assert (error.code, error.field) == (code, field)


def test_feedback_is_forgotten_of_one_memory_a_closed_one_too_or_of_all(ports: Ports, writer: Writer, tea: str) -> None:
    coffee, milk = (writer.write(f"Ana drinks {what}").memory_id for what in ("coffee", "milk"))
    for memory_id in (tea, coffee, milk):
        told(ports, memory_id)
    call(ports, "delete_memory", memory_id=tea)
    assert forget_feedback({"memory_id": tea}, CALLER, ports).forgotten == 1
    assert "was deleted" in refusal(lambda: forget_feedback({"memory_id": tea}, CALLER, ports)).message
    assert refusal(lambda: forget_feedback({"memory_id": "mem_0"}, CALLER, ports)).code is ErrorCode.NOT_FOUND
    assert forget_feedback({}, CALLER, ports).forgotten == 2
    assert forget_feedback({"memory_id": coffee}, CALLER, ports).forgotten == 0

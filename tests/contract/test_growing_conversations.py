"""A conversation that is recorded again under its id: what is new is read by one night, and nothing is read twice."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from commonplace.domain.interactions import Discussion, RecordResult
from commonplace.nightly.intake import record_interactions
from commonplace.ports.night import LedgerMark, NightPorts
from commonplace.ports.values import Caller
from tests.conftest import NOON
from tests.contract.test_ledger import ANA, DAY, USERS, close
from tests.examples import examples

HOME, REPLY, KIWI = "I live in Ghent.", "Nice.", "My daughter Mia is allergic to kiwi."


def talk(*said: str | tuple[str, str], name: str = "session-1") -> dict[str, Any]:
    """A conversation in which the user begins, and a message has an id if it is a pair."""
    messages: list[dict[str, Any]] = []
    for at, one in enumerate(said):
        content, message_id = one if isinstance(one, tuple) else (one, None)
        messages.append({"role": ("user", "assistant")[at % 2], "content": content, "id": message_id})
    return {"type": "discussion", "id": name, "messages": messages}


def record(night: NightPorts, *interactions: dict[str, Any], user_id: str = ANA) -> RecordResult:
    return record_interactions(interactions, Caller(user_id, NOON), night.ledger)


def waiting(night: NightPorts, user_id: str = ANA) -> list[list[str]]:
    """The messages that the next night reads, by entry, in its order."""
    entries = night.ledger.pending(user_id, 100)
    return [
        [one.content for one in entry.interaction.messages] for entry in entries if isinstance(entry.interaction, Discussion)
    ]


def read(night: NightPorts, number: int = 1) -> None:
    """A night that reads all that is pending."""
    names = [entry.interaction_id for entry in night.ledger.pending(ANA, 100)]
    close(night, {name: LedgerMark("read") for name in names}, number=number)


def told(result: RecordResult) -> tuple[int, int, list[int]]:
    return result.recorded, result.known, [one.index for one in result.conflicts]


def test_new_messages_of_a_known_conversation_wait_for_the_next_night(night: NightPorts) -> None:
    assert told(record(night, talk(HOME, REPLY))) == (1, 0, [])
    assert told(record(night, talk(HOME, REPLY, KIWI))) == (1, 0, [])
    assert waiting(night) == [[HOME, REPLY], [KIWI]]
    read(night)
    assert told(record(night, talk(HOME, REPLY, KIWI, "Noted.", "I own a kayak."))) == (1, 0, [])
    assert waiting(night) == [["Noted.", "I own a kayak."]]
    read(night, 2)
    assert told(record(night, talk(HOME, REPLY, KIWI, "Noted.", "I own a kayak."))) == (0, 1, [])
    assert told(record(night, talk(HOME, REPLY))) == (0, 1, [])
    assert waiting(night) == []


def test_it_may_grow_within_one_call(night: NightPorts) -> None:
    result = record(night, talk(HOME), talk(HOME, REPLY), talk(HOME, REPLY, KIWI), talk(HOME, REPLY, KIWI))
    assert told(result) == (3, 1, [])
    assert waiting(night) == [[HOME], [REPLY], [KIWI]]


def test_a_message_that_changed_is_a_conflict_and_the_first_stays(night: NightPorts) -> None:
    record(night, talk(HOME, REPLY))
    system = {"role": "system", "content": "Be kind."}
    changed = talk("I live in Bruges.", REPLY, KIWI)
    result = record(night, {**changed, "messages": [system, *changed["messages"]]})
    assert told(result) == (1, 0, [1])
    (conflict,) = result.conflicts
    assert (conflict.id, conflict.role) == ("session-1", "user")
    assert waiting(night) == [[HOME, REPLY], [KIWI]]


def test_the_last_messages_alone_are_found_in_what_is_known(night: NightPorts) -> None:
    record(night, talk(HOME, REPLY, "I own a kayak.", "Great."))
    assert told(record(night, talk("I own a kayak.", "Great.", KIWI))) == (1, 0, [])
    assert waiting(night)[1:] == [[KIWI]]


def test_messages_with_ids_are_known_by_them(night: NightPorts) -> None:
    record(night, talk((HOME, "a"), (REPLY, "b")))
    assert told(record(night, talk((KIWI, "c"), ("Noted.", "d")))) == (1, 0, [])
    assert told(record(night, talk((HOME, "a"), (REPLY, "b"), (KIWI, "c"), ("Noted.", "d")))) == (0, 1, [])
    assert told(record(night, talk(("I live in Bruges.", "a"), ("Great.", "e")))) == (1, 0, [0])
    assert waiting(night) == [[HOME, REPLY], [KIWI, "Noted."], ["Great."]]


def test_an_id_that_is_no_text_is_left_out(night: NightPorts) -> None:
    messages = [{"role": "user", "content": HOME, "id": 7}, {"role": "assistant", "content": REPLY, "id": "\x00"}]
    assert record(night, {"type": "discussion", "id": "session-1", "messages": messages}).recorded == 1
    assert waiting(night) == [[HOME, REPLY]]


def test_it_grows_after_its_texts_were_dropped(night: NightPorts) -> None:
    record(night, talk(HOME, REPLY))
    read(night)
    record(night, talk(HOME, REPLY, KIWI))
    read(night, 2)
    night.ledger.erase_texts(ANA, [entry.interaction_id for entry in night.ledger.entries(ANA, ["session-1"])])
    assert told(record(night, talk(HOME, REPLY, KIWI, "Noted."))) == (1, 0, [])
    assert waiting(night) == [["Noted."]]
    assert night.ledger.drop_texts(ANA, NOON + DAY, timedelta(0)) > 0


def test_messages_with_ids_stay_known_by_their_place_once_the_first_texts_are_dropped(night: NightPorts) -> None:
    said = (HOME, "a"), (REPLY, "b"), (KIWI, "c"), ("Noted.", "d")
    record(night, talk(*said[:2]))
    read(night)
    record(night, talk(*said[:3]))
    night.ledger.erase_texts(ANA, ["session-1"])
    assert told(record(night, talk(*said[:3]))) == (0, 1, [])
    assert told(record(night, talk(*said))) == (1, 0, [])
    assert waiting(night) == [[KIWI], ["Noted."]]


def test_a_long_message_and_a_secret_are_known_again(night: NightPorts) -> None:
    long, secret = "I walked to town. " * 1_000, "My PIN is 4471."
    record(night, talk(HOME, REPLY, long, "What is your PIN?", "4471"), talk(secret, name="session-2"))
    assert told(record(night, talk(HOME, REPLY, long, "What is your PIN?", "4471"), talk(secret, name="session-2"))) == (
        0,
        2,
        [],
    )
    assert told(record(night, talk(HOME, REPLY, long, "What is your PIN?", "4471", "Thanks.", KIWI))) == (1, 0, [])
    assert ["Thanks.", KIWI] in waiting(night)
    assert "4471" not in str(waiting(night))


def test_what_answers_a_question_for_a_secret_is_redacted_though_the_question_is_known(night: NightPorts) -> None:
    record(night, talk(HOME, "What is your PIN?"))
    record(night, talk(HOME, "What is your PIN?", "4471"))
    assert len(waiting(night)) == 2
    assert "4471" not in str(waiting(night))


def test_an_id_of_another_kind_stays_what_it_was(night: NightPorts) -> None:
    wish = {"type": "explicit", "id": "session-1", "text": "Remember that I own a kayak."}
    assert told(record(night, wish)) == (1, 0, [])
    assert told(record(night, talk(HOME, REPLY))) == (0, 1, [])
    assert told(record(night, wish)) == (0, 1, [])


def test_another_user_has_conversations_of_their_own(night: NightPorts) -> None:
    record(night, talk(HOME, REPLY))
    assert told(record(night, talk(HOME, REPLY, KIWI), user_id="local|ben")) == (1, 0, [])
    assert waiting(night, "local|ben") == [[HOME, REPLY, KIWI]]


def test_callers_at_once_record_each_message_once(night: NightPorts) -> None:
    said = [f"I own item number {at}." for at in range(12)]
    record(night, talk(*said[:2]))
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda count: record(night, talk(*said[:count])), [5, 8, 11, 12]))
    assert not any(result.conflicts or result.refused for result in results)
    entries = [entry.interaction for entry in night.ledger.pending(ANA, 100)]
    assert sorted(one.content for each in entries if isinstance(each, Discussion) for one in each.messages) == sorted(said)


@examples(40, HealthCheck.function_scoped_fixture)
@given(
    st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=12),
    st.lists(st.integers(1, 12), min_size=1, max_size=6),
)
def test_whatever_the_steps_each_message_is_recorded_once(night: NightPorts, said: list[str], steps: list[int]) -> None:
    user_id = f"local|user-{next(USERS)}"
    for count in [*sorted(steps), len(said)]:
        assert not record(night, talk(*said[:count]), user_id=user_id).conflicts
    assert [one for entry in waiting(night, user_id) for one in entry] == said

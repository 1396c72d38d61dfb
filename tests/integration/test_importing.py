"""Importing a conversation."""

from collections.abc import Callable

import pytest

from commonplace import Commonplace, CommonplaceError

pytestmark = pytest.mark.integration

TALK = [
    {"session_id": "1", "position": 1, "speaker": "Ana", "text": "Hi! How are you?", "event_time": "2026-05-01T10:00:00"},
    {"session_id": "1", "position": 2, "speaker": "Ana", "text": "I moved to Lisbon in March to work as a nurse."},
    {"session_id": "1", "position": 3, "speaker": "assistant", "text": "Lisbon is lovely in spring."},
    {"session_id": "1", "position": 4, "speaker": "assistant", "text": "And what is the gate code?"},
    {"session_id": "1", "position": 5, "speaker": "Ana", "text": "4471"},
    {"session_id": "1", "position": 6, "speaker": "Ana", "text": "..."},
    {"session_id": "1", "position": 7, "speaker": "Ana", "text": "x" * 8001},
]


def test_every_turn_gets_an_id_or_a_reason(memory: Commonplace) -> None:
    done = memory.import_turns(TALK)
    assert [found is not None for found in done.ids] == [True, True, True, True, False, False, False]
    assert {left.turn: left.why.split(":")[0] for left in done.left_out} == {
        4: "secret_only",
        5: "empty_text",
        6: "text_too_long",
    }
    kept = list(memory.export())
    assert kept[0]["event_time"] == "2026-05-01T10:00:00+02:00"
    assert [found["position"] for found in kept] == [1, 2, 3, 4]
    assert kept[1]["normalized_text"].startswith("Ana moved to Lisbon")
    assert [found["source"] for found in kept] == ["user", "user", "agent", "agent"]


def test_worthy_keeps_what_is_worth_keeping(memory: Commonplace) -> None:
    done = memory.import_turns(TALK[:4], keep="worthy")
    assert [found is not None for found in done.ids] == [False, True, False, False]
    assert all(left.why.startswith("not_worthy") for left in done.left_out)


def test_importing_again_stores_nothing_new(memory: Commonplace) -> None:
    first = memory.import_turns(TALK)
    assert memory.import_turns(TALK).ids == first.ids
    assert len(list(memory.export())) == 4


@pytest.mark.usefixtures("word_vectors")
def test_progress_is_told(memory: Commonplace) -> None:
    told: list[int] = []
    turns = [{"session_id": "1", "position": n, "speaker": "Ana", "text": f"Line {n}"} for n in range(250)]
    memory.import_turns(turns, progress=told.append)
    assert told == [100, 200, 250]


def test_a_malformed_turn_is_named_and_nothing_is_stored(open_memory: Callable[..., Commonplace]) -> None:
    memory = open_memory()
    with pytest.raises(CommonplaceError) as caught:
        memory.import_turns([TALK[0], {**TALK[1], "mood": "good"}])
    assert caught.value.field == "turns.1.mood"
    assert list(memory.export()) == []


def test_an_answer_is_found_through_its_question(memory: Commonplace) -> None:
    memory.import_turns(
        [
            {"session_id": "1", "position": 1, "speaker": "Ben", "text": "Which instrument do you play?"},
            {"session_id": "1", "position": 2, "speaker": "Ana", "text": "The cello, since I was six."},
            {"session_id": "2", "position": 1, "speaker": "Ana", "text": "Six people came to dinner."},
        ]
    )
    found = [hit.content for hit in memory.search_memory("which instrument does Ana play?").results]
    assert "The cello, since I was six." in found[:2]


def test_a_secret_in_the_name_of_a_session_or_a_speaker_is_kept_out(memory: Commonplace) -> None:
    secret = "sk_live_" + "aB3dE5fG7hJ9kL2mN4pQ6rS8"
    turn = {"session_id": secret, "position": 1, "speaker": f"Ana {secret}", "text": "I moved to Lisbon in March."}
    first = memory.import_turns([turn])
    assert memory.import_turns([turn]).ids == first.ids
    assert secret not in str(list(memory.export()))

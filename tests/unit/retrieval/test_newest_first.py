"""Of memories that tell values of one attribute the newest takes the best place of them; look-alikes keep theirs."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.domain.memory import Memory
from commonplace.ports.values import Stored
from commonplace.retrieval.newest_first import changed_values, newest_first
from commonplace.text.foundation import tokenizer
from tests.conftest import NOON

ENCODER = SentenceEncoder()
MODEL = ENCODER.name
LONG_AGO = NOON - timedelta(days=90)


def told(text: str, days: float = 0.0, model: str | None = MODEL, **fields: object) -> Stored:
    at = LONG_AGO + timedelta(days=days)
    whole = {
        "memory_id": "mem_1", "user_id": "local|ana", "raw_text": text, "normalized_text": text,
        "memory_type": "fact", "category": "contexts", "section": "personal_context", "created_at": at, "updated_at": at,
        "embedding_model": model, **fields,
    }  # fmt: skip
    return Stored(Memory.model_validate(whole), ENCODER.embed(text))


def order(
    *found: Stored, scores: tuple[float, ...] = (0.7, 0.6, 0.5, 0.4), now: datetime = NOON, query: str = ""
) -> list[int]:
    return newest_first(scores[: len(found)], found, now, MODEL, set(tokenizer.terms(query)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My manager is Priya.", "Priya left, I report to Daniel now."),
        ("I live in Berlin.", "I live in Munich now."),
        ("I work at Bosch as an engineer.", "I work at Siemens now."),
        ("Ich wohne in Kiel.", "Ich wohne jetzt in Lübeck."),
    ],
)
def test_a_value_told_later_stands_before_the_older_one(old: str, new: str) -> None:
    assert order(told(old), told("I love jazz.", 10), told(new, 50)) == [2, 1, 0]
    assert changed_values([told(old), told("I love jazz.", 10), told(new, 50)], NOON, MODEL) == [(0, 2)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My brother works at Lidl.", "My sister works at Ikea."),
        ("Our cat is called Mishka.", "Our dog is called Rolo."),
        ("I go climbing on Tuesdays.", "I go swimming on Saturdays."),
        ("I live in Lyon.", "We might move to Nantes in a few years."),
        ("I live in Vienna.", "I was in Prague for the weekend."),
        ("I'm allergic to penicillin.", "I'm allergic to hazelnuts."),
        ("Mi hijo tiene 5 años.", "Mi hija tiene 8 años."),
        ("横浜に住んでいます。", "姉は大阪に住んでいます。"),
    ],
)
def test_look_alikes_keep_their_places(old: str, new: str) -> None:
    assert order(told(old), told(new, 50)) == [0, 1]
    assert changed_values([told(old), told(new, 50)], NOON, MODEL) == []


def test_the_last_of_three_values_stands_first_and_the_first_last() -> None:
    first, second, third = (told(f"My rent is {rent} euros now.", days) for rent, days in ((900, 0), (950, 30), (1020, 60)))
    assert order(first, third, second) == [1, 2, 0]
    assert order(second, told("I love jazz.", 10), first, third) == [3, 1, 0, 2]


OLD, NEW = "I live in Berlin.", "I live in Munich now."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (told(OLD), told(NEW)),  # in one breath: both are meant
        (told(OLD), told(NEW, 95)),  # not yet
        (told(OLD, speaker="Tom"), told(NEW, 50, speaker="Mia")),
        (told(OLD), told(NEW, 50, subject="Mia")),
        (told(OLD, model="another"), told(NEW, 50)),
        (told(OLD), Stored(told(NEW, 50).memory, None)),
        (told(OLD), Stored(told(NEW, 50).memory, np.ones(3, dtype=np.float32))),  # damaged
        (told(OLD, session_id="s", position=1), told(NEW, 50, session_id="t", position=1)),  # turns of talks
    ],
)
def test_only_what_the_same_speaker_told_later_is_newer(old: Stored, new: Stored) -> None:
    assert order(old, new) == [0, 1]
    assert changed_values([old, new], NOON, MODEL) == []


def test_a_plain_statement_told_later_is_newer_than_one_that_says_now() -> None:
    assert order(told(OLD, 50), told(NEW)) == [0, 1]
    assert order(told(NEW), told(OLD, 50)) == [1, 0]
    assert changed_values([told(OLD, 50), told(NEW)], NOON, MODEL) == [(1, 0)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My dentist is Dr Kerr.", "My dentist is Dr Amin."),
        ("I live in Lyon.", "I live in Nantes."),
        ("My rent is 900 euros.", "My rent is 950 euros."),
        ("J'habite à Lyon.", "J'habite à Nantes."),
    ],
)
def test_a_value_is_newer_although_no_word_says_so(old: str, new: str) -> None:
    assert changed_values([told(old), told(new, 50)], NOON, MODEL) == [(0, 1)]


def test_a_value_told_later_that_day_is_newer() -> None:
    assert order(told(OLD), told(NEW, 0.01)) == [1, 0]


def test_what_matches_the_question_much_less_stays_behind() -> None:
    assert order(told(OLD), told(NEW, 50), scores=(0.9, 0.2)) == [0, 1]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("gannet", [0, 1, 2]),
        ("Which boat was called puffin?", [2, 1, 0]),
        ("What is the code name of the boat?", [2, 0, 1]),
        ("Was it gannet or puffin or dunlin?", [2, 0, 1]),
    ],
)
def test_a_memory_whose_value_is_asked_for_keeps_its_place(query: str, expected: list[int]) -> None:
    names = (("gannet", 10), ("puffin", 0), ("dunlin", 50))
    assert order(*(told(f"The code name of the boat is {name}.", day) for name, day in names), query=query) == expected


def test_nothing_found_has_no_order() -> None:
    assert order() == []
    assert changed_values([], NOON, MODEL) == []

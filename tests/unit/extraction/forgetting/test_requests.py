"""What is a wish to forget, and what only sounds like one."""

import csv
from pathlib import Path

import pytest

from commonplace.extraction.days import Utterance
from commonplace.extraction.forgetting.requests import addresses_the_memory, forget_requests, without_forget_requests
from tests.conftest import NOON

TABLE = Path(__file__).parent / "cases" / "wishes.tsv"
ROWS = [tuple(row) for row in csv.reader(TABLE.read_text("utf-8").splitlines()[1:], delimiter="\t", quoting=csv.QUOTE_NONE)]


def said(text: str, explicit: bool = False) -> Utterance:
    return Utterance("talk", 1, "user", text, NOON, ((0, len(text)),), explicit)


def answered(text: str) -> Utterance:
    return Utterance("talk", 0, "assistant", text, NOON)


def rest(text: str) -> str:
    """What is left to be heard of a message."""
    told = said(text)
    return " ".join(without_forget_requests(told, forget_requests(told, None)).own_words.split())


@pytest.mark.parametrize(("served", "what", "text", "before"), ROWS, ids=[row[2] for row in ROWS])
def test_a_wish_is_told_from_what_sounds_like_one(served: str, what: str, text: str, before: str) -> None:
    found = forget_requests(said(text), answered(before) if before else None)
    assert ([("yes" if one.can_be_served else "no", one.target) for one in found] or [("none", "")]) == [(served, what)]


@pytest.mark.parametrize("text", ["Delete Netflix", "Forget coffee"])
def test_an_explicit_wish_is_one_without_more_words(text: str) -> None:
    (wish,) = forget_requests(said(text, explicit=True), None)
    assert wish.can_be_served


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "I moved to Berlin. I teach maths. Please forget that I drink coffee every morning.",
            "I moved to Berlin. I teach maths.",
        ),
        ("Ich bin gegen Latex allergisch. Vergiss bitte, was ich über Uwe gesagt habe.", "Ich bin gegen Latex allergisch."),
        ("Forget coffee, I am a tea person now.", ", I am a tea person now."),
        ("I have a cat. Forget what I said about Daniel. Daniel is my ex. He lives in Ghent.", "I have a cat."),
        ("Ich bin schwanger, bitte speichere das nicht.", ""),
        ("これは覚えないで：私は借金があります。", ""),
        ("I live in Graz. My brother drinks. It's his third year in rehab. Forget that.", "I live in Graz."),
        ("Forget what I said about Uwe. The trial is in June. I love tea.", "I love tea."),
        ("Forget what I said about Uwe. Also the dog is called Bo.", "Also the dog is called Bo."),
        ("I live in Graz.", "I live in Graz."),
    ],
)
def test_what_stands_beside_a_wish_is_heard(text: str, left: str) -> None:
    assert rest(text) == left


def test_a_wish_that_is_no_more_than_a_noun_does_not_end_a_play() -> None:
    assert addresses_the_memory("Forget what I said about Daniel")
    assert not addresses_the_memory("Forget the dragon!")

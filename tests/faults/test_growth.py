"""No text makes any reader of text take more than linear time: twice the text, about twice the time."""

import time
from collections.abc import Callable

import pytest

from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.rules import RulesReader
from tests.faults.growth import NOW, READERS, WORDS, hostile_texts
from tests.unit.extraction.memory_view import InMemoryView

_LENGTH, _TRIES = 1_000, 2
_QUICK = 0.016  # seconds: what takes its square from here on takes a second at 8,000 characters
_MOST = 3.0


def seconds(read: Callable[[str], object], text: str, tries: int) -> float:
    """The least CPU time of some tries: other programs on the machine make it no longer."""
    spent = []
    for _ in range(tries):
        begun = time.process_time()
        read(text)
        spent.append(time.process_time() - begun)
    return min(spent)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("reader", READERS)
def test_time_grows_with_the_text_and_not_with_its_square(reader: str) -> None:
    read, longer, longest = READERS[reader], dict(hostile_texts(2 * _LENGTH)), dict(hostile_texts(8 * _LENGTH))
    read("I live in Porto since 3 March.")
    grown = {}
    for name, text in hostile_texts(_LENGTH):
        if seconds(read, text, 1) < _QUICK:
            continue
        once, twice = seconds(read, text, _TRIES), seconds(read, longer[name], _TRIES)
        if once > _QUICK and twice > _MOST * once:  # on a busy machine that may be chance: eight times the text tells
            eight_times = seconds(read, longest[name], 1)
            if eight_times > _MOST**3 * once:
                grown[name] = round(eight_times / once, 1)
    assert not grown


@pytest.mark.parametrize("unit", ["7", "7,777", "7.", "７", "九", "7:7 ", "7-"])
@pytest.mark.parametrize("reader", READERS)
def test_no_number_is_too_long_to_be_read(reader: str, unit: str) -> None:
    READERS[reader](unit * (8_000 // len(unit)))


def a_day(messages: int) -> Day:
    """Statements of which many have a word in common."""
    things, places = "tea coffee chess rowing jazz".split(), "Porto Lisbon Berlin Oslo".split()
    said = [f"I like {things[number % 5]} from {places[number % 4]} since {1900 + number}." for number in range(messages)]
    return Day(
        NOW.date(),
        tuple(Utterance(f"talk{at // 20}", at % 20, "user", one, NOW, ((0, len(one)),)) for at, one in enumerate(said)),
    )


@pytest.mark.timeout(300)
def test_a_long_day_takes_no_longer_for_each_message() -> None:
    def read(day: Day) -> float:
        begun = time.process_time()
        RulesReader(WORDS).read(day, InMemoryView())
        return time.process_time() - begun

    read(a_day(20))
    assert read(a_day(400)) < _MOST * read(a_day(200))

"""No text makes any reader of text take more than linear time: twice the text, about twice the time."""

import functools
import gc
import time
from collections.abc import Callable
from typing import Any

import pytest

from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.rules import RulesReader
from tests.faults.growth import NOW, READERS, WORDS, hostile_texts
from tests.unit.extraction.memory_view import InMemoryView

_LENGTH, _TRIES = 1_000, 2
_QUICK = 0.016  # seconds: what takes its square from here on takes a second at 8,000 characters
_MOST, _SUSPECT = 3.0, 2.5


def caches_of_texts() -> list[Any]:
    """The caches of what was read, without those of what is loaded once: a text read again takes no time."""
    cached: list[Any] = [one for one in gc.get_objects() if type(one) is functools._lru_cache_wrapper]  # of no dead proxy
    return [one for one in cached if (one.cache_parameters()["maxsize"] or 0) > 1]


def seconds(read: Callable[[str], object], text: str, tries: int, caches: list[Any]) -> float:
    """The least CPU time of some tries with empty caches: other programs on the machine make it no longer."""
    spent = []
    for _ in range(tries):
        for one in caches:
            one.cache_clear()
        begun = time.process_time()
        read(text)
        spent.append(time.process_time() - begun)
    return min(spent)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("reader", READERS)
def test_time_grows_with_the_text_and_not_with_its_square(reader: str) -> None:
    read, longer, longest = READERS[reader], dict(hostile_texts(2 * _LENGTH)), dict(hostile_texts(8 * _LENGTH))
    read("I live in Porto since 3 March.")
    caches, grown = caches_of_texts(), {}
    for name, text in hostile_texts(_LENGTH):
        once = seconds(read, text, 1, caches)
        if once < _QUICK or seconds(read, longer[name], 1, caches) <= _SUSPECT * once:
            continue
        once, twice = (seconds(read, one, _TRIES, caches) for one in (text, longer[name]))
        if once > _QUICK and twice > _MOST * once:  # on a busy machine that may be chance: eight times the text tells
            eight_times = seconds(read, longest[name], _TRIES, caches)
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
    def read_of(messages: int) -> float:
        return seconds(lambda _: RulesReader(WORDS).read(a_day(messages), InMemoryView()), "", 1, caches_of_texts())

    read_of(20)
    assert read_of(400) < _MOST * read_of(200)

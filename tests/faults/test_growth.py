"""No text makes any reader of text take more than linear time: twice the text, about twice the time."""

import functools
import gc
import time
from collections.abc import Callable
from typing import Any

import pytest

from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.rules import RulesReader
from tests.examples import TIMES
from tests.faults.growth import NOW, READERS, WORDS, hostile_texts
from tests.unit.extraction.memory_view import InMemoryView

_LENGTH, _TIMES_AS_LONG, _TRIES, _AGAIN = 2_000, 4, 3, 12  # 8,000 characters are the most that a call may send
_MOST = 6.0  # times the seconds for four times the text: a line takes 4 times as long, a square up to 16 times
_LIMITED = {"arguments", "imported turn"}  # these refuse longer texts
_SHARE = 1 if TIMES else 10  # `make test` reads one text in ten, the slow check all
_UNWATCHED = {
    "redaction under a key", "arguments", "imported turn", "json", "a page", "a page's header", "markdown", "a model's answer",
}  # fmt: skip
"""Readers in rooms that are no input of the slow check: `make test` reads every number with these."""
_DIGITS = ("7", "7,777", "7.", "７", "九", "7:7 ", "7-")


def caches_of_texts() -> list[Any]:
    """The caches of what was read, without those of what is loaded once: a text read again takes no time."""
    cached: list[Any] = [one for one in gc.get_objects() if type(one) is functools._lru_cache_wrapper]  # of no dead proxy
    return [one for one in cached if (one.cache_parameters()["maxsize"] or 0) > 1]


def seconds(read: Callable[[str], object], text: str, tries: int, caches: list[Any]) -> float:
    """The least CPU time of some tries with empty caches: other programs on the machine make it no longer.

    Garbage collection is off meanwhile: beside the objects of many tests it takes longer than the text.
    """
    spent = []
    gc.disable()
    try:
        for _ in range(tries):
            for one in caches:
                one.cache_clear()
            begun = time.process_time()
            read(text)
            spent.append(time.process_time() - begun)
    finally:
        gc.enable()
    return min(spent)


def growth(read: Callable[[str], object], share: int = 1, first: int = 0, longer: int = 2) -> dict[str, float]:
    """By the name of each hostile text whose time grows faster than in a line: how many times as long four times it takes.

    Some readers do more from some length on, which looks like a square between two lengths. So a suspicious text is read
    again, `longer` times as long.
    """
    read("I live in Porto since 3 March.")
    caches, lengths = caches_of_texts(), (_LENGTH, _LENGTH * _TIMES_AS_LONG)
    short_again, long_again = (dict(hostile_texts(length * longer)) for length in lengths)
    grown = {}
    for (name, short), (_, long) in list(zip(*map(hostile_texts, lengths), strict=True))[first::share]:
        ratio = _ratio(read, short, long, 1, caches)
        for _ in range(_AGAIN):  # other work beside it lengthens one measurement, a square all of them
            if ratio > _MOST:
                ratio = _ratio(read, short_again[name], long_again[name], _TRIES, caches)
        if ratio > _MOST:
            grown[name] = round(ratio, 1)
    return grown


def _ratio(read: Callable[[str], object], short: str, long: str, tries: int, caches: list[Any]) -> float:
    return seconds(read, long, tries, caches) / seconds(read, short, tries, caches)


@pytest.mark.sample
@pytest.mark.timeout(600)
@pytest.mark.parametrize("reader", READERS)
def test_time_grows_with_the_text_and_not_with_its_square(reader: str) -> None:
    first = list(READERS).index(reader) % _SHARE
    assert growth(READERS[reader], _SHARE, first, longer=1 if reader in _LIMITED else 2) == {}


@pytest.mark.sample
def test_a_square_is_seen() -> None:
    """The reader copies all words at each comma."""

    def read(text: str) -> list[int]:
        words = text.split()
        return [len(words.copy()) for word in words if word.endswith(",")]

    texts = [name for name, _ in hostile_texts(_LENGTH)]
    assert growth(read, len(texts), texts.index("'1, ' again and again"), longer=1)


@pytest.mark.parametrize(
    ("reader", "unit"),
    [
        pytest.param(reader, unit, marks=[pytest.mark.sample] if reader in _UNWATCHED or number % len(_DIGITS) == at else [])
        for number, reader in enumerate(READERS)
        for at, unit in enumerate(_DIGITS)
    ],
)
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


@pytest.mark.sample
@pytest.mark.timeout(300)
def test_a_long_day_takes_no_longer_for_each_message() -> None:
    def read_of(messages: int) -> float:
        return seconds(lambda _: RulesReader(WORDS).read(a_day(messages), InMemoryView()), "", 1, caches_of_texts())

    read_of(20)
    assert read_of(400) < 3 * read_of(200)

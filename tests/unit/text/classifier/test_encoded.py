"""Heads over what the sentence encoders tell of a text."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from commonplace.text.classifier.model import Encoded, Vector, load, scaled, shipped

SEED = np.random.default_rng(7)
NUMBERS, DIRECTIONS, HEADS = 12, 4, 3


def drawn(*shape: int) -> Vector:
    return SEED.standard_normal(shape, dtype=np.float32)


def made() -> Encoded:
    products = DIRECTIONS * (DIRECTIONS + 1) // 2
    return Encoded(
        mean=drawn(NUMBERS),
        widths=np.abs(drawn(NUMBERS)) + np.float32(0.5),
        axes=drawn(DIRECTIONS, NUMBERS).astype(np.float16),
        single=drawn(NUMBERS, HEADS).astype(np.float16),
        pairs=SEED.integers(-127, 128, (products, HEADS)).astype(np.int8),
        scales=np.full(HEADS, 0.01, np.float32),
    )


def test_scaled_features_have_length_one_and_what_is_absent_tells_nothing() -> None:
    mean, widths = np.ones(4, np.float32), np.full(4, 2.0, np.float32)
    assert scaled(np.array([2.0, 1.0, 0.0, 0.0], np.float32), mean, widths).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert scaled(np.zeros(4, np.float32), mean, widths).tolist() == [0.0] * 4
    rows = scaled(drawn(5, 4), mean, widths)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), np.ones(5), rtol=1e-5)


def test_a_score_is_what_the_numbers_weigh_and_what_the_products_of_any_two_directions_weigh() -> None:
    model, text = made(), drawn(NUMBERS)
    seen = scaled(text, model.mean, model.widths)
    main = model.axes.astype(np.float32) @ seen
    wanted = seen @ model.single.astype(np.float32)
    at = 0
    for first in range(DIRECTIONS):
        for second in range(first, DIRECTIONS):
            width = 1.0 if first == second else 2.0**0.5
            wanted = wanted + main[first] * main[second] * width * model.pairs[at] * model.scales
            at += 1
    np.testing.assert_allclose(model.scores(text), wanted, rtol=1e-4)


def test_models_are_the_same_if_only_their_directions_are_turned_about() -> None:
    model = made()
    assert model.same(replace(model, axes=-model.axes))
    assert not model.same(replace(model, single=model.single + np.float16(0.5)))
    assert not model.same(replace(model, axes=model.axes[:-1]))


def test_a_model_with_features_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    model = shipped("classifier_encoded.npz")
    model.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    assert model.encoded is not None
    assert again.encoded is not None
    assert again.encoded.same(model.encoded)
    assert again.labels == model.labels
    model.save(tmp_path / "twice.npz")
    assert (tmp_path / "model.npz").read_bytes() == (tmp_path / "twice.npz").read_bytes()

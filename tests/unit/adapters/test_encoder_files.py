"""The shipped encoders are the files that `training/make_encoders.py` made, and fit each other."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
import pytest

from training.make_encoders import BLOCK, DIRECTIONS, MIDDLE, SUMS, is_latin, quantized, sums

FOLDER = Path(str(files("commonplace"))) / "data" / "encoders"
WIDTH = 384


def test_the_files_are_those_that_were_made() -> None:
    assert sums(FOLDER) == SUMS.read_text("utf-8")


@pytest.mark.parametrize("name", ["minilm", "e5"])
def test_a_word_table_has_a_row_for_each_piece(name: str) -> None:
    pieces = (FOLDER / name / "pieces.txt").read_text("utf-8").removesuffix("\n").split("\n")
    words, scales = (np.load(FOLDER / name / f"{part}.npy", mmap_mode="r") for part in ("words", "scales"))
    assert len(set(pieces)) == len(pieces)
    assert (words.shape, words.dtype) == ((len(pieces), WIDTH // BLOCK, BLOCK // 2), np.uint8)
    assert (scales.shape, scales.dtype) == ((len(pieces), WIDTH // BLOCK), np.float16)


@pytest.mark.parametrize("name", ["minilm", "e5"])
def test_a_graph_asks_for_rows_of_the_word_table_and_has_none_itself(name: str) -> None:
    graph = onnx.load(FOLDER / name / "layers.onnx").graph
    asked = {one.name: [dimension.dim_value for dimension in one.type.tensor_type.shape.dim] for one in graph.input}
    assert asked["words"][-1] == WIDTH
    assert asked.keys() - {"token_type_ids"} == {"words", "attention_mask"}
    assert max(dimension for one in graph.initializer for dimension in one.dims) < 10_000


@pytest.mark.parametrize("name", ["minilm", "e5"])
def test_the_main_directions_stand_square_on_each_other(name: str) -> None:
    with np.load(FOLDER / "projection.npz") as arrays:
        mean, axes = arrays[f"{name}_mean"], arrays[f"{name}_axes"]
    assert (mean.shape, axes.shape) == ((WIDTH,), (DIRECTIONS, WIDTH))
    np.testing.assert_allclose(axes @ axes.T, np.eye(DIRECTIONS), atol=1e-4)


def test_four_bits_keep_a_row_to_a_fifteenth_of_its_largest_weight() -> None:
    rows = np.random.default_rng(7).normal(size=(50, WIDTH)).astype(np.float32)
    packed, scales = quantized(rows)
    numbers = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
    back = (numbers * scales[..., None].astype(np.float32)).reshape(rows.shape)
    largest = np.abs(rows.reshape(len(rows), -1, BLOCK)).max(-1).repeat(BLOCK, axis=-1)
    assert (np.abs(back - rows) <= largest / 7.5).all()


def test_pieces_of_other_scripts_are_told_from_latin_ones() -> None:
    assert is_latin("grün")
    assert is_latin("42")
    assert not is_latin("дом")


@pytest.mark.parametrize("name", ["minilm", "e5"])
def test_a_graph_tells_of_its_last_layer_and_of_one_in_the_middle(name: str) -> None:
    graph = onnx.load(FOLDER / name / "layers.onnx").graph
    ends = [node.output[0] for node in graph.node if node.op_type == "LayerNormalization"]
    assert [one.name for one in graph.output][1:] == [ends[2 * MIDDLE[name]]]

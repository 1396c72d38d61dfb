"""The shipped encoders are the files that `training/make_encoders.py` made. They fit each other and the directions."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
import pytest

from commonplace.adapters.universal_encoder import LEVELS
from training.make_directions import DIRECTIONS, UNIVERSAL
from training.make_encoders import BLOCK, FREQUENT_PIECES, MIDDLE_OF_E5, SUMS, few_bits, is_latin, is_of_use, quantized, sums

FOLDER = Path(str(files("commonplace"))) / "data" / "encoders"
WIDTH = 384


def test_the_files_are_those_that_were_made() -> None:
    assert sums(FOLDER) == SUMS.read_text("utf-8")


def pieces_of(name: str) -> list[str]:
    pieces = (FOLDER / name / "pieces.txt").read_text("utf-8").removesuffix("\n").split("\n")
    assert len(set(pieces)) == len(pieces)
    return pieces


def test_the_word_tables_of_use_have_a_row_for_each_piece() -> None:
    frequent, rare, scales, scores = (
        np.load(FOLDER / "use" / f"{part}.npy", mmap_mode="r") for part in ("words3", "words2", "scales", "scores")
    )
    assert (frequent.shape, frequent.dtype) == ((FREQUENT_PIECES, 512 * 3 // 8), np.uint8)
    assert (rare.shape, rare.dtype) == ((len(pieces_of("use")) - FREQUENT_PIECES, 512 * 2 // 8), np.uint8)
    assert len(scales) == len(scores) == len(pieces_of("use"))
    assert scores[3:FREQUENT_PIECES].min() >= scores[FREQUENT_PIECES:].max()


def test_the_word_table_of_e5_has_a_row_for_each_piece() -> None:
    pieces = pieces_of("e5")
    words, scales = (np.load(FOLDER / "e5" / f"{part}.npy", mmap_mode="r") for part in ("words", "scales"))
    assert (words.shape, words.dtype) == ((len(pieces), WIDTH // BLOCK, BLOCK // 2), np.uint8)
    assert (scales.shape, scales.dtype) == ((len(pieces), WIDTH // BLOCK), np.float16)


def test_the_graph_takes_rows_of_the_word_table_and_has_none_itself() -> None:
    graph = onnx.load(FOLDER / "e5" / "layers.onnx").graph
    asked = {one.name: [dimension.dim_value for dimension in one.type.tensor_type.shape.dim] for one in graph.input}
    assert asked["words"][-1] == WIDTH
    assert asked.keys() == {"words", "attention_mask"}
    assert max(dimension for one in graph.initializer for dimension in one.dims) < 10_000


def test_the_directions_of_each_encoder_are_orthogonal() -> None:
    with np.load(FOLDER / "directions.npz") as arrays:
        shapes = {name: arrays[name].shape for name in arrays.files}
        axes = arrays["statement_axes"].astype(np.float64)
    width = UNIVERSAL + WIDTH
    assert shapes == {
        "statement_mean": (width,),
        "statement_axes": (width, 2 * DIRECTIONS),
        "question_mean": (width,),
        "question_axes": (width, 2 * DIRECTIONS),
    }
    np.testing.assert_allclose(axes.T @ axes, np.eye(2 * DIRECTIONS), atol=1.2e-4)  # stored as float16
    assert not axes[:UNIVERSAL, DIRECTIONS:].any()
    assert not axes[UNIVERSAL:, :DIRECTIONS].any()


def test_four_bits_keep_a_row_to_a_fifteenth_of_its_largest_weight() -> None:
    rows = np.random.default_rng(7).normal(size=(50, WIDTH)).astype(np.float32)
    packed, scales = quantized(rows)
    numbers = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
    back = (numbers * scales[..., None].astype(np.float32)).reshape(rows.shape)
    largest = np.abs(rows.reshape(len(rows), -1, BLOCK)).max(-1).repeat(BLOCK, axis=-1)
    assert (np.abs(back - rows) <= largest / 7.5).all()


@pytest.mark.parametrize(("bits", "most"), [(3, 0.19), (2, 0.35)])
def test_few_bits_keep_most_of_a_row(bits: int, most: float) -> None:
    rows = np.random.default_rng(7).normal(size=(50, 512)).astype(np.float32) * 0.04
    packed, scales = few_bits(rows, bits)
    unpacked = np.unpackbits(packed, axis=1).reshape(50, 512, bits) @ np.array([4, 2, 1][-bits:])
    back = np.array(LEVELS[bits])[unpacked] * scales[:, None]
    assert 0.01 < np.linalg.norm(back - rows) / np.linalg.norm(rows) < most


def test_use_has_no_letters_of_a_script_without_a_language() -> None:
    assert [piece for piece in pieces_of("use")[3:] if not is_of_use(piece)] == []
    assert [is_of_use(piece) for piece in ("дом", "بيت", "집", "บ้าน", "家", "σπίτι", "בית", "घर")] == [True] * 5 + [False] * 3


def test_pieces_of_other_scripts_are_told_from_latin_ones() -> None:
    assert is_latin("grün")
    assert is_latin("42")
    assert not is_latin("дом")


def test_the_graph_returns_its_last_layer_and_a_middle_layer() -> None:
    graph = onnx.load(FOLDER / "e5" / "layers.onnx").graph
    ends = [node.output[0] for node in graph.node if node.op_type == "LayerNormalization"]
    assert [one.name for one in graph.output][1:] == [ends[2 * MIDDLE_OF_E5]]

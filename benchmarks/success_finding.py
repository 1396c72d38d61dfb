"""The rows of `success` that are about finding: what is wanted, how it is ordered, and what tidying up costs."""

import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from rich.progress import track

from benchmarks.conversations import Conversation, beam, locomo
from benchmarks.legacy_search import by_any_word, by_words, gain, share_first, told_by
from benchmarks.persons import TUNED, Person, apart, everyday, recall
from benchmarks.report import Cell
from benchmarks.told_store import Answer, Store, opened
from commonplace import Commonplace
from commonplace.settings import Settings
from tests.legacy_store import tables, written

_TALKS, _CHATS = (2, 3, 4), slice(0, None, 2)  # of LoCoMo and BEAM: those that no weight was chosen on
_WANTED = 5


@contextmanager
def moved() -> Iterator[tuple[Commonplace, dict[str, frozenset[str]]]]:
    """A memory with the old store of 141 in it, and of each of its 481 tags the ids of the memories that had it."""
    settings = Settings.model_validate({"timezone": "UTC"})
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "old.json"
        old.write_bytes(written())
        with Commonplace(Path(folder) / "memory.db", user_id="bench", settings=settings) as memory:
            memory.migrate_tinydb(old, apply=True)
            tagged: defaultdict[str, set[str]] = defaultdict(set)
            for table, rows in tables().items():
                for number, row in rows.items():
                    tags = row["tags"] if isinstance(row["tags"], list) else row["tags"].split(", ")
                    for tag in tags:
                        tagged[tag].add(memory.get(row.get("id", f"{table}/{number}")).memory_id)
            yield memory, {tag: frozenset(ids) for tag, ids in tagged.items()}


def _ids(memory: Commonplace, query: str) -> list[str]:
    return [hit.id for hit in memory.search_memory(query).results]


def _share_kept(memory: Commonplace, wanted: dict[str, frozenset[str]]) -> float:
    found = {query: set(_ids(memory, query)) for query in track(wanted, "old tags as queries")}
    return float(np.mean([len(found[query] & ids) / min(10, len(ids)) for query, ids in wanted.items()]))


def kept_rows() -> list[tuple[Cell, ...]]:
    """R@10 before and after the move, a run of `optimize_tags`, and every merge that is suggested."""
    with moved() as (memory, tagged):
        tags = _share_kept(memory, tagged)
        memory.optimize_tags(dry_run=False)
        tidied = _share_kept(memory, tagged)
    before: list[float] = []
    after: list[float] = []
    for person in track(apart(), "tidied up"):
        with opened() as store:
            store.tell(person)
            before += _recalls(store, person)
            store.memory.optimize_tags(dry_run=False)
            _merge_all(store)
            after += _recalls(store, person)
    target = "loss <= .005"
    return [
        ("recall kept: every old tag as a query, after the move", 1.0, tags, target),
        ("recall kept: the same after optimize_tags", tags, tidied, target),
        ("recall kept: ten persons, after tags and merges", float(np.mean(before)), float(np.mean(after)), target),
    ]


def _recalls(store: Store, person: Person) -> list[float]:
    return [recall(asked.evidence, store.search(asked.question).hits, 10) for asked in person.asked]


def _merge_all(store: Store) -> None:
    for group in store.memory.merge_memories().groups:
        done = store.memory.merge_memories(group.memory_ids, dry_run=False) if not group.refused else None
        if done and done.memory_id:
            store.names[done.memory_id] |= set().union(*(store.names[one] for one in group.memory_ids))


def wanted_rows(people: Sequence[Person]) -> list[tuple[Cell, ...]]:
    """The share of questions, of tags and of categories, each alone, with a wanted memory among the first five."""
    asked: list[bool] = []
    labels: dict[str, list[float]] = {"tag": [], "category": []}
    for person in track(people, "wanted"):
        with opened() as store:
            store.tell(person)
            asked += [_hit(store.answer(question)) for question in person.asked]
            for kind, wanted in _labels(store.memory).items():
                labels[kind].append(share_first(wanted, partial(_ids, store.memory), _WANTED))
    target = ">= .85"
    return [
        ("wanted in the top 5: questions", None, float(np.mean(asked)), target),
        ("wanted in the top 5: a tag alone", None, float(np.mean(labels["tag"])), target),
        ("wanted in the top 5: a category's name alone", None, float(np.mean(labels["category"])), target),
    ]


def _hit(one: Answer) -> bool:
    return bool(one.asked.evidence & frozenset().union(*one.at_default.hits[:_WANTED]))


def _labels(memory: Commonplace) -> dict[str, dict[str, frozenset[str]]]:
    found: dict[str, defaultdict[str, set[str]]] = {"tag": defaultdict(set), "category": defaultdict(set)}
    for one in memory.export():
        found["category"][one["category"]].add(one["memory_id"])
        for tag in one["tags"]:
            found["tag"][tag].add(one["memory_id"])
    return {kind: {name: frozenset(ids) for name, ids in each.items()} for kind, each in found.items()}


def gain_rows(data: Path, people: Sequence[Person]) -> list[tuple[Cell, ...]]:
    """nDCG@10 of this search, of the old store's, and of words alone, on what no weight was chosen on."""
    sets: dict[str, list[Person] | list[Conversation]] = {
        "persons": list(people),
        "LoCoMo 2-4": [locomo(data)[number] for number in _TALKS],
        "BEAM, odd": beam(data)[_CHATS],
    }
    return [(f"nDCG@10, {name}", *_gains(name, each)) for name, each in sets.items()]


def _gains(name: str, each: Sequence[Person | Conversation]) -> tuple[Cell, ...]:
    ours: list[float] = []
    old: list[float] = []
    words: list[float] = []
    for one in track(each, name):
        texts = told_by(one)
        ways: list[tuple[Callable[[str], list[str]], list[float]]] = [(by_any_word(texts), old), (by_words(texts), words)]
        with opened() as store:
            store.tell(one) if isinstance(one, Person) else store.hold(one)
            ours += [gain(asked, store.search(asked.question).hits) for asked in one.asked]
        for search, gains in ways:
            gains += [gain(asked, [frozenset({hit}) for hit in search(asked.question)]) for asked in one.asked]
    mean, before, bm25 = (float(np.mean(gains)) for gains in (ours, old, words))
    return before, mean, f">= 1.25 x legacy: x{mean / before:.2f}; BM25 alone {bm25:.3f}"


def people_not_tuned_on(data: Path) -> list[Person]:
    """The persons that no weight was chosen on."""
    return [person for person in (*everyday(data), *apart()) if person.part != TUNED]


def statements(data: Path, count: int) -> list[str]:
    """So many first-person statements of other people, spread over the set."""
    lines = (data / "memory_types" / "statements_handed.jsonl").read_text("utf-8").splitlines()
    texts = dict.fromkeys(str(json.loads(line)["text"]) for line in lines)
    return list(islice(texts, 0, None, max(1, len(texts) // count)))[:count]

"""The advanced tools at 5,000 and 20,000 memories: how long those that answer at once take, and those that walk over all."""

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import islice

import numpy as np
from rich.progress import track

from benchmarks.latency import filled, opened
from benchmarks.report import Cell, Table, main
from commonplace import Commonplace
from commonplace.text.redaction import redact
from training.many import QUESTIONS, texts

SIZES = (5_000, 20_000)
_OFTEN = 5


def _seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def _at_once(memory: Commonplace, size: int) -> dict[str, list[Callable[[], object]]]:
    kept = (text for text in islice(texts(), size + 1, None) if not redact(text).only_secret)
    questions = QUESTIONS * _OFTEN
    return {
        "search_memory": [partial(memory.search_memory, question) for question in questions],
        "store_memory": [partial(memory.store_memory, text) for text in islice(kept, 200)],
        "discover_memory_tools": [memory.discover_memory_tools] * 20,
        "memory_stats": [memory.memory_stats] * 20,
        "memory_timeline": [memory.memory_timeline] * 20,
        "concept_network": [memory.concept_network] * 20,
        "usage_patterns": [memory.usage_patterns] * 20,
        "trace_search": [partial(memory.trace_search, question) for question in questions],
    }


def _walkers(memory: Commonplace) -> dict[str, Callable[[], object]]:
    return {
        "optimize_tags (plan)": memory.optimize_tags,
        "merge_memories (suggestions)": memory.merge_memories,
        "export_memories": memory.export_memories,
        "validate_storage": memory.validate_storage,
        "repair_index (plan, all)": partial(memory.repair_index, "all"),
    }


def measure(_: argparse.Namespace) -> list[Table]:
    """Both sizes in one run, on one machine: p50 and p95 of a call, and seconds per 1,000 memories of a walk."""
    calls: list[tuple[Cell, ...]] = []
    walks: dict[str, list[Cell]] = {}
    for size in SIZES:
        with filled(size) as path, opened(path) as memory:
            memory.search_memory(QUESTIONS[0])  # the first call of a process loads the columns
            for name, each in _at_once(memory, size).items():
                spent = [1_000 * _seconds(call) for call in track(each, f"{name}, {size:,}")]
                calls.append((f"{size:,}", name, len(spent), *(float(value) for value in np.percentile(spent, [50, 95]))))
            for name, walk in _walkers(memory).items():
                walks.setdefault(name, []).append(1_000 * _seconds(walk) / size)
    shown = [(name, *spent, float(spent[1]) / float(spent[0])) for name, spent in walks.items()]  # type: ignore[arg-type]
    sizes = tuple(f"{size:,}" for size in SIZES)
    at_once, walked = ("memories", "tool", "calls", "p50 ms", "p95 ms"), ("tool", *sizes, "ratio")
    return [
        Table("Tools that answer at once", at_once, calls, "p95 <= 200 ms at 5,000"),
        Table("Tools that walk over all memories, seconds per 1,000", walked, shown, "linear: ratio about 1"),
    ]


if __name__ == "__main__":
    main("advanced", "Advanced tools: how long they take as the memories grow", measure, False)

"""What each tool costs a fresh process: the time to import what it needs and the memory after a call."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from benchmarks.latency import filled
from benchmarks.report import Table, main

_CALLS = {
    "memory_normalize": {"text": "I'm 43 and I love concept albums."},
    "memory_store_personal": {"raw_text": "I sing.", "normalized": "The user sings.", "type": "habit", "tags": ["music"]},
    "memory_search_personal": {"query": "what does the user sing"},
    "store_memory": {"content": "My neighbour's name is Olga."},
    "search_memory": {"query": "which medicine am I allergic to"},
    "discover_memory_tools": {},
    "memory_store": {"content": "Sings when happy.", "metadata": {"type": "insight"}},
    "memory_search": {"query": "when do I sing"},
    "write_memory": {"key": "voice", "value": "I sing bass.", "category": "personal_context", "durability": "durable"},
    "list_memories": {},
    "get_memory_context": {"topic": "medicine"},
}
"""A call of each tool that an agent waits for while it talks; what the others take is in `advanced`."""
_PROBE = """
import json, re, resource, sys, time
start = time.perf_counter()
from commonplace import Commonplace
from commonplace.client.memory import Commonplace
from commonplace.contract import registry, validate
from commonplace.use_cases.dispatch import use_case
use_case(sys.argv[2])
imported = time.perf_counter() - start
memory = Commonplace(sys.argv[1], user_id="bench", timezone="UTC")
start = time.perf_counter()
memory.call(sys.argv[2], json.loads(sys.argv[3]))
first = time.perf_counter() - start
if sys.platform == "linux":  # ru_maxrss would be that of the process which started this one, where that was larger
    peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 ** 2 if sys.platform == "darwin" else 1024)
print(json.dumps([imported * 1000, first * 1000, peak]))
"""


def probe(path: Path, tool: str) -> tuple[float, float, float]:
    """Import time and first call in ms, and the largest resident memory in MB, of a fresh process; the best of three."""
    runs = []
    for _ in range(3):
        command = [sys.executable, "-c", _PROBE, str(path), tool, json.dumps(_CALLS[tool])]
        runs.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    imported, first, peak = (min(run[column] for run in runs) for column in range(3))
    return imported, first, peak


def measure(_: argparse.Namespace) -> list[Table]:
    """Each of these tools over 1,000 and 100,000 memories."""
    rows: list[tuple[str | int | float | None, ...]] = []
    for size in (1_000, 100_000):
        with filled(size) as path:
            rows += [(f"{size:,}", tool, *probe(path, tool)) for tool in _CALLS]
    columns = ("memories", "tool", "import ms", "first call ms", "peak MB")
    target = "search: import <= 400 ms; memory <= 150 MB at 1,000 and <= 250 MB at 100,000"
    return [Table("A fresh process per tool", columns, rows, target)]


if __name__ == "__main__":
    main("footprint", "Footprint: import time and memory of each tool's process", measure, False)

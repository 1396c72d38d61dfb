"""How long an import takes, and how much memory: a made ChatGPT export, read talk by talk, facts of mem0, and the plan of a
dump of a million."""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from benchmarks.report import Cell, Table, main
from training.many import texts

MEGABYTES, FACTS, ENTRIES = 100, 2_000, 1_000_000
_FIRST, _BETWEEN, _PAUSE = datetime(2023, 3, 1, 8, tzinfo=UTC), timedelta(hours=3, minutes=7), timedelta(seconds=95)
_ASKED, _ANSWER = 2, 2_600  # messages that only ask, after the first of a conversation; characters of an answer
_MESSAGES = Path(__file__).parents[1] / "training" / "messages"
_IMPORT = """
import json, re, resource, sys, time
from commonplace import Commonplace
from commonplace.settings import Settings
begun = time.perf_counter()
with Commonplace(sys.argv[1], user_id="bench", settings=Settings.model_validate({"timezone": "UTC"})) as memory:
    done = memory.import_from(sys.argv[2], apply=sys.argv[3] == "apply")
seconds, cpu = time.perf_counter() - begun, time.process_time()
if sys.platform == "linux":  # ru_maxrss would be that of the process which started this one, where that was larger
    peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 ** 2 if sys.platform == "darwin" else 1024)
print(json.dumps([done.entries, done.added, len(done.refused), seconds, cpu, peak]))
"""


def options(parser: argparse.ArgumentParser) -> None:
    """Other sizes, to try it."""
    parser.add_argument("--megabytes", type=int, default=MEGABYTES, help="how large the export of ChatGPT is")
    parser.add_argument("--facts", type=int, default=FACTS, help="how many memories mem0 has")
    parser.add_argument("--entries", type=int, default=ENTRIES, help="how many memories the dump has that is only planned")


def measure(given: argparse.Namespace) -> list[Table]:
    """Each into an empty file, by a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        export, facts = Path(folder) / "conversations.json", Path(folder) / "mem0.json"
        write_chatgpt(export, 1_000_000 * given.megabytes)
        made = ({"id": str(number), "memory": text} for number, text in enumerate(islice(texts(), given.facts)))
        facts.write_text(json.dumps({"results": list(made)}), encoding="utf-8")
        dump, lines = Path(folder) / "dump.json", Path(folder) / "dump.jsonl"
        write_dumps(dump, lines, given.entries)
        rows = [
            (f"ChatGPT, {given.megabytes} MB", *_imported(export)),
            (f"mem0, {given.facts:,} memories", *_imported(facts)),
            (f"plan of mem0, {given.entries:,} memories", *_imported(dump, "plan")),
            (f"plan of JSON Lines, {given.entries:,} memories", *_imported(lines, "plan")),
        ]
    columns = ("import", "entries", "added", "refused", "minutes", "CPU minutes", "peak MB")
    target = "100 MB of ChatGPT in <= 15 minutes, a plan of 1,000,000 in <= 5, each with <= 400 MB of memory; none refused"
    notes = [
        f"A conversation has an English message from the training messages of the nightly classifier, {_ASKED} messages that "
        "only ask for something, and an answer to each message. An entry is a section of a conversation. The import runs in "
        "one process, on two cores."
    ]
    return [Table("An import into an empty file", columns, rows, target, notes)]


def write_dumps(whole: Path, lines: Path, count: int) -> None:
    """The same memories of mem0 as `get_all` gives them, and as JSON Lines; numbered, so that none repeats."""
    sentences = list(islice(texts(), 2_000))
    with whole.open("w", encoding="utf-8") as file, lines.open("w", encoding="utf-8") as each:
        file.write('{"results": [')
        for number in range(count):
            said = f"Note {number}: {sentences[number % len(sentences)]}"
            one = {"id": f"made-{number}", "memory": said, "user_id": "ana", "categories": ["home"]}
            entry = json.dumps({**one, "created_at": "2025-03-01T08:00:00Z", "metadata": {"source": "chat", "turn": number}})
            file.write(f"{',' if number else ''}\n{entry}")
            each.write(f"{entry}\n")
        file.write("]}")


def write_chatgpt(path: Path, size: int) -> None:
    """An export of about that many bytes, the same each time: many conversations over years, with answers at length."""
    told, asked = _messages()
    answers, number = _answers(), 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        while file.tell() < size:
            said = [next(told), *islice(asked, _ASKED)]
            talk = [(role, text) for one in said for role, text in (("user", one), ("assistant", next(answers)))]
            file.write(("," if number else "") + json.dumps(_conversation(number, talk)))
            number += 1
        file.write("]")


def _messages() -> tuple[Iterator[str], Iterator[str]]:
    """What people write to an assistant, lasting and passing; and of that what only asks for something."""
    lines = [line for path in sorted(_MESSAGES.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    clauses = [one["clauses"] for one in map(json.loads, filter(None, lines)) if one["lang"] == "en"]
    whole = [" ".join(text for text, _ in one) for one in clauses]
    asking = [text for one in clauses for text, kind in one if kind == "asking"]
    return _shuffled(whole, 7), _shuffled(asking, 9)


def _shuffled(texts: list[str], seed: int) -> Iterator[str]:
    """Each once, then two of them together."""
    chance = random.Random(seed)
    yield from chance.sample(texts, len(texts))
    while True:
        yield " ".join(chance.sample(texts, 2))


def _answers() -> Iterator[str]:
    chance, sentences = random.Random(8), list(islice(texts(), 2_000))
    while True:
        yield " ".join(chance.sample(sentences, 40))[:_ANSWER]


def _conversation(number: int, talk: list[tuple[str, str]]) -> dict[str, Any]:
    begun = _FIRST + number * _BETWEEN
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": [f"{number}-0"]}}
    names = ["root", *(f"{number}-{place}" for place in range(len(talk)))]
    for place, ((before, name), (role, text)) in enumerate(zip(pairwise(names), talk, strict=True)):
        message = {
            "id": name, "author": {"role": role, "name": None, "metadata": {}},
            "create_time": (begun + place * _PAUSE).timestamp(), "update_time": None, "status": "finished_successfully",
            "content": {"content_type": "text", "parts": [text]}, "weight": 1.0, "recipient": "all",
            "metadata": {"timestamp_": "absolute", "message_type": None, "model_slug": "gpt-4o"}, "end_turn": True,
        }  # fmt: skip
        nodes[name] = {"id": name, "message": message, "parent": before, "children": names[place + 2 : place + 3]}
    told = {"title": None, "create_time": begun.timestamp(), "update_time": None, "mapping": nodes, "current_node": names[-1]}
    return {**told, "conversation_id": f"made-{number}", "id": f"made-{number}"}


def _imported(file: Path, how: str = "apply") -> tuple[Cell, ...]:
    """Entries, added, refused, minutes, those of the processor, and the largest resident memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _IMPORT, str(Path(folder) / "memory.db"), str(file), how]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    entries, added, refused, seconds, cpu, peak = told
    return entries, added, refused, seconds / 60, cpu / 60, peak


if __name__ == "__main__":
    main("imports", "Imports from elsewhere: how long they take, and how much memory", measure, False, options)

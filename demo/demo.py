"""Import a conversation of nine evenings and search it. Everything printed is computed while you watch."""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click
from wcwidth import clip, width

from commonplace import Commonplace, CommonplaceError
from commonplace.domain.imports import ImportResult
from commonplace.domain.results import SearchResult
from commonplace.interfaces.cli.options import progress_bar
from commonplace.settings import Settings
from commonplace.text.redaction import redact

HERE = Path(__file__).parent
ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 4, 12, 18, 0, tzinfo=ZONE)  # the Sunday after the last session
SECRET = "Flussufer-7719-kran"
AGAIN = (
    "I really love old Japanese films, especially Ozu, and I cannot stand musicals.",
    "My dentist appointment is on 28 April at 8:15, in the Bahrenfelder Straße.",
)

Turn = dict[str, Any]


def main() -> int:
    """Run the demo. Return 0 if every question was answered and the secret was not stored, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, metavar="FILE", help="keep the memories in this file instead of a temporary one")
    given: Path | None = parser.parse_args().db
    try:
        if given is not None:
            return demonstrate(given)
        with tempfile.TemporaryDirectory() as folder:
            return demonstrate(Path(folder) / "memory.db")
    except CommonplaceError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1


def demonstrate(path: Path) -> int:
    """Run all steps on one memory file."""
    turns = [json.loads(line) for line in (HERE / "conversation.jsonl").read_text(encoding="utf-8").splitlines()]
    # The same on every machine: settings and keys of the environment are ignored.
    with Commonplace(path, user_id="marta", timezone="Europe/Berlin", now=lambda: NOW, settings=Settings()) as memory:
        stored = import_conversation(memory, turns)
        show_kept(memory, stored)
        show_left_out(turns, stored)
        missed = ask_everything(memory, turns, stored)
        show_said_again(memory)
        show_state(memory)
    leaked = [file.name for file in path.parent.glob(f"{path.name}*") if SECRET.encode() in file.read_bytes()]
    click.echo(f"The wifi password mentioned on 14 March is {'IN ' + leaked[0] if leaked else 'in no byte of the file'}.")
    if missed:
        click.secho(f"Wrong or missing answers: {', '.join(missed)}", fg="red", bold=True)
    return 1 if missed or leaked else 0


def import_conversation(memory: Commonplace, turns: Sequence[Turn]) -> ImportResult:
    """Store the statements worth keeping, with a progress bar on a terminal."""
    start = time.perf_counter()
    with progress_bar("reading the conversation", len(turns)) as show:
        stored = memory.import_turns(turns, keep="worthy", progress=show)
    sessions = len({turn["session_id"] for turn in turns})
    head(f"1  Read {len(turns)} messages of {sessions} evenings in {time.perf_counter() - start:.1f} s")
    click.echo("Without a language model, an API key or the network.")
    return stored


def show_kept(memory: Commonplace, stored: ImportResult) -> None:
    """Show three memories: the original words, the stored text, and their type, category and tags."""
    stored_ids = [memory_id for memory_id in stored.ids if memory_id]
    head(f"2  {len(stored_ids)} memories, three of them:")
    records = {record["memory_id"]: record for record in memory.export()}
    for record in (records[memory_id] for memory_id in (stored_ids[0], stored_ids[3], stored_ids[8])):
        show(f"said    {record['raw_text']}")
        show(f"stored  {record['normalized_text']}", fg="green")
        show(f"filed   {record['memory_type']} in {record['category']}: {', '.join(record['tags'])}")


def show_left_out(turns: Sequence[Turn], stored: ImportResult) -> None:
    """Show how many messages were not stored, by reason, with an example each."""
    head(f"3  {len(stored.left_out)} messages not stored")
    examples: dict[str, list[str]] = {}
    for left in stored.left_out:
        examples.setdefault(left.why.partition(": ")[2], []).append(redact(turns[left.turn]["text"]).text)
    for why, texts in examples.items():
        show(f"{len(texts)} {why}, for example “{min(texts, key=len)}”")


def ask_everything(memory: Commonplace, turns: Sequence[Turn], stored: ImportResult) -> list[str]:
    """Ask every question and show the best hit. Return the questions without an answer among the first three hits."""
    questions = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
    ids = {(turn["session_id"], turn["position"]): memory_id for turn, memory_id in zip(turns, stored.ids, strict=True)}
    head(f"4  {len(questions)} questions on {NOW:%A, %d %B %Y}, each with its best match (-> marks a right answer)")
    missed = []
    for number, asked in enumerate(questions, 1):
        start = time.perf_counter()
        found = memory.search_memory(asked["question"], limit=3)
        milliseconds = 1000 * (time.perf_counter() - start)
        right = {ids[session, position] for session, position in asked["answer"]}
        show(f"{number:2} {asked['question']}  ({asked['about']}, {milliseconds:.0f} ms)", bold=True)
        show_best(found, right)
        if right and not right & {hit.id for hit in found.results}:
            missed.append(asked["question"])
    return missed


def show_best(found: SearchResult, right: set[str | None]) -> None:
    """Show the best hit and its probability, with an arrow if it is a right answer."""
    if not found.results:
        return show("     nothing found")
    hit = found.results[0]
    when = (hit.event_time or hit.created_at).astimezone(ZONE)
    sure = "    " if hit.probability is None else f"{hit.probability:4.0%}"
    arrow, colour = ("->", "green") if hit.id in right else ("  ", None)
    return show(f"{arrow} {sure}  {when:%d %b}  {hit.content}", fg=colour)


def show_said_again(memory: Commonplace) -> None:
    """Store statements that were made before: the store reports similar memories and merges nothing."""
    head("5  Stored again: the same in other words, and with another date")
    texts = {record["memory_id"]: record["raw_text"] for record in memory.export()}
    for text in AGAIN:
        merges = memory.store_memory(text).recommendations.suggested_merges
        show(text)
        for merge in merges:
            show(f"   could be merged with: {texts[merge.memory_id]}")
        if not merges:
            show("   is new: no similar memory")


def show_state(memory: Commonplace) -> None:
    """Show the state that discover_memory_tools reports."""
    state = memory.discover_memory_tools().current_system_state
    head(f"6  {state.total_memories} memories, health {state.health_score:.2f}")
    for opportunity in state.optimization_opportunities:
        show(f"Suggestion: {opportunity}.")


def head(title: str) -> None:
    """Print a heading."""
    click.secho(f"\n{title}", bold=True)


def show(text: str, **style: Any) -> None:
    """Print a text, cut to one line of the terminal."""
    columns = shutil.get_terminal_size().columns
    click.secho(text if width(text) <= columns else clip(text, 0, columns - 1).rstrip() + "…", **style)


if __name__ == "__main__":
    sys.exit(main())

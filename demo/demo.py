"""A conversation of nine evenings, read, stored and asked: everything printed here is computed as you watch."""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from commonplace import Commonplace, CommonplaceError
from commonplace.domain.imports import ImportResult
from commonplace.domain.memory import level_of
from commonplace.domain.results import SearchResult
from commonplace.interfaces.cli.tables import Remarked, print_rows
from commonplace.settings import Settings
from commonplace.text.redaction import redact

HERE = Path(__file__).parent
ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 4, 12, 18, 0, tzinfo=ZONE)  # the Sunday after the last session
SECRET = "Flussufer-7719-kran"
SHOWN = 3
AGAIN = (
    "I really love old Japanese films, especially Ozu, and I cannot stand musicals.",
    "My dentist appointment is on 28 April at 8:15, in the Bahrenfelder Straße.",
)

Turn = dict[str, Any]


def main() -> int:
    """Runs the demonstration; 0 when every question was answered and the secret is nowhere, else 1."""
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
    """The whole demonstration over one memory file."""
    turns = [json.loads(line) for line in (HERE / "conversation.jsonl").read_text(encoding="utf-8").splitlines()]
    # By rules on every machine: a key in the environment is not used here.
    with Commonplace(path, user_id="marta", timezone="Europe/Berlin", now=lambda: NOW, settings=Settings()) as memory:
        stored = import_conversation(memory, turns)
        show_kept(memory)
        show_left_out(turns, stored)
        missed = ask_everything(memory, turns, stored)
        show_said_again(memory)
        show_state(memory)
    leaked = [file.name for file in path.parent.glob(f"{path.name}*") if SECRET.encode() in file.read_bytes()]
    click.echo(f"The wifi password that was said on 14 March is {'IN ' + leaked[0] if leaked else 'in no byte of the file'}.")
    if missed:
        click.secho(f"Not answered as they should be: {', '.join(missed)}", fg="red", bold=True)
    return 1 if missed or leaked else 0


def import_conversation(memory: Commonplace, turns: Sequence[Turn]) -> ImportResult:
    """Stores what is worth keeping, and tells how long that took."""
    start = time.perf_counter()
    stored = memory.import_turns(turns, keep="worthy")
    seconds = time.perf_counter() - start
    sessions = len({turn["session_id"] for turn in turns})
    kept = sum(memory_id is not None for memory_id in stored.ids)
    head("1  A conversation is read")
    click.echo(
        f"{len(turns)} turns in {sessions} sessions: {kept} kept, {len(stored.left_out)} left out, in {seconds:.2f} s. "
        "By rules: no key, no model server, no network."
    )
    return stored


def show_kept(memory: Commonplace) -> None:
    """Every memory with what the engine made of it."""
    head("2  What was kept: what was said, and its normalized form")
    rows = []
    for record in memory.export():
        filed = f"{record['memory_type']}\n{record['category']}\n{day(record['event_time'])}"
        text = Remarked(record["raw_text"], record["normalized_text"])
        rows.append((filed, level_of(record["importance"]), " ".join(record["tags"]), text))
    print_rows(("type, category, day", "imp.", "tags", "memory"), rows, "memory")


def show_left_out(turns: Sequence[Turn], stored: ImportResult) -> None:
    """What the user said that was not kept, and why; what the assistant said is counted."""
    head("3  What was left out, and why")
    rows = []
    counted: Counter[str] = Counter()
    for left in stored.left_out:
        turn = turns[left.turn]
        if turn["speaker"] == "user":
            rows.append((day(turn["event_time"]), left.why, redact(turn["text"]).text))
        else:
            counted[left.why] += 1
    rows += [("", why, f"{number} turns") for why, number in counted.items()]
    print_rows(("said", "why", "turn"), rows, "turn")


def ask_everything(memory: Commonplace, turns: Sequence[Turn], stored: ImportResult) -> list[str]:
    """Asks every question and shows the best hits; gives the questions whose answer is not among them."""
    questions = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
    ids = {(turn["session_id"], turn["position"]): memory_id for turn, memory_id in zip(turns, stored.ids, strict=True)}
    head(f"4  {len(questions)} questions, asked on {NOW:%A, %d %B %Y}")
    missed = []
    for number, asked in enumerate(questions, 1):
        start = time.perf_counter()
        found = memory.search_memory(asked["question"], limit=SHOWN)
        milliseconds = 1000 * (time.perf_counter() - start)
        right = {ids[session, position] for session, position in asked["answer"]}
        question, about = (
            click.style(f"{number:2} {asked['question']}", bold=True),
            click.style(f"({asked['about']})", dim=True),
        )
        click.echo(f"\n{question}  {about}")
        show_hits(found, right)
        show_analysis(found, milliseconds)
        if right and not right & {hit.id for hit in found.results}:
            missed.append(asked["question"])
    return missed


def show_hits(found: SearchResult, right: set[str | None]) -> None:
    """The best hits; an arrow stands before what answers the question."""
    for hit in found.results:
        mark = "->" if hit.id in right else "  "
        when = day((hit.event_time or hit.created_at).isoformat())
        click.secho(f"  {mark}  {hit.relevance_score:.2f}  {when}  {hit.content}", fg="green" if hit.id in right else None)
    if not found.results:
        click.echo("     nothing found")


def show_analysis(found: SearchResult, milliseconds: float) -> None:
    """What the engine understood, and how sure it is of the first hit."""
    analysis = found.query_analysis
    parts = [f"{found.total_found} match", f"{milliseconds:.1f} ms"]
    if found.results and found.results[0].probability is not None:
        parts.insert(0, f"probability of the first {found.results[0].probability:.2f}")
    if analysis.time_range:
        span = analysis.time_range
        ends = [day(end.isoformat()) if end else "ever" for end in (span.after, span.before)]
        parts.append(f"time: from {ends[0]} until before {ends[1]}")
    if analysis.semantic_expansions:
        words = [word for added in analysis.semantic_expansions.values() for word in added]
        parts.append(f"also: {', '.join(words)}")
    click.secho("     " + " | ".join(parts), dim=True)


def show_said_again(memory: Commonplace) -> None:
    """The same in other words is pointed out and not merged; another day makes another memory."""
    head("5  Said again in other words, and said otherwise")
    said = {record["memory_id"]: record["raw_text"] for record in memory.export()}
    for text in AGAIN:
        merges = memory.store_memory(text).recommendations.suggested_merges
        click.echo(text)
        for merge in merges:
            click.echo(f"     could be merged with: {said[merge.memory_id]} ({merge.why})")
        if not merges:
            click.echo("     says something of its own")


def show_state(memory: Commonplace) -> None:
    """What discover_memory_tools tells."""
    head("6  The state of the memories")
    state = memory.discover_memory_tools().current_system_state
    click.echo(f"{state.total_memories} memories, health {state.health_score:.2f}")
    for opportunity in state.optimization_opportunities:
        click.echo(f"  - {opportunity}")


def head(title: str) -> None:
    """A heading."""
    click.secho(f"\n{title}", bold=True)


def day(moment: str) -> str:
    """An ISO time as its day in the user's zone."""
    return f"{datetime.fromisoformat(moment).astimezone(ZONE):%d %b}"


if __name__ == "__main__":
    sys.exit(main())

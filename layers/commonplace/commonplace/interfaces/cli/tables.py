"""Answers, runs and histories for people: plain tables, and texts exactly as they are."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from commonplace.domain.interactions import History, ToldOperation, ToldRun
    from commonplace.domain.runs import Run

_NUMBERS = ("relevance", "turns")


def console(stderr: bool = False) -> "Console":
    """Where to print. What was said is no markup: `[b]` and `:tea:` stay as they are."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def print_json(value: object, indent: int | None = None) -> None:
    """A value as JSON, in one line unless `indent` is given."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, indent=indent))


def print_facts(facts: Mapping[str, object]) -> None:
    """Names beside values; what is empty is left out."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        if value not in (None, "", [], {}):
            table.add_row(name, in_words(value))
    console().print(table)


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[object]], wide: str) -> None:
    """A table whose column `wide` takes the room that the others leave."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for column in columns:
        if column == wide:
            table.add_column(column, ratio=1, overflow="fold", min_width=24)
        else:
            table.add_column(column, overflow="fold", justify="right" if column in _NUMBERS else "left")
    for row in rows:
        table.add_row(*(in_words(value) for value in row))
    console().print(table)


def with_remark(text: str, remark: str) -> "Text":
    """A text with a remark in a line of its own below it."""
    from rich.text import Text

    return Text.assemble(text, "\n", (remark, "dim"))


def in_words(value: object) -> "str | Text":
    """A value as a person reads it."""
    from rich.text import Text

    if isinstance(value, Text):
        return value
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {in_words(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(str(in_words(inner)) for inner in value)
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def day_and_time(moment: str) -> str:
    """An ISO time without seconds and offset."""
    return moment[:16].replace("T", " ")


def print_notes(answer: Mapping[str, Any]) -> None:
    """What the answer has to tell beside its result."""
    notes = answer.get("notes") or {}
    print_facts({"made by": notes.get("method"), **{name: notes[name] for name in notes if name != "method"}})


_MARKS = {
    "planned": "would", "applied": "✓", "lost": "lost", "over_cap": "over cap", "needs_review": "review",
    "discarded": "discarded", "undone": "✓", "kept": "kept",
}  # fmt: skip


def print_runs(runs: "Sequence[Run]") -> None:
    """A line per run."""
    rows = [
        (run.run_id, day_and_time(run.started_at.isoformat()), run.kind, run.status, len(run.interactions), _counts(run))
        for run in runs
    ]
    print_rows(("run", "when", "kind", "status", "read", "operations"), rows, "operations")


def print_run(told: "ToldRun") -> None:
    """A run: what it did, why, and the words that each change rests on."""
    run = told.run
    print_facts({
        "run": run.run_id, "kind": run.kind, "status": run.status, "read by": run.mode, "model": run.model,
        "takes back": run.undoes, "interactions": len(run.interactions) - len(run.unread) or None,
        "unread": len(run.unread) or None, "operations": _counts(run),
        "tokens": run.input_tokens + run.output_tokens or None, "cost": run.cost or None,
        "error": run.error, "notes": "\n".join(run.notes),
    })  # fmt: skip
    changes = [one for one in told.operations if one.operation.kind != "NOOP"]
    if changes:
        rows = [(_MARKS[one.operation.outcome], one.operation.kind, _change(one)) for one in changes]
        print_rows(("", "operation", "change"), rows, "change")
    reasons = Counter(one.why for one in run.dropped)
    reasons.update(one.operation.why for one in told.operations if one.operation.kind == "NOOP")
    if reasons:
        print_rows(("turns", "left out because"), [(str(n), why) for why, n in reasons.most_common()], "left out because")
    if run.status == "needs_review":
        print_facts({"to do": f"commonplace runs approve {run.run_id}, or discard"})


def print_history(history: "History") -> None:
    """A line per value."""
    rows = [
        (
            value.status,
            day_and_time(value.created_at.isoformat()),
            with_remark(value.value, _origin(value.evidence, value.memory_id)),
        )
        for value in history.values
    ]
    print_rows(("status", "since", history.key), rows, history.key)


def _change(told: "ToldOperation") -> object:
    lines = [f"- {text}" for text in told.closed]
    if told.says is not None:
        lines.append(f"+ {told.says}")
    of = ", ".join(told.operation.rests_on)
    remark = [
        f"“{told.rests_on}”" if told.rests_on else "",
        of and f"of {of}",
        told.operation.why,
        told.operation.operation_id,
    ]
    return with_remark("\n".join(lines) or "nothing", "\n".join(filter(None, remark)))


def _origin(evidence: str | None, memory_id: str) -> str:
    return f"“{evidence}”, {memory_id}" if evidence else memory_id


def _counts(run: "Run") -> str:
    counts = Counter(one.kind for one in run.operations)
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())

"""Answers for people: plain tables, and texts exactly as they are."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

_NUMBERS = ("relevance", "turns")

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


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

"""How every benchmark shows what it measured: tables for people, JSON beside it, one page of all results."""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table as RichTable

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"
Cell = str | float | int | None


@dataclass(frozen=True)
class Table:
    """One table. `target` describes the wanted figures in words, and each of `notes` explains how to read the figures."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    target: str = ""
    notes: list[str] = field(default_factory=list)


Measure = Callable[[argparse.Namespace], Sequence[Table]]


def main(
    name: str,
    description: str,
    measure: Measure,
    needs_data: bool,
    options: Callable[[argparse.ArgumentParser], None] | None = None,
) -> None:
    """The command line of a benchmark: `--data DIR` where it needs some, `--json`; writes `results/<name>.json`.

    `options` adds those that only this one has.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--data", type=Path, required=needs_data, help="folder of the data sets, see benchmarks/DATA.md")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    if options is not None:
        options(parser)
    given = parser.parse_args()
    is_about = "benchmarks/DATA.md tells where it comes from"
    if needs_data and not given.data.is_dir():
        parser.exit(2, f"the folder {given.data} is missing; {is_about}\n")
    try:
        tables = list(measure(given))
    except FileNotFoundError as error:
        file = Path(error.filename or "")
        if not needs_data or given.data not in file.parents:
            raise
        parser.exit(2, f"{file.relative_to(given.data)} is missing in {given.data}; {is_about}\n")
    RESULTS.mkdir(exist_ok=True)
    command = f"python -m benchmarks.{name}" + (" --data DIR" if needs_data else "")
    whole = {"description": description, "command": command, "tables": [asdict(table) for table in tables]}
    text = json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
    if given.json:
        print(text, end="")
    else:
        for table in tables:
            show(table)


def show(table: Table) -> None:
    """Prints one table."""
    drawn = RichTable(title=table.title, caption=table.target, title_justify="left", caption_justify="left")
    for number, column in enumerate(table.columns):
        drawn.add_column(column, justify="right" if number else "left")
    for row in table.rows:
        drawn.add_row(*(shown(cell) for cell in row))
    console = Console()
    console.print(drawn)
    for note in table.notes:
        console.print(f"  {note}")


def shown(cell: Cell) -> str:
    """A cell as text: shares with three digits, other numbers with two."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.3f}" if abs(cell) <= 1 else f"{cell:.2f}"
    return str(cell)

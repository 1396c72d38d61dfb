"""`import` and `export`: whole conversations in, everything out."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from commonplace.cli.failures import STOPPED
from commonplace.cli.options import Shared, command_options, stdin_text
from commonplace.cli.tables import console, print_facts, print_json, print_rows
from commonplace.errors import CommonplaceError, ErrorCode


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--keep", type=click.Choice(["all", "worthy"]), default="all", show_default=True,
    help="worthy leaves out small talk and what an assistant says.",
)  # fmt: skip
@command_options
def import_file(shared: Shared, file: str, keep: Any) -> None:
    """Store a conversation from a file.

    FILE holds turns, each {"session_id", "position", "speaker", "text", "event_time"?}, as JSON or JSON lines.
    What is stored already isn't stored twice.
    """
    turns, lines = read_turns(read_text(file))
    done = 0
    with shared.open() as memory, _by_line(lines), progress_bar() as bar:
        task = bar.add_task(f"storing {len(turns)} turns", total=len(turns))

        def advance(count: int) -> None:
            nonlocal done
            done = count
            bar.update(task, completed=count)

        try:
            result = memory.import_turns(turns, keep=keep, progress=advance)
        except KeyboardInterrupt:
            bar.stop()
            line = f"commonplace: stopped after {done} of {len(turns)} turns; the same command goes on from there"
            click.echo(line, err=True)
            raise click.exceptions.Exit(STOPPED) from None
    answer = result.model_dump(mode="json")
    if shared.json:
        print_json(answer)
    else:
        _print_import(answer)


@click.command()
@command_options
def export(shared: Shared) -> None:
    """Print every record as JSON lines.

    The oldest come first, and those that are closed (superseded, archived, deleted) are there too.
    """
    with shared.reading() as memory:
        for record in memory.export():
            print_json(record)


def read_turns(text: str) -> tuple[list[Any], list[int]]:
    """Turns from a JSON array, an object with `turns`, or a JSON object per line, and then the number of each line.

    Raises `INVALID_JSON`.
    """
    from commonplace.strict_json import read_json

    first = text.strip().partition("\n")[0].strip()
    if not first:
        raise CommonplaceError(ErrorCode.INVALID_JSON, "file: holds no turns", "file")
    if first.startswith("{") and first.endswith("}"):
        lines = enumerate(text.split("\n"), 1)  # other line breaks, such as U+2028, may stand inside a JSON string
        rows = {number: _line(number, line) for number, line in lines if line.strip()}
        if len(rows) > 1 or "text" in next(iter(rows.values())):
            return list(rows.values()), list(rows)
    whole = read_json(text)
    turns = whole.get("turns") if isinstance(whole, dict) else whole
    if not isinstance(turns, list):
        raise CommonplaceError(ErrorCode.INVALID_JSON, 'file: must be a list of turns, {"turns": [...]}, or a turn per line')
    return turns, []


@contextmanager
def _by_line(lines: list[int]) -> Iterator[None]:
    """The engine counts turns from 0; a person who wrote them line by line looks for the line."""
    try:
        yield
    except CommonplaceError as error:
        turn, _, why = error.message.partition(": ")
        number = turn.removeprefix("turns.")
        if not lines or number == turn:
            raise
        raise CommonplaceError(error.code, f"line {lines[int(number)]}: {why}", error.field) from error


def _line(number: int, line: str) -> dict[str, Any]:
    from commonplace.strict_json import read_object

    try:
        return read_object(line)
    except CommonplaceError as error:
        raise CommonplaceError(error.code, f"line {number}: {error.message}", "file") from None


def read_text(file: str) -> str:
    """What a file, or `-` for stdin, holds, which must be UTF-8."""
    if file == "-":
        return stdin_text()
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "file: is not UTF-8", "file") from None
    except OSError as error:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"file: {error.strerror}", "file") from error


def progress_bar() -> Any:
    """A bar on stderr that counts; on no terminal there is none."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    terminal = console(stderr=True)
    return Progress(*columns, console=terminal, transient=True, disable=not terminal.is_terminal)


def _print_import(answer: dict[str, Any]) -> None:
    kept = [memory_id for memory_id in answer["ids"] if memory_id]
    print_facts({"turns": len(answer["ids"]), "kept": len(kept), "left out": len(answer["left_out"])})
    reasons = Counter(left["why"] for left in answer["left_out"])
    if reasons:
        print_rows(("turns", "left out because"), [(str(n), why) for why, n in reasons.most_common()], "left out because")

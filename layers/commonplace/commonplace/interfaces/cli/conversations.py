"""`import` and `export`: whole conversations in, everything out."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from commonplace.domain.flaws import gathered
from commonplace.interfaces.cli.failures import LEFT
from commonplace.interfaces.cli.import_files import ImportFile, read_import
from commonplace.interfaces.cli.options import Shared, command_options, new_file, progress_bar, read_text
from commonplace.interfaces.cli.tables import print_facts, print_json, print_rows

_MOST_SHOWN = 20  # of what was left out; --json has all

if TYPE_CHECKING:
    from commonplace import Commonplace
    from commonplace.domain.imports import ImportResult


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--keep", type=click.Choice(["all", "worthy"]), default="all", show_default=True,
    help="worthy leaves out small talk and what an assistant says.",
)  # fmt: skip
@click.option("--apply", is_flag=True, help="Store what the plan for an export tells.")
@command_options
def import_file(shared: Shared, file: str, keep: Any, apply: bool) -> None:
    """Store a conversation from a file, or take in an export.

    \b
    FILE holds one of these, as JSON or JSON lines:
      turns, each {"session_id", "position", "speaker", "text", "event_time"?}
      messages as chat APIs have them, each {"role", "content"}
      what "commonplace export" wrote, of this version or of 0.1

    Turns and messages are stored at once. An export, JSON lines or CSV, is only planned until --apply: ids, closed ones
    and links are kept, and memories that are here already stay as they are. What is stored already isn't stored twice.
    What was stored of an export is a run, which "commonplace runs undo" takes back. The exit code is 5 where something
    of an export can't be stored beside what is here.
    """
    found = read_import(read_text(file))
    if found.exported:
        if keep != "all":
            raise click.UsageError("--keep is for conversations; an export is taken in whole")
        return _import_export(shared, found, apply)
    with shared.open() as memory, found.told_by_line():
        answer = _stored(memory, found.items, keep).model_dump(mode="json")
    if shared.json:
        return print_json(answer)
    return _print_import(answer)


def _import_export(shared: Shared, found: ImportFile, apply: bool) -> None:
    with (
        shared.open() if apply else shared.reading() as memory,
        found.told_by_line(),
        progress_bar(f"reading {len(found.items)} records", len(found.items), "records") as show,
    ):
        answer = memory.import_records(found.items, apply, show).model_dump(mode="json")
    _print_records(shared, answer, len(found.items), apply)
    if any(not one["why"].startswith("known") for one in answer["left_out"]):
        raise click.exceptions.Exit(LEFT)


def _print_records(shared: Shared, answer: dict[str, Any], records: int, apply: bool) -> None:
    if shared.json:
        return print_json(answer)
    print_facts({
        "records": records,
        "stored" if apply else "to be stored": f"{len(answer['stored'])}, {answer['closed']} of them closed",
        "here already": len(answer["known"]),
        "left out": len(answer["left_out"]),
        "dates held at the years 1 or 9000": answer["held"],
        "redacted": (answer.get("notes") or {}).get("redacted"),
        "undo by": f"commonplace runs undo {answer['run_id']}" if "run_id" in answer else "",
    })  # fmt: skip
    if answer["left_out"]:
        rows = [(one["memory_id"], one["why"]) for one in answer["left_out"][:_MOST_SHOWN]]
        print_rows(("record", "left out because"), rows, "left out because")
    if answer["stored"] and not apply:
        click.echo("--apply stores them")
    return None


@click.command()
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "csv", "markdown"]), default="jsonl", show_default=True,
    help="jsonl and csv can be imported again; markdown is to be read.",
)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="A new file, for you alone.")
@command_options
def export(shared: Shared, form: Any, output: str | None) -> None:
    """Print every record as JSON lines, or another way.

    The first line tells the form. The oldest record comes first, and those that are closed (superseded, archived,
    deleted) are there too, but not as markdown. "commonplace import" takes jsonl and csv in again. A file that is there
    already is never written over. Where records can't be read, the others are given, and the exit code is 5.
    """
    with shared.reading() as memory, gathered() as flaws:
        lines = memory.export_lines(form)
        if output is None:
            for line in lines:
                click.echo(line, nl=False)
        else:
            with new_file(output) as file, progress_bar(f"writing {output}") as show:
                for number, line in enumerate(lines, 1):
                    file.write(line)
                    show(number)
    if flaws.note:
        click.echo(f"commonplace: {flaws.note}", err=True)
        raise click.exceptions.Exit(LEFT)


def _stored(memory: "Commonplace", turns: Sequence[Any], keep: Any) -> "ImportResult":
    with progress_bar(f"storing {len(turns)} turns", len(turns), "turns") as show:
        return memory.import_turns(turns, keep=keep, progress=show)


def _print_import(answer: dict[str, Any]) -> None:
    kept = [memory_id for memory_id in answer["ids"] if memory_id]
    print_facts({"turns": len(answer["ids"]), "kept": len(kept), "left out": len(answer["left_out"])})
    reasons = Counter(left["why"] for left in answer["left_out"])
    if reasons:
        print_rows(("turns", "left out because"), [(str(n), why) for why, n in reasons.most_common()], "left out because")

"""`import` and `export`: what was kept elsewhere in, everything out."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from commonplace.domain.flaws import gathered
from commonplace.domain.taxonomy import ImportKind
from commonplace.interfaces.cli.failures import LEFT
from commonplace.interfaces.cli.importing import MOST_SHOWN, import_foreign, print_memories
from commonplace.interfaces.cli.options import Shared, command_options, new_file, progress_bar, stdin_text
from commonplace.interfaces.cli.tables import print_facts, print_json, print_rows

if TYPE_CHECKING:
    from commonplace.use_cases.import_records import ExportFile


@click.command("import")
@click.argument("file", metavar="FILE|FOLDER", type=click.Path(exists=True, allow_dash=True))
@click.option("--from", "kind", type=click.Choice(get_args(ImportKind)), help="What it holds; found out where it can be.")
@click.option("--apply", is_flag=True, help="Store what the plan tells.")
@click.option("--all", "every", is_flag=True, help="Show what happens to every entry, compared with what is alike here.")
@command_options
def import_file(shared: Shared, file: str, kind: ImportKind | None, apply: bool, every: bool) -> None:
    """Bring memories along from other stores and notes.

    \b
    FILE or FOLDER holds one of these:
      chatgpt, claude                         the data export: its ZIP or folder, or conversations.json
      mem0, zep, graphiti, letta, langgraph   what these stores give as JSON
      basic-memory, markdown                  a folder of notes, or one note
      anthropic-memory                        the folder /memories of Claude's memory tool
      messages                                as chat APIs have them, each {"role", "content"}
      turns                                   {"session_id", "position", "speaker", "text", "event_time"?}
      commonplace                             what "commonplace export" wrote, of this version or of 0.1

    A plan is shown first: what would come, what is here already, what is refused and why. --apply stores it, as a run that
    "commonplace runs undo" takes back; what came before is known. Times, tags, other fields and ids are kept. Of messages
    only the user's own words become memories; of turns all do, whoever said them. The exit code is 5 where something can't
    be stored, or stands in the way.
    """
    from commonplace.importing.kinds import kind_of
    from commonplace.importing.sources import Source

    source = Source(None, stdin_text()) if file == "-" else Source.of(Path(file))
    found = kind_of(source, kind)
    if found.kind == "commonplace":
        from commonplace.use_cases.import_records import ExportFile

        return _import_export(shared, ExportFile.read(source.text), apply, every)
    return import_foreign(shared, source, found, apply, every)


def _import_export(shared: Shared, found: "ExportFile", apply: bool, every: bool) -> None:
    with (
        shared.open() if apply else shared.reading() as memory,
        found.told_by_line(),
        progress_bar(f"reading {len(found.records)} records", len(found.records), "records") as show,
    ):
        answer = memory.import_records(found.records, apply, show).model_dump(mode="json")
    _print_records(shared, answer, len(found.records), apply, every)
    if any(not one["why"].startswith("known") for one in answer["left_out"]):
        raise click.exceptions.Exit(LEFT)


def _print_records(shared: Shared, answer: dict[str, Any], records: int, apply: bool, every: bool) -> None:
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
        rows = [(one["memory_id"], one["why"]) for one in answer["left_out"][:MOST_SHOWN]]
        print_rows(("record", "left out because"), rows, "left out because")
    print_memories(answer["memories"], every)
    if answer["stored"] and not apply:
        click.echo("--apply stores them")
    return None


@click.command()
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "csv", "markdown", "mem0", "langgraph"]), default="jsonl",
    show_default=True,
    help="jsonl and csv can be imported again; markdown is to be read; mem0 and langgraph are for those stores.",
)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="A new file, for you alone.")
@command_options
def export(shared: Shared, form: Any, output: str | None) -> None:
    """Print every record as JSON lines, or another way.

    The first line tells the form. The oldest record comes first, and those that are closed (superseded, archived,
    deleted) are there too, but not as markdown, mem0 or langgraph. "commonplace import" takes all but markdown in again.
    A file that is there already is never written over. Where records can't be read, the others are given, and the exit
    code is 5.
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

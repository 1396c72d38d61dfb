"""`import` and `export`: what was kept elsewhere in, everything out."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from commonplace.domain.flaws import gathered
from commonplace.domain.taxonomy import ImportKind
from commonplace.importing.import_files import ImportFile, read_export, read_import
from commonplace.interfaces.cli.failures import LEFT
from commonplace.interfaces.cli.importing import import_foreign
from commonplace.interfaces.cli.options import Shared, command_options, new_file, progress_bar, stdin_text
from commonplace.interfaces.cli.tables import print_facts, print_json, print_rows

_MOST_SHOWN = 20  # of what was left out; --json has all

if TYPE_CHECKING:
    from commonplace import Commonplace
    from commonplace.domain.imports import ImportResult


@click.command("import")
@click.argument("file", metavar="FILE|FOLDER", type=click.Path(exists=True, allow_dash=True))
@click.option("--from", "kind", type=click.Choice(get_args(ImportKind)), help="What it holds; found out where it can be.")
@click.option(
    "--keep", type=click.Choice(["all", "worthy"]), default="all", show_default=True,
    help="Of turns and messages that are stored at once: worthy leaves out small talk and what an assistant says.",
)  # fmt: skip
@click.option("--only", metavar="NAME", help="Whose memories to take, where the file holds those of several people.")
@click.option("--user-map", multiple=True, metavar="NAME=USER", help="Take NAME's memories for the user USER; repeatable.")
@click.option("--apply", is_flag=True, help="Store what the plan tells.")
@command_options
def import_file(
    shared: Shared, file: str, kind: ImportKind | None, keep: Any, only: str | None, user_map: Sequence[str], apply: bool
) -> None:
    """Bring memories along from other stores and notes.

    \b
    FILE or FOLDER holds one of these:
      chatgpt, claude                         the data export: its ZIP or folder, or conversations.json
      mem0, zep, graphiti, letta, langgraph   what these stores give as JSON; mem0's folder
      agentcore, mcp-memory                   the records of AgentCore Memory; the file of MCP's memory server
      basic-memory, markdown                  a folder of notes, or one note
      anthropic-memory                        the folder /memories of Claude's memory tool
      messages                                as chat APIs have them, each {"role", "content"}
      turns                                   {"session_id", "position", "speaker", "text", "event_time"?}
      commonplace                             what "commonplace export" wrote, of this version or of 0.1

    A plan is shown first: what would come, what is here already, what is refused and why. --apply stores it, as a run that
    "commonplace runs undo" takes back; what came before is known. Times, tags, other fields and ids are kept. Turns and
    messages without --from are stored at once. The exit code is 5 where something can't be stored, or stands in the way.
    """
    from commonplace.importing.kinds import kind_of
    from commonplace.importing.sources import Source

    source = Source(None, stdin_text()) if file == "-" else Source(Path(file))
    found = kind_of(source, kind)
    if only is not None and user_map:
        raise click.UsageError("--only and --user-map exclude each other: a person of --user-map is taken for their user")
    if (only is not None or user_map) and found.kind == "commonplace":
        raise click.UsageError("--only and --user-map are for files of other stores")
    if keep != "all" and (found.asked or found.kind not in ("turns", "messages")):
        raise click.UsageError("--keep is for turns and messages without --from; all else is taken in whole")
    if found.kind == "commonplace":
        return _import_export(shared, read_export(source.text), apply)
    if found.asked or found.kind not in ("turns", "messages"):
        return import_foreign(shared, source, found, apply, only, user_map)
    given = read_import(source.text)
    with shared.open() as memory, given.told_by_line():
        answer = _stored(memory, given.items, keep).model_dump(mode="json")
    if shared.json:
        return print_json(answer)
    _print_import(answer)
    click.echo(f"stored at once; --from {found.kind} shows a plan first")
    return None


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


def _stored(memory: "Commonplace", turns: Sequence[Any], keep: Any) -> "ImportResult":
    with progress_bar(f"storing {len(turns)} turns", len(turns), "turns") as show:
        return memory.import_turns(turns, keep=keep, progress=show)


def _print_import(answer: dict[str, Any]) -> None:
    kept = [memory_id for memory_id in answer["ids"] if memory_id]
    print_facts({"turns": len(answer["ids"]), "kept": len(kept), "left out": len(answer["left_out"])})
    reasons = Counter(left["why"] for left in answer["left_out"])
    if reasons:
        print_rows(("turns", "left out because"), [(str(n), why) for why, n in reasons.most_common()], "left out because")

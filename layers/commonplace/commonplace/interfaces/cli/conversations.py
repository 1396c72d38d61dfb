"""`import` and `export`: what was kept elsewhere in, everything out."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from commonplace.domain.flaws import gathered
from commonplace.domain.taxonomy import ImportKind
from commonplace.interfaces.cli.failures import LEFT
from commonplace.interfaces.cli.options import Shared, command_options, new_file, progress_bar, stdin_text
from commonplace.interfaces.cli.tables import Remarked, print_facts, print_json, print_notes, print_rows

if TYPE_CHECKING:
    from commonplace.importing.kinds import Found
    from commonplace.importing.sources import Source

_MOST_SHOWN = 20  # rows of a table; --all and --json have all


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
        return _import_export(shared, source.text, apply, every)
    return _import_foreign(shared, source, found, apply, every)


def _import_export(shared: Shared, text: str, apply: bool, every: bool) -> None:
    from commonplace.use_cases.import_records import read_export

    found = read_export(text)
    with (
        shared.open() if apply else shared.reading() as memory,
        progress_bar(f"reading {len(found)} records", len(found), "records") as show,
    ):
        answer = memory.import_records(found, apply, show).model_dump(mode="json")
    _print_records(shared, answer, len(found), apply, every)
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
        rows = [(one["memory_id"], one["why"]) for one in answer["left_out"][:_MOST_SHOWN]]
        print_rows(("record", "left out because"), rows, "left out because")
    _print_memories(answer["memories"], every)
    if answer["stored"] and not apply:
        click.echo("--apply stores them")
    return None


def _import_foreign(shared: Shared, source: "Source", found: "Found", apply: bool, every: bool) -> None:
    """Shows what taking in a source would do, or does it. `every`: what happens to each entry, not only to the first."""
    listed = None if every or shared.json else range(_MOST_SHOWN)
    with (
        shared.open() if apply else shared.reading() as memory,
        progress_bar(f"reading {found.kind}", resumes="memories" if apply else None) as show,
    ):
        done = memory.import_from(source, found.kind, apply, listed=listed, progress=show)
    answer = done.model_dump(mode="json") | {"why": found.why}
    print_json(answer) if shared.json else _print(answer, every)
    if answer["refused"] or answer["conflicts"] or answer["lost"]:
        raise click.exceptions.Exit(LEFT)


def _print(answer: dict[str, Any], every: bool) -> None:
    outcomes = answer["outcomes"]
    applied, runs = answer["applied"], answer["runs"] or [answer[name] for name in ("run_id",) if name in answer]
    print_facts({
        "read as": f"{answer['kind']}: {answer['why']}",
        "entries": answer["entries"],
        "added" if applied else "to be added": f"{answer['added']}, {answer['closed']} of them closed",
        "of those alike": outcomes.get("near_duplicate"),
        "here already": max(len(answer["known"]), outcomes.get("known", 0)),
        "refused": max(len(answer["refused"]), outcomes.get("refused", 0)),
        "not read": [f"{count}: {why}" for why, count in answer["left_out"].items()],
        "conflicts": answer["conflicts"][:_MOST_SHOWN],
        "lost to another write": answer["lost"],
        "fields cut in the note": answer["cut"][:_MOST_SHOWN],
        "undo by": [f"commonplace runs undo {run}" for run in reversed(runs)],
    })  # fmt: skip
    if answer["refused"]:
        rows = [(one["where"], one["code"], one["message"]) for one in answer["refused"][: None if every else _MOST_SHOWN]]
        print_rows(("entry", "code", "refused because"), rows, "refused because")
    _print_memories(answer["memories"], every)
    print_notes(answer)
    if answer["added"] and not applied:
        click.echo("--apply stores them")


def _print_memories(memories: list[dict[str, Any]], every: bool) -> None:
    """What happens to each entry, the first 20 or every one; those that are refused have a table of their own."""
    shown = [one for one in memories if one["outcome"] != "refused"][: None if every else _MOST_SHOWN]
    texts = (Remarked(one["content"], one["why"]) if one["why"] else one["content"] for one in shown)
    told = [(one["where"], one["outcome"].replace("_", " "), text) for one, text in zip(shown, texts, strict=True)]
    if told:
        print_rows(("entry", "what happens", "memory"), told, "memory")
    if len(memories) >= _MOST_SHOWN and not every:
        click.echo(f"these are of the first {_MOST_SHOWN}; --all shows every one")


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

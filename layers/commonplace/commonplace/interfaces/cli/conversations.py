"""The commands `import` and `export`, which read memories from other tools and write memories to a file."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from commonplace.domain.errors import escaped
from commonplace.domain.flaws import gathered
from commonplace.domain.taxonomy import ImportKind
from commonplace.interfaces.cli.failures import exit_if
from commonplace.interfaces.cli.options import Shared, command_options, new_file, progress_bar, stdin_text
from commonplace.interfaces.cli.tables import Remarked, print_facts, print_json, print_notes, print_rows

if TYPE_CHECKING:
    from commonplace.importing.kinds import DetectedKind
    from commonplace.importing.sources import Source

_MOST_SHOWN = 20  # maximum number of table rows; --all and --json print all


@click.command("import")
@click.argument("file", metavar="FILE|FOLDER", type=click.Path(exists=True, allow_dash=True))
@click.option("--from", "kind", type=click.Choice(get_args(ImportKind)), help="The format of FILE; detected if possible.")
@click.option("--only", metavar="NAME", help='Import only this person\'s memories; "" for memories without a name.')
@click.option("--user-map", multiple=True, metavar="NAME=USER", help="Import NAME's memories for the user USER; repeatable.")
@click.option("--apply", is_flag=True, help="Store the memories of the plan.")
@click.option("--all", "every", is_flag=True, help="Show every entry, and every passage that is left out.")
@command_options
def import_file(
    shared: Shared, file: str, kind: ImportKind | None, only: str | None, user_map: Sequence[str], apply: bool, every: bool
) -> None:
    """Import memories from other tools and notes.

    \b
    FILE or FOLDER contains one of these:
      chatgpt, claude                         the data export: its ZIP or folder, or conversations.json
      mem0, zep, graphiti, letta, langgraph   the JSON export of these stores; mem0's folder
      agentcore, mcp-memory                   the records of AgentCore Memory; the file of MCP's memory server
      basic-memory, markdown                  a folder of notes, or one note
      anthropic-memory                        the folder /memories of Claude's memory tool
      messages                                messages of a chat API, each {"role", "content"}
      turns                                   {"session_id", "position", "speaker", "text", "event_time"?}
      commonplace                             a file of "commonplace export", of this version or 0.1

    A plan is shown first: which memories are new, already stored, or refused and why. --apply stores them as a run, which
    "commonplace runs undo" undoes. Importing the same file again adds nothing. Times, tags, other fields and ids are kept.
    From messages, only the user's own words become memories; from turns, the words of every speaker do. The exit code is
    5 if something can't be stored or is in conflict.
    """
    from commonplace.importing.kinds import kind_of
    from commonplace.importing.sources import Source

    source = Source(None, stdin_text()) if file == "-" else Source.of(Path(file))
    detected = kind_of(source, kind)
    if only is not None and user_map:
        raise click.UsageError("--only and --user-map exclude each other: give one of them")
    if (only is not None or user_map) and detected.kind == "commonplace":
        raise click.UsageError("--only and --user-map are for files of other stores")
    users = _parse_user_map(user_map, source, detected) if user_map else {only: shared.user}
    answers = []
    for name, user in users.items():
        answer = _import_source(replace(shared, user=user), source, detected, name, apply, every)
        answers.append(answer | ({"only": name, "user": user} if user_map else {}))
        if not shared.json:
            _print_import(answers[-1], every, of_all=name is None)
    if shared.json:
        print_json(answers if user_map else answers[0])
    exit_if(any(answer["refused"] or answer["conflicts"] or answer["lost"] for answer in answers))


def _import_source(
    shared: Shared, source: "Source", detected: "DetectedKind", only: str | None, apply: bool, every: bool
) -> dict[str, Any]:
    """Import one person's memories (`only`), or plan the import, and return the answer as JSON values."""
    listed = None if every or shared.json else range(_MOST_SHOWN)
    with (
        shared.open() if apply else shared.reading() as memory,
        progress_bar(f"reading {detected.kind}", resumes="memories" if apply else None) as show,
    ):
        done = memory.import_from(source, detected.kind, apply, only=only, listed=listed, progress=show)
    return done.model_dump(mode="json") | {"why": detected.why}


def _parse_user_map(user_map: Sequence[str], source: "Source", detected: "DetectedKind") -> dict[str | None, str | None]:
    """Map each person to a user. Raises `UsageError` for an invalid or repeated pair, or for a person not in the file."""
    from commonplace.importing.kinds import people_in

    users: dict[str | None, str | None] = {}
    for pair in user_map:
        name, equals, user = pair.rpartition("=")
        if not (name and equals and user) or name in users:
            raise click.UsageError(f"--user-map {escaped(pair)}: must be NAME=USER, with each NAME given once")
        users[name] = user
    names = people_in(source, detected.kind)
    for person in users:
        if person not in names:
            people = ", ".join(sorted(names)) or "nobody"
            raise click.UsageError(f"--user-map: the file has no {escaped(str(person))}; it names {escaped(people)}")
    return users


def _print_import(answer: dict[str, Any], every: bool, of_all: bool) -> None:
    outcomes = answer["outcomes"]
    applied, runs = answer["applied"], answer["runs"] or [answer[name] for name in ("run_id",) if name in answer]
    of_user = f" --user {answer['user']}" if "user" in answer else ""
    print_facts({
        "person": f"{answer['only']}, for the user {answer['user']}" if "user" in answer else "",
        "read as": f"{answer['kind']}: {answer['why']}",
        "people": [f"{name}: {count}" for name, count in answer["people"].items()] if len(answer["people"]) > 1 else "",
        "entries": answer["entries"],
        "added" if applied else "to be added": f"{answer['added']}, {answer['closed']} of them closed",
        "similar to others": outcomes.get("near_duplicate"),
        "already stored": max(len(answer["known"]), outcomes.get("known", 0)),
        "refused": max(len(answer["refused"]), outcomes.get("refused", 0)),
        "conflicts": answer["conflicts"][:_MOST_SHOWN],
        "lost to another write": answer["lost"],
        "fields cut in the note": answer["cut"][:_MOST_SHOWN],
        "dates limited to the years 1 to 9000": answer["held"],
        "undo by": [f"commonplace runs undo {run}{of_user}" for run in reversed(runs)],
    })  # fmt: skip
    refused = answer["refused"][: None if every else _MOST_SHOWN]
    print_rows(("entry", "code", "refused because"), [(item["where"], item["code"], item["message"]) for item in refused])
    print_rows(("passages", "left out because"), [(n, why) for why, n in answer["left_out"].items()])
    passages = [(passage["where"], passage["reason"], passage["text"]) for passage in answer["passages"]]
    print_rows(("passage", "left out because", "text"), passages)
    _print_memories(answer["memories"], every)
    print_notes(answer)
    if answer["added"] and not applied:
        several = of_all and len(answer["people"]) > 1
        click.echo("--only NAME --apply stores the memories of one person" if several else "--apply stores them")


def _print_memories(memories: list[dict[str, Any]], every: bool) -> None:
    shown = [memory for memory in memories if memory["outcome"] != "refused"][: None if every else _MOST_SHOWN]
    texts = (Remarked(entry["content"], entry["why"]) if entry["why"] else entry["content"] for entry in shown)
    rows = [(entry["where"], entry["outcome"].replace("_", " "), text) for entry, text in zip(shown, texts, strict=True)]
    print_rows(("entry", "what happens", "memory"), rows)
    if len(memories) >= _MOST_SHOWN and not every:
        click.echo(f"these are from the first {_MOST_SHOWN} entries; --all shows all")


@click.command()
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "csv", "markdown", "mem0", "langgraph"]), default="jsonl",
    show_default=True,
    help="jsonl and csv can be imported again; markdown is for reading; mem0 and langgraph are for those stores.",
)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="A new file that only you can read.")
@command_options
def export(shared: Shared, form: Any, output: str | None) -> None:
    """Export every record as JSON lines, or in another format.

    The first line names the format. The oldest record comes first. Closed records (superseded, archived, deleted) are
    included, but not in markdown, mem0 or langgraph. "commonplace import" reads every format except markdown. An existing
    file is never overwritten. If records can't be read, the others are exported and the exit code is 5.
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
    exit_if(flaws.note)

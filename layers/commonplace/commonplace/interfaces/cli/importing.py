"""The import from another store: its plan, and what became of it."""

from typing import TYPE_CHECKING, Any

import click

from commonplace.interfaces.cli.failures import LEFT
from commonplace.interfaces.cli.options import Shared, progress_bar
from commonplace.interfaces.cli.tables import print_facts, print_json, print_notes, print_rows

if TYPE_CHECKING:
    from commonplace.importing.kinds import Found
    from commonplace.importing.sources import Source

_MOST_SHOWN = 20  # rows of a table; --json has all


def import_foreign(shared: Shared, source: "Source", found: "Found", apply: bool) -> None:
    """Shows what taking in a source would do, or does it."""
    with (
        shared.open() if apply else shared.reading() as memory,
        progress_bar(f"reading {found.kind}", resumes="memories" if apply else None) as show,
    ):
        done = memory.import_from(source, found.kind, apply, progress=show)
    answer = done.model_dump(mode="json") | {"why": found.why}
    print_json(answer) if shared.json else _print(answer)
    if answer["refused"] or answer["conflicts"] or answer["lost"]:
        raise click.exceptions.Exit(LEFT)


def _print(answer: dict[str, Any]) -> None:
    applied, runs = answer["applied"], answer["runs"] or [answer[name] for name in ("run_id",) if name in answer]
    print_facts({
        "read as": f"{answer['kind']}: {answer['why']}",
        "entries": answer["entries"],
        "added" if applied else "to be added": f"{answer['added']}, {answer['closed']} of them closed",
        "here already": len(answer["known"]),
        "refused": len(answer["refused"]),
        "conflicts": answer["conflicts"],
        "lost to another write": answer["lost"],
        "fields cut in the note": answer["cut"],
        "undo by": [f"commonplace runs undo {run}" for run in reversed(runs)],
    })  # fmt: skip
    if answer["refused"]:
        rows = [(one["where"], one["code"], one["message"]) for one in answer["refused"][:_MOST_SHOWN]]
        print_rows(("entry", "code", "refused because"), rows, "refused because")
    print_notes(answer)
    if answer["added"] and not applied:
        click.echo("--apply stores them")

"""The import from another store: its plan, and what became of it."""

from typing import TYPE_CHECKING, Any

import click

from commonplace.interfaces.cli.failures import LEFT
from commonplace.interfaces.cli.options import Shared, progress_bar
from commonplace.interfaces.cli.tables import Remarked, print_facts, print_json, print_notes, print_rows

if TYPE_CHECKING:
    from commonplace.importing.kinds import Found
    from commonplace.importing.sources import Source

MOST_SHOWN = 20  # rows of a table; --all and --json have all
_SAID: dict[str, str] = {
    "near_duplicate": "added, like another", "known": "here already", "conflict": "left out", "lost": "comes with the next",
}  # fmt: skip


def import_foreign(shared: Shared, source: "Source", found: "Found", apply: bool, every: bool) -> None:
    """Shows what taking in a source would do, or does it. `every`: what happens to each entry, not only to the first."""
    listed = None if every or shared.json else range(MOST_SHOWN)
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
        "conflicts": answer["conflicts"][:MOST_SHOWN],
        "lost to another write": answer["lost"],
        "fields cut in the note": answer["cut"],
        "undo by": [f"commonplace runs undo {run}" for run in reversed(runs)],
    })  # fmt: skip
    if answer["refused"]:
        rows = [(one["where"], one["code"], one["message"]) for one in answer["refused"][: None if every else MOST_SHOWN]]
        print_rows(("entry", "code", "refused because"), rows, "refused because")
    print_memories(answer["memories"], every)
    print_notes(answer)
    if answer["added"] and not applied:
        click.echo("--apply stores them")


def print_memories(memories: list[dict[str, Any]], every: bool) -> None:
    """What happens to each entry, the first 20 or every one; those that are refused have a table of their own."""
    shown = [one for one in memories if one["outcome"] != "refused"][: None if every else MOST_SHOWN]
    texts = (Remarked(one["content"], one["why"]) if one["why"] else one["content"] for one in shown)
    told = [(one["where"], _SAID.get(one["outcome"], one["outcome"]), text) for one, text in zip(shown, texts, strict=True)]
    if told:
        print_rows(("entry", "what happens", "memory"), told, "memory")
    if len(memories) >= MOST_SHOWN and not every:
        click.echo(f"these are of the first {MOST_SHOWN}; --all shows every one")

"""The command `migrate`, which plans, applies and checks the migration from another store."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from commonplace.interfaces.cli.failures import exit_if
from commonplace.interfaces.cli.options import Shared, command_options, progress_bar
from commonplace.interfaces.cli.tables import print_facts, print_json, print_notes, print_rows

_OWN_QUERIES = "(every old tag)"
_MOST_SHOWN = 20  # maximum number of table rows; --json prints all
_FILE = click.Path(dir_okay=False)


@click.group()
def migrate() -> None:
    """Migrate memories from another store."""


@migrate.command()
@click.argument("file", metavar="OLD.JSON", type=click.Path(exists=True, dir_okay=False))
@click.option("--review", metavar="CSV", type=_FILE, help="Your decisions: written if it is new, else read.")
@click.option("--categories", metavar="CSV", type=click.Path(exists=True, dir_okay=False), help="Old name, category.")
@click.option("--table", "tables", multiple=True, metavar="NAME", help="Only this table; may be repeated.")
@click.option("--map", "mapped", multiple=True, metavar="OURS=THEIRS", help="A field's name in the file: content=body.")
@click.option("--apply", is_flag=True, help="Migrate, as a run that you can undo.")
@click.option(
    "--check", is_flag=False, flag_value=_OWN_QUERIES, metavar="[QUERIES.JSONL]",
    help="Compare the old and new search: by every old tag, or by lines {\"query\", \"expected\"?}.",
)  # fmt: skip
@command_options
def tinydb(
    shared: Shared, file: str, review: str | None, categories: str | None, tables: tuple[str, ...], mapped: tuple[str, ...],
    apply: bool, check: str | None,
) -> None:  # fmt: skip
    """Migrate from a TinyDB file; without --apply it only shows what would happen.

    \b
      commonplace migrate tinydb old.json
      commonplace migrate tinydb old.json --review review.csv
      commonplace migrate tinydb old.json --apply --review review.csv
      commonplace migrate tinydb old.json --check

    The old file is only read. The old ids work from then on, also for "get", "update" and "delete". Old categories
    become one of the seven here, by their name or else by the text of each memory. For unsure ones, edit the column
    "to" of the review; until then they are not migrated. Migrating again adds nothing.

    The exit code is 5 if something is left for you: rows to review, refused documents, old ids that belong to another
    memory here, memories that another write displaced (run it again), or, with --check, queries that find less or
    old ids that are not migrated.
    """
    pairs = [pair.partition("=") for pair in mapped]
    if not all(ours and theirs for ours, _, theirs in pairs):
        raise click.UsageError("--map must be OURS=THEIRS, e.g. content=body")
    fields = {ours: theirs for ours, _, theirs in pairs}
    if check is not None:
        if apply or review or categories:
            raise click.UsageError("--check can be combined only with --table and --map")
        return _check_migration(shared, file, None if check == _OWN_QUERIES else check, tables, fields)
    new_review = review is not None and not Path(review).exists()
    with shared.open() if apply else shared.reading() as memory, progress_bar("reading old memories") as show:
        done = memory.migrate_tinydb(file, review, categories, apply, tables=tables, fields=fields, progress=show)
        answer = done.model_dump(mode="json")
    print_json(answer) if shared.json else _print_migration(answer, review if new_review else None)
    return exit_if(answer["review"] or answer["refused"] or answer["conflicts"] or answer["lost"])


def _print_migration(answer: dict[str, Any], written: str | None) -> None:
    before, after, applied = answer["tags_before"], answer["tags_after"], answer["applied"]
    counts: Counter[str] = Counter()
    for filed in answer["categories"].values():
        counts.update({name: number for name, number in filed.items() if name != "review"})
    print_facts({
        "old memories": answer["documents"],
        "added" if applied else "to be added": answer["added"],
        "old ids that work here": answer["aliases"],
        "already migrated": len(answer["known"]),
        "categories": f"{len(answer['categories'])} -> {len(counts)}",
        "tags": f"{before['distinct']} -> {after['distinct']}, in {before['assignments']} -> {after['assignments']} places",
        "to review": len(answer["review"]),
        "refused": len(answer["refused"]),
        "conflicts": answer["conflicts"],
        "lost to another write": answer["lost"],
        "fields put into notes": len(answer["leftovers"]),
        "undo by": f"commonplace runs undo {answer['run_id']}" if answer["run_id"] else "",
    })  # fmt: skip
    filed_as = [
        (old, ", ".join(f"{name} {number}" for name, number in filed.items())) for old, filed in answer["categories"].items()
    ]
    print_rows(("old category", "new category"), sorted(filed_as))
    review = [(entry["legacy_id"], f"{entry['from']} -> {entry['to']}?  {entry['content']}") for entry in answer["review"]]
    print_rows(("old id", "to review"), review[:_MOST_SHOWN])
    refused = [(refusal["legacy_id"], refusal["message"]) for refusal in answer["refused"]]
    print_rows(("old id", "refused because"), refused[:_MOST_SHOWN])
    cut = [(leftover["legacy_id"], ", ".join(leftover["fields"])) for leftover in answer["leftovers"] if leftover["cut"]]
    print_rows(("old id", "cut in the note"), cut[:_MOST_SHOWN])
    print_notes(answer)
    if written and answer["review"]:
        click.echo(f"wrote {written}: edit its column 'to', then run the same command again")
    elif answer["added"] and not applied:
        click.echo("--apply migrates them")


def _check_migration(shared: Shared, file: str, queries: str | None, tables: tuple[str, ...], fields: dict[str, str]) -> None:
    with shared.reading() as memory, progress_bar("comparing searches") as show:
        checked = memory.check_migration(file, queries, tables=tables, fields=fields, progress=show)
    answer = checked.model_dump(mode="json")
    if shared.json:
        print_json(answer)
    else:
        print_facts({
            "queries": answer["queries"],
            "share found": f"{answer['old_recall']:.3f} before, {answer['new_recall']:.3f} here",
            "not migrated": answer["not_moved"],
        })  # fmt: skip
        rows = [(query["query"], f"{query['old_recall']:.2f} -> {query['new_recall']:.2f}") for query in answer["worse"]]
        print_rows(("finds less here", "share found"), rows[:_MOST_SHOWN], "finds less here")
    exit_if(answer["worse"] or answer["not_moved"])

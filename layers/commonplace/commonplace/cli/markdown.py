"""`markdown write` and `markdown apply`: the memories as pages to read and to edit."""

from typing import TYPE_CHECKING

import click

from commonplace.cli.options import Shared, command_options
from commonplace.cli.run_tables import print_run
from commonplace.cli.tables import print_json

if TYPE_CHECKING:
    from commonplace.models.pages import WrittenPages

_FOLDER = click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))


@click.group()
def markdown() -> None:
    """Write the memories as pages, to read and to edit."""


@markdown.command()
@_FOLDER
@click.option("--overwrite", is_flag=True, help="Also write what was edited and is not applied: the edits are gone then.")
@command_options
def write(shared: Shared, folder: str, overwrite: bool) -> None:
    """Write the pages that have changed into a folder.

    A page that you have edited is left until it is applied. What is no page of ours is always left.
    """
    with shared.reading() as memory:
        done = memory.write_markdown(folder, overwrite)
    if shared.json:
        return print_json(done.model_dump(mode="json"))
    return _print(done)


@markdown.command()
@_FOLDER
@click.option("--yes", is_flag=True, help="Make the changes, however many entries they take out.")
@command_options
def apply(shared: Shared, folder: str, yes: bool) -> None:
    """Show what you have changed on the pages of a folder, or take it over with --yes, as a run.

    \b
    Change the words of an entry     the old ones are closed and kept
    Move it under another heading    it is filed there
    Take the whole line out          it is closed; runs undo brings it back
    Add a line that begins with -    it is remembered; - **key**: gives it a key

    What was changed elsewhere since the page was written stays as it is.
    """
    with shared.open() if yes else shared.reading() as memory:
        told = memory.apply_markdown(folder, dry_run=not yes, delete_many=yes)
    if shared.json:
        return print_json(told.model_dump(mode="json"))
    print_run(told)
    if any(one.outcome == "planned" for one in told.run.operations):
        click.echo("--yes makes these changes")
    return None


def _print(done: "WrittenPages") -> None:
    for name in done.written:
        click.echo(f"wrote {name}")
    for name in done.removed:
        click.echo(f"removed {name}, of which nothing is left")
    for page in done.left:
        click.echo(f"left {page.name}: {page.why}", err=True)
    if not (done.written or done.removed or done.left):
        click.echo("nothing has changed")

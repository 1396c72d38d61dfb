"""`erase`: everything of one user, for good, from the file on this machine or from a deployment's table."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from commonplace.cli.deployment import asking, opened
from commonplace.cli.options import Shared, command_options
from commonplace.cli.tables import print_json

if TYPE_CHECKING:
    from commonplace.erasure import Leaving


@click.command()
@click.option("--yes", is_flag=True, help="Erase it. Nothing brings it back.")
@click.option("--table", metavar="NAME", help="A deployment's DynamoDB table, instead of the file.")
@command_options
def erase(shared: Shared, yes: bool, table: str | None) -> None:
    """Erase everything that is kept of a user.

    \b
    Memories (closed ones too), what was recorded, runs, counts and pages go.
    Without --yes it only tells how much there is. Pages that "markdown write"
    put into a folder are yours to delete.

    With --table it is a user of a deployment on AWS: --user is then the whole id,
    "<issuer>|<sub>" or "<backend>|<name>", and the environment must be the
    deployment's. Its index follows within seconds, and keeps ids and versions
    without words until the next reindex.
    """
    with _leaving(shared, table) as leaving:
        memories = leaving.erase() if yes else leaving.memories()
    if shared.json:
        print_json({"user": leaving.user_id, "memories": memories, "erased": yes})
        return
    counted = f"{memories} memor{'y' if memories == 1 else 'ies'}"
    if yes:
        click.echo(f"erased {leaving.user_id}: {counted}, and all that was kept beside")
    else:
        click.echo(f"{leaving.user_id} has {counted}; --yes erases all of it, and what is kept beside")


@contextmanager
def _leaving(shared: Shared, table: str | None) -> Iterator["Leaving"]:
    if table is None:
        with shared.reading() as memory:
            yield memory.leaving()
        return
    from commonplace.wiring import open_leaving

    if shared.user is None:
        raise click.UsageError("--table needs --user: whose memories, the whole id")
    with asking(shared):
        yield opened(partial(open_leaving, shared.user), table=table)

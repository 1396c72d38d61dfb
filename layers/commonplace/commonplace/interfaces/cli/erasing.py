"""`erase`: remove all data of a user, or one memory, for good."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from commonplace.domain.errors import escaped
from commonplace.interfaces.cli.failures import LEFT
from commonplace.interfaces.cli.options import Shared, command_options
from commonplace.interfaces.cli.tables import Remarked, day_and_time, print_json, print_rows
from commonplace.interfaces.cli.upkeep import connection_hints, open_part

if TYPE_CHECKING:
    from commonplace.domain.interactions import Erased
    from commonplace.domain.memory import Memory
    from commonplace.nightly.user_erasure import ErasableUser


@click.command()
@click.option("--yes", is_flag=True, help="Erase it. Nothing brings it back.")
@click.option("--memory", "memory_id", metavar="ID", help="Only this memory, with all that it replaced or was replaced by.")
@click.option("--table", metavar="NAME", help="A deployment's DynamoDB table, instead of the file.")
@command_options
def erase(shared: Shared, yes: bool, memory_id: str | None, table: str | None) -> None:
    """Erase everything that is kept of a user, or one memory.

    \b
    Memories (closed ones too), what was recorded, runs, counts and pages go.
    Without --yes it only tells how much there is. Pages that "markdown write"
    put into a folder are yours to delete.

    With --memory it is one memory with its history, as "history ID" shows it, and
    what was recorded that it was read from. What was merged of it goes, too, and
    is made again without it. "delete" is what can be undone.

    With --table it is a user of a deployment on AWS: --user is then the whole id,
    "<issuer>|<sub>" or "<backend>|<name>", and the environment must be the
    deployment's. Its index follows within seconds, and keeps ids and versions
    without words until the next reindex.

    While another program reads the file, words may stay in its log: the exit code
    is 5 then, also of "erase" without --yes, until a use of the file takes them out.
    """
    from commonplace.domain.interactions import Erased

    if memory_id is not None:
        _erase_memory(shared, memory_id, yes, table)
        return
    with _leaving(shared, table) as leaving:
        erased = leaving.erase() if yes else Erased(memories=leaving.memories(), notes=leaving.notes(wait=False))
    counted = f"{erased.memories} memor{'y' if erased.memories == 1 else 'ies'}"
    if shared.json:
        _print_erased(leaving, erased, yes)
    elif yes:
        click.echo(f"erased {escaped(leaving.user_id)}: {counted}, and all that was kept beside")
    else:
        click.echo(f"{escaped(leaving.user_id)} has {counted}; --yes erases all of it, and what is kept beside")
    _tell_what_is_left(erased)


def _erase_memory(shared: Shared, memory_id: str, yes: bool, table: str | None) -> None:
    from commonplace.domain.interactions import Erased

    with _leaving(shared, table) as leaving:
        scope = leaving.scope(memory_id)
        ids = tuple(memory.memory_id for memory in scope.memories)
        erased = leaving.erase_memory(memory_id) if yes else Erased(memories=len(ids), ids=ids)
    if shared.json:
        _print_erased(leaving, erased, yes)
    elif yes:
        click.echo(f"erased for good: {', '.join(erased.ids)}")
        if erased.places:
            click.echo(f"also taken out of: {', '.join(erased.places).replace('_', ' ')}")
        if erased.made_again:
            click.echo(f"what was merged with it stays, without it: {', '.join(erased.made_again)}")
    elif not scope.memories:
        click.echo(f"{memory_id} can't be read; --yes erases it, and what is kept beside")
    else:
        _print_memories(scope.memories)
        click.echo("--yes erases all of this, and what was recorded that it was read from; nothing brings it back")
    if scope.left and not (yes or shared.json):
        click.echo("\nThis was merged with it, and stays as one memory:\n")
        _print_memories(scope.left)
    _tell_what_is_left(erased)


def _print_memories(memories: "Sequence[Memory]") -> None:
    rows = [(one.status, day_and_time(one.created_at.isoformat()), Remarked(one.content, one.memory_id)) for one in memories]
    print_rows(("status", "since", "memory"), rows, "memory")


def _print_erased(leaving: "ErasableUser", erased: "Erased", yes: bool) -> None:
    told = erased.model_dump(mode="json", exclude_defaults=True)
    print_json({"user": leaving.user_id, "memories": erased.memories, "erased": yes, **told})


def _tell_what_is_left(erased: "Erased") -> None:
    if erased.notes:
        for warning in erased.notes.warnings or ():
            click.echo(f"commonplace: {warning}", err=True)
        raise click.exceptions.Exit(LEFT)


@contextmanager
def _leaving(shared: Shared, table: str | None) -> Iterator["ErasableUser"]:
    if table is None:
        with shared.reading() as memory:
            yield memory.leaving()
        return
    from commonplace.bootstrap.cloud import open_erasable_user

    if shared.user is None:
        raise click.UsageError("--table needs --user: whose memories, the whole id")
    with connection_hints(shared):
        yield open_part(partial(open_erasable_user, shared.user), table=table)

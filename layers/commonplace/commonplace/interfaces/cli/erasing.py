"""The command `erase`, which permanently removes all data about a user, or one memory."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from commonplace.domain.errors import escaped
from commonplace.interfaces.cli.failures import exit_if
from commonplace.interfaces.cli.options import Shared, command_options
from commonplace.interfaces.cli.tables import Remarked, day_and_time, print_json, print_rows
from commonplace.interfaces.cli.upkeep import connection_hints, open_part

if TYPE_CHECKING:
    from commonplace.domain.interactions import Erased
    from commonplace.domain.memory import Memory
    from commonplace.nightly.user_erasure import ErasableUser


@click.command()
@click.option("--yes", is_flag=True, help="Erase it. This can't be undone.")
@click.option("--memory", "memory_id", metavar="ID", help="Only this memory, with its earlier and later versions.")
@click.option("--table", metavar="NAME", help="A deployment's DynamoDB table, instead of the file.")
@command_options
def erase(shared: Shared, yes: bool, memory_id: str | None, table: str | None) -> None:
    """Erase all data of a user, or one memory.

    \b
    This erases memories (closed ones too), recorded interactions, runs, counts
    and pages. Without --yes it only shows how many memories there are. Pages that
    "markdown write" put into a folder stay: delete them yourself.

    With --memory it erases one memory with its history, as "history ID" shows it,
    and the recorded interactions that it was read from. Memories merged from it
    are erased too, and merged again without it. "delete" can be undone; this can't.

    With --table it erases a user of a deployment on AWS: --user is then the whole
    id, "<issuer>|<sub>" or "<backend>|<name>", and the environment must be the
    deployment's. The index follows within seconds, and keeps ids and versions
    without text until the next reindex.

    While another program reads the file, erased text may stay in its log. The exit
    code is then 5, also without --yes, until a later use of the file removes it.
    """
    from commonplace.domain.interactions import Erased

    if memory_id is not None:
        _erase_memory(shared, memory_id, yes, table)
        return
    with _open_erasure(shared, table) as erasure:
        erased = erasure.erase() if yes else Erased(memories=erasure.memories(), notes=erasure.notes(wait=False))
    counted = f"{erased.memories} memor{'y' if erased.memories == 1 else 'ies'}"
    if shared.json:
        _print_erased(erasure, erased, yes)
    elif yes:
        click.echo(f"erased {escaped(erasure.user_id)}: {counted}, and all other data")
    else:
        click.echo(f"{escaped(erasure.user_id)} has {counted}; --yes erases them and all other data")
    _report_remainder(erased)


def _erase_memory(shared: Shared, memory_id: str, yes: bool, table: str | None) -> None:
    from commonplace.domain.interactions import Erased

    with _open_erasure(shared, table) as erasure:
        scope = erasure.scope(memory_id)
        ids = tuple(memory.memory_id for memory in scope.memories)
        erased = erasure.erase_memory(memory_id) if yes else Erased(memories=len(ids), ids=ids)
    if shared.json:
        _print_erased(erasure, erased, yes)
    elif yes:
        click.echo(f"erased for good: {', '.join(erased.ids)}")
        if erased.places:
            click.echo(f"also erased from: {', '.join(erased.places).replace('_', ' ')}")
        if erased.made_again:
            click.echo(f"merged again without it: {', '.join(erased.made_again)}")
    elif not scope.memories:
        click.echo(f"{memory_id} can't be read; --yes erases it and its other data")
    else:
        _print_memories(scope.memories)
        click.echo("--yes erases all of this and the interactions that it was read from; this can't be undone")
    if scope.left and not (yes or shared.json):
        click.echo("\nThis was merged with it, and stays as one memory:\n")
        _print_memories(scope.left)
    _report_remainder(erased)


def _print_memories(memories: "Sequence[Memory]") -> None:
    rows = [
        (item.status, day_and_time(item.created_at.isoformat()), Remarked(item.content, item.memory_id)) for item in memories
    ]
    print_rows(("status", "since", "memory"), rows)


def _print_erased(erasure: "ErasableUser", erased: "Erased", yes: bool) -> None:
    fields = erased.model_dump(mode="json", exclude_defaults=True)
    print_json({"user": erasure.user_id, "memories": erased.memories, "erased": yes, **fields})


def _report_remainder(erased: "Erased") -> None:
    """Print the warnings about text that has not been erased yet, and exit with code 5 if there are any."""
    if erased.notes:
        for warning in erased.notes.warnings or ():
            click.echo(f"commonplace: {warning}", err=True)
    exit_if(erased.notes)


@contextmanager
def _open_erasure(shared: Shared, table: str | None) -> Iterator["ErasableUser"]:
    if table is None:
        with shared.reading() as memory:
            yield memory.erasure()
        return
    from commonplace.bootstrap.cloud import open_erasable_user

    if shared.user is None:
        raise click.UsageError("--table needs --user: the whole id of the user")
    with connection_hints(shared):
        yield open_part(partial(open_erasable_user, shared.user), table=table)

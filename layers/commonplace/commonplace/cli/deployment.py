"""`reindex` and `doctor`: the index of a deployment on AWS made again, and held against its records."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from commonplace.cli.options import Shared, command_options
from commonplace.cli.tables import console, print_facts, print_json
from commonplace.errors import CommonplaceError, ErrorCode

if TYPE_CHECKING:
    from commonplace.wiring import Maintenance

_TABLE = click.option("--table", metavar="NAME", help="The DynamoDB table.  [default: $COMMONPLACE_TABLE]")
_ENDPOINT = click.option("--endpoint", metavar="URL", help="OpenSearch.  [default: $COMMONPLACE_SEARCH_ENDPOINT]")


@click.command()
@_TABLE
@_ENDPOINT
@command_options
def reindex(shared: Shared, table: str | None, endpoint: str | None) -> None:
    """Rebuild a deployment's index, in use.

    A new version is filled beside the old one and takes its place at the end. The same command moves to another embedding
    model (COMMONPLACE_EMBEDDER) or layout. One that was stopped goes on when it is run again.
    """
    from commonplace import reindexing
    from commonplace.wiring import local_clock

    open_ = _opened(table, endpoint)
    renewal = reindexing.Renewal(open_.records, open_.embedder, local_clock("UTC"))
    with _asking(), _counted("memories indexed") as progress:
        done = reindexing.reindex(open_.everything, open_.rebuild, renewal, progress)
    answer: dict[str, object] = {"records": done.records, "embedded": done.embedded, "refused": dict(done.refused)}
    _print(shared, answer)


@click.command()
@click.option("--repair", is_flag=True, help="Bring into the index what it lacks.")
@_TABLE
@_ENDPOINT
@command_options
def doctor(shared: Shared, repair: bool, table: str | None, endpoint: str | None) -> None:
    """Compare a deployment's index and table."""
    from commonplace.doctor import examine

    open_ = _opened(table, endpoint)
    with _asking(), _counted("memories compared") as progress:
        found = examine(open_.everything, open_.records, open_.contents, repair, progress)
    counted = {"records": found.records, "documents": found.documents, "mended": found.mended}
    answer: dict[str, object] = {**counted, **{str(ill): count for ill, count in found.ills.items()}}
    _print(shared, answer)


def _print(shared: Shared, answer: dict[str, object]) -> None:
    if shared.json:
        print_json(answer)
    else:
        print_facts(answer)


def _opened(table: str | None, endpoint: str | None) -> "Maintenance":
    from commonplace.settings import read_settings
    from commonplace.wiring import open_maintenance

    if find_spec("opensearchpy") is None or find_spec("botocore") is None:
        raise click.ClickException("this needs what AWS needs: pip install 'commonplace[aws]'")
    named = {"table": table, "search_endpoint": endpoint}
    return open_maintenance(read_settings().model_copy(update={name: value for name, value in named.items() if value}))


@contextmanager
def _asking() -> Iterator[None]:
    from commonplace.ports import IndexUnavailable

    try:
        yield
    except IndexUnavailable as error:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the index can't be used just now: {error}") from error


@contextmanager
def _counted(what: str) -> Iterator[Callable[[int], None]]:
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    shown, terminal = (SpinnerColumn(), TextColumn(what), MofNCompleteColumn(), TimeElapsedColumn()), console(stderr=True)
    with Progress(*shown, console=terminal, transient=True, disable=not terminal.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda count: bar.update(task, completed=count)

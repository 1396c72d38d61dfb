"""The commands `nightly`, `runs` and `undo`, which read recorded interactions, show runs and undo changes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from commonplace.domain.errors import CommonplaceError
from commonplace.interfaces.cli.failures import exit_if
from commonplace.interfaces.cli.options import WHOLE, Shared, command_options, progress_bar
from commonplace.interfaces.cli.tables import print_json, print_run, print_runs

if TYPE_CHECKING:
    from commonplace.domain.interactions import RunReport

_RUN = click.argument("run_id", metavar="[RUN]", default="last")
_BACKEND = "local|"


@click.command()
@click.option(
    "--mode", type=click.Choice(["rules", "pipeline", "agent"]), help="[default: pipeline with a model, else rules]"
)
@click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")
@command_options
def nightly(shared: Shared, mode: Any, dry_run: bool) -> None:
    """Read the recorded interactions that are pending.

    Without --user it reads for every user with pending interactions. A stopped run continues where it stopped.
    """
    reports, failures = list["RunReport"](), list[CommonplaceError]()
    for user in _list_users(shared):
        try:
            reports += _iterate_reports(replace(shared, user=user), mode, dry_run)
        except CommonplaceError as error:  # one user's error must not stop the runs of other users
            failures.append(error)
    if shared.json:
        print_json([report.run.model_dump(mode="json") for report in reports])
    for report in () if shared.json else reports:
        print_run(report)
    if failures:
        raise failures[0]
    if not reports and not shared.json:
        click.echo("nothing is pending")
    _report_remainder(reports)


@click.group()
def runs() -> None:
    """Show, approve, discard or undo runs.

    RUN is an id or "last", the default. For a review, "last" is the newest run that is not an undo; for an undo, the
    newest applied run.
    """


@runs.command("list")
@click.option("--limit", type=WHOLE, default=20, show_default=True, metavar="1-100", help="The most runs to show.")
@command_options
def list_runs(shared: Shared, limit: int) -> None:
    """Show the newest runs."""
    with shared.reading() as memory:
        runs = memory.runs(limit)
    return print_json([run.model_dump(mode="json") for run in runs]) if shared.json else print_runs(runs)


@runs.command()
@_RUN
@command_options
def show(shared: Shared, run_id: str) -> None:
    """Show every change of a run, with its reason and its evidence."""
    with shared.reading() as memory:
        _print_report(shared, memory.run_report(run_id))


@runs.command("undo")
@_RUN
@click.option("--reread", is_flag=True, help="The next run reads the same interactions again.")
@command_options
def undo_run(shared: Shared, run_id: str, reread: bool) -> None:
    """Undo a whole run.

    If a memory has changed since the run, it is not undone, and the answer lists it.
    """
    with shared.open() as memory:
        _print_report(shared, memory.run_report(memory.undo_run(run_id, reread).run_id))


@runs.command()
@_RUN
@command_options
def approve(shared: Shared, run_id: str) -> None:
    """Apply the changes of a run that wait for review."""
    with shared.open() as memory:
        _print_report(shared, memory.run_report(memory.approve_run(run_id).run_id))


@runs.command()
@_RUN
@command_options
def discard(shared: Shared, run_id: str) -> None:
    """Discard the changes of a run that wait for review."""
    with shared.open() as memory:
        _print_report(shared, memory.run_report(memory.discard_run(run_id).run_id))


@click.command()
@click.argument("operation_id", metavar="OPERATION")
@command_options
def undo(shared: Shared, operation_id: str) -> None:
    """Undo one operation of a tool or a run.

    OPERATION is an id that write, update, delete or "runs show" printed, or "last": the last operation that is not an undo.
    Repeating "undo last" undoes nothing more.
    """
    with shared.open() as memory:
        _print_report(shared, memory.run_report(memory.undo(operation_id).run_id))


def _print_report(shared: Shared, report: "RunReport") -> None:
    print_json(report.model_dump(mode="json")) if shared.json else print_run(report)
    _report_remainder([report])


def _report_remainder(reports: "Sequence[RunReport]") -> None:
    """Exit with code 5 if the log file may still contain text that a run has erased."""
    from commonplace.domain.runs import LEFT_IN_LOG

    exit_if(any(LEFT_IN_LOG in report.run.notes for report in reports))


def _list_users(shared: Shared) -> list[str | None]:
    """Return the user given on the command line, or else all users with pending interactions."""
    if shared.user is not None:
        return [shared.user]
    with shared.reading() as memory:
        return [user.removeprefix(_BACKEND) for user in memory.due() if user.startswith(_BACKEND)]


def _iterate_reports(shared: Shared, mode: Any, dry_run: bool) -> Iterator["RunReport"]:
    """Read one user's pending interactions, and yield a report on each run."""
    label = f"reading the interactions of {shared.user or ''}"
    with shared.reading() as memory, progress_bar(label, resumes="interactions") as progress:
        if dry_run:
            yield memory.nights().preview(mode, progress)
            return
        for run in memory.each_run(mode, progress):
            yield memory.run_report(run.run_id)

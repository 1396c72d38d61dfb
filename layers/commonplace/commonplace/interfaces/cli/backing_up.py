"""The command `backup`, which makes, verifies and restores backups of the memories."""

from collections.abc import Mapping
from typing import Any

import click

from commonplace.interfaces.cli.failures import exit_if
from commonplace.interfaces.cli.options import Shared, command_options, set_arguments
from commonplace.interfaces.cli.tables import Remarked, day_and_time, print_facts, print_json, print_notes, print_rows

_ID = click.argument("backup_id", metavar="BACKUP")


@click.group()
def backup() -> None:
    """Make, verify and restore backups of the memories."""


@backup.command()
@command_options
def make(shared: Shared) -> None:
    """Make a backup of all memories as of now.

    The backup is stored in the memory file for 90 days; after ten, the newest replaces the oldest. It protects against
    changes, not against the loss of the file: for that, copy the file or use "commonplace export". The exit code is 5 if
    some memories can't be read.
    """
    answer = shared.call("backup_restore", creates=True, action="backup")
    if shared.json:
        print_json(answer)
    else:
        until = day_and_time(answer["expires_at"])
        print_facts({"backup": answer["backup_id"], "memories": str(answer["count"]), "until": until})
        print_notes(answer)
    exit_if("unreadable" in answer)


@backup.command("list")
@command_options
def list_backups(shared: Shared) -> None:
    """List the backups, newest first."""
    answer = shared.call("backup_restore", action="list")
    if shared.json:
        return print_json(answer)
    if not answer["backups"]:
        return click.echo('there is no backup; "commonplace backup make" makes one')
    rows = [
        (day_and_time(backup["as_of"]), str(backup["count"]), day_and_time(backup["expires_at"]), backup["backup_id"])
        for backup in answer["backups"]
    ]
    return print_rows(("as of", "memories", "until", "backup"), rows)


@backup.command()
@_ID
@command_options
def verify(shared: Shared, backup_id: str) -> None:
    """Check whether a backup can be restored completely. The exit code is 5 if something is wrong."""
    answer = shared.call("backup_restore", action="verify", backup_id=backup_id)
    if shared.json:
        print_json(answer)
    else:
        rows = [(problem.get("id", "the file"), problem["detail"]) for problem in answer["problems"]]
        print_rows(("what", "is wrong"), rows)
        print_facts({"memories": str(answer["count"]), "found": len(answer["problems"]) or "nothing wrong"})
    exit_if(not answer["ok"])


@backup.command()
@click.argument("backup_id", metavar="[BACKUP]", required=False)
@click.option("--mode", type=click.Choice(["missing", "replace"]), help="What to restore, as below.  [default: missing]")
@click.option("--run", "run_id", metavar="RUN", help="The id of an earlier plan; --apply with its BACKUP applies it.")
@click.option("--apply", is_flag=True, help="Restore now instead of only planning it.")
@command_options
def restore(shared: Shared, backup_id: str | None, mode: str | None, run_id: str | None, apply: bool) -> None:
    """Restore a backup, or show what that would do.

    \b
    missing   adds the memories that are gone
    replace   also resets changed memories and closes later ones

    "commonplace runs undo" undoes it. Erased memories stay erased. The exit code is 5 if a plan waits to be applied, or if
    a memory can't be restored.
    """
    if apply and backup_id is None:
        raise click.UsageError("--apply needs the BACKUP to restore")
    with shared.open() if apply else shared.reading() as memory:
        planning = {"backup_id": backup_id, "mode": mode} if run_id is None else {"run_id": run_id}
        answer = memory.call("backup_restore", {"action": "restore", **set_arguments(**planning)})
        if apply and answer.get("run_id"):
            applying = {"action": "restore", "run_id": answer["run_id"], "confirm": backup_id}
            answer = memory.call("backup_restore", applying)
    print_json(answer) if shared.json else _print_restored(answer)
    exit_if(answer["status"] == "needs_review" or answer["refused"])


def _print_restored(answer: Mapping[str, Any]) -> None:
    waits = answer["status"] == "needs_review"
    run_id = answer.get("run_id")
    parts = (("adds", "restored"), ("changes", "reset"), ("closes", "closed"))
    rows = [(word, memory_id) for name, word in parts for memory_id in answer[name]]
    rows += [("not restored", Remarked(refusal["id"], refusal["message"])) for refusal in answer["refused"]]
    print_rows(("what", "memory"), rows)
    if not rows:
        click.echo("nothing to restore")
    print_facts({
        "run": run_id,
        "to do": f"commonplace backup restore {answer['backup_id']} --run {run_id} --apply" if waits and run_id else None,
        "undo by": f"commonplace runs undo {run_id}" if run_id and not waits else None,
    })  # fmt: skip
    print_notes(answer)

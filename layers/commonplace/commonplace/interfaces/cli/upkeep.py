"""`validate` and `repair`: whether the memories and what they are found by are in line, and the index brought in line."""

from collections import Counter
from typing import Any

import click

from commonplace.interfaces.cli.deployment import exit_if
from commonplace.interfaces.cli.options import Shared, command_options, progress_bar
from commonplace.interfaces.cli.tables import Remarked, print_facts, print_json, print_notes, print_rows


@click.command()
@command_options
def validate(shared: Shared) -> None:
    """Check whether memories and index are in line.

    It only reads. "commonplace repair" brings the index in line; for what lies in a memory itself each line tells the
    command that helps. The exit code is 5 when something is wrong.
    """
    findings, checked, cursor = list[dict[str, Any]](), 0, dict[str, str]()
    with shared.reading() as memory, progress_bar("memories checked") as progress:
        while True:
            part = memory.call("validate_storage", cursor)
            checked += part["checked"]
            findings += part["findings"]
            progress(checked)
            if "cursor" not in part:
                break
            cursor = {"cursor": part["cursor"]}
    ok = all(one["kind"] == "held" for one in findings)
    if shared.json:
        counts = dict(Counter(one["kind"] for one in findings))
        print_json({"ok": ok, "checked": checked, "counts": counts, "findings": findings})
    else:
        if findings:
            rows = [(one["kind"].replace("_", " "), Remarked(one["id"], one["detail"])) for one in findings]
            print_rows(("what", "memory"), rows, "memory")
        print_facts({"checked": checked or "no memory", "found": len(findings) or "nothing wrong"})
    exit_if(not ok)


@click.command()
@click.option("--all", "whole", is_flag=True, help="Write all of the index anew, not only what is not in line.")
@click.option("--apply", is_flag=True, help="Do it; without this it is only told.")
@command_options
def repair(shared: Shared, whole: bool, apply: bool) -> None:
    """Bring the index in line with the memories.

    The memories themselves stay as they are, those that can't be read too. The exit code is 5 when something would be
    changed, or could not be.
    """
    given = {"scope": "all" if whole else "missing", "dry_run": not apply}
    with shared.reading() as memory, progress_bar("memories compared") as progress:
        answer = memory.call("repair_index", given, progress)
    if shared.json:
        print_json(answer)
    else:
        names = ("written", "taken out", "in line") if apply else ("would write", "would take out", "in line")
        counts = dict(zip(names, (answer["indexed"], answer["removed"], answer["unchanged"]), strict=True))
        print_facts({name: str(count) for name, count in counts.items()})
        if answer["failed"]:
            print_rows(("memory", "why not"), [(one["id"], one["code"]) for one in answer["failed"]], "memory")
        print_notes(answer)
    waits = not apply and not whole and (answer["indexed"] or answer["removed"])
    exit_if(waits or answer["failed"] or answer.get("unreadable") or answer.get("notes"))

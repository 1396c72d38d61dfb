"""The import from another store: its plan, and what became of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from commonplace.domain.errors import escaped
from commonplace.interfaces.cli.failures import LEFT
from commonplace.interfaces.cli.options import Shared, progress_bar
from commonplace.interfaces.cli.tables import print_facts, print_json, print_notes, print_rows

if TYPE_CHECKING:
    from commonplace.importing.kinds import Found
    from commonplace.importing.sources import Source

_MOST_SHOWN = 20  # rows of a table; --json has all


def import_foreign(
    shared: Shared, source: "Source", found: "Found", apply: bool, only: str | None, user_map: Sequence[str]
) -> None:
    """Shows what taking in a source would do, or does it: for one user, or for each person whom `user_map` names."""
    users = _users(user_map, source, found) if user_map else {only: shared.user}
    answers = []
    for name, user in users.items():
        of_user = replace(shared, user=user)
        with (
            of_user.open() if apply else of_user.reading() as memory,
            progress_bar(f"reading {found.kind}", resumes="memories" if apply else None) as show,
        ):
            done = memory.import_from(source, found.kind, apply, only=name, progress=show)
        answer = done.model_dump(mode="json") | {"why": found.why} | ({"only": name, "user": user} if user_map else {})
        answers.append(answer)
        if not shared.json:
            _print(answer)
    if shared.json:
        print_json(answers if user_map else answers[0])
    if any(answer["refused"] or answer["conflicts"] or answer["lost"] for answer in answers):
        raise click.exceptions.Exit(LEFT)


def _users(user_map: Sequence[str], source: "Source", found: "Found") -> dict[str | None, str | None]:
    """The users here by the people in the file."""
    from commonplace.importing.kinds import people_in

    users: dict[str | None, str | None] = {}
    for pair in user_map:
        name, equals, user = pair.rpartition("=")
        if not (name and equals and user) or name in users:
            raise click.UsageError(f"--user-map {escaped(pair)}: must be NAME=USER, and each NAME may be given once")
        users[name] = user
    there = people_in(source, found.kind)
    for one in users:
        if one not in there:
            people = ", ".join(sorted(there)) or "nobody"
            raise click.UsageError(f"--user-map: the file names {escaped(people)}, and not {escaped(str(one))}")
    return users


def _print(answer: dict[str, Any]) -> None:
    applied, runs = answer["applied"], answer["runs"] or [answer[name] for name in ("run_id",) if name in answer]
    of_user = f" --user {answer['user']}" if "user" in answer else ""
    print_facts({
        "person": f"{answer['only']}, for the user {answer['user']}" if "user" in answer else "",
        "read as": f"{answer['kind']}: {answer['why']}",
        "people": [f"{name}: {count}" for name, count in answer["people"].items()] if len(answer["people"]) > 1 else "",
        "entries": answer["entries"],
        "added" if applied else "to be added": f"{answer['added']}, {answer['closed']} of them closed",
        "here already": len(answer["known"]),
        "refused": len(answer["refused"]),
        "conflicts": answer["conflicts"],
        "lost to another write": answer["lost"],
        "fields cut in the note": answer["cut"],
        "undo by": [f"commonplace runs undo {run}{of_user}" for run in reversed(runs)],
    })  # fmt: skip
    if answer["refused"]:
        rows = [(one["where"], one["code"], one["message"]) for one in answer["refused"][:_MOST_SHOWN]]
        print_rows(("entry", "code", "refused because"), rows, "refused because")
    if answer["left_out"]:
        print_rows(("passages", "left out because"), [(n, why) for why, n in answer["left_out"].items()], "left out because")
    print_notes(answer)
    if answer["added"] and not applied:
        click.echo("--apply stores them")

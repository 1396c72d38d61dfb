"""`record`: a day of discussions, reactions, saves and wishes from a file."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from commonplace.cli.conversations import progress_bar, read_text
from commonplace.cli.options import Shared, command_options
from commonplace.cli.tables import print_facts, print_json, print_rows
from commonplace.errors import CommonplaceError, ErrorCode

if TYPE_CHECKING:
    from commonplace.client import Commonplace

_BATCH = 50


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@command_options
def record(shared: Shared, file: str) -> None:
    """Record what a day left behind, for a night to read.

    FILE holds interactions, each {"type", "id", "time", ...}, as JSON lines, a JSON array, or an object with
    "interactions". One that is malformed is refused on its own; an id that is known stays as it was.
    """
    given, refused = read_interactions(read_text(file))
    with shared.open() as memory:
        answer = _recorded(memory, given)
    answer["refused"] = refused + answer["refused"]
    if shared.json:
        return print_json(answer)
    print_facts({name: answer[name] for name in ("recorded", "known", "redacted")})
    if answer["refused"]:
        rows = [(one["id"] or "?", one["message"]) for one in answer["refused"]]
        print_rows(("interaction", "refused because"), rows, "refused because")
    return None


def _recorded(memory: "Commonplace", given: Sequence[Any]) -> dict[str, Any]:
    """A batch at a time, so that one sees how far it is."""
    from commonplace.batches import in_batches

    answer: dict[str, Any] = {"recorded": 0, "known": 0, "refused": [], "redacted": []}
    with progress_bar() as bar:
        task = bar.add_task(f"recording {len(given)} interactions", total=len(given))
        for batch in in_batches(given, _BATCH):
            done = memory.record_interactions(batch).model_dump(mode="json")
            answer = {name: before + done[name] for name, before in answer.items()}
            bar.update(task, advance=len(batch))
    return {**answer, "redacted": list(dict.fromkeys(answer["redacted"]))}


def read_interactions(text: str) -> tuple[list[Any], list[dict[str, Any]]]:
    """The interactions of a file, and the lines that are no JSON, as they are told of refused ones."""
    from commonplace.strict_json import read_json, read_object

    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise CommonplaceError(ErrorCode.INVALID_JSON, "file: holds no interactions", "file")
    first = lines[0][1].strip()
    if not (first.startswith("{") and first.endswith("}")) or (len(lines) == 1 and '"interactions"' in first):
        whole = read_json(text)
        found = whole.get("interactions", [whole]) if isinstance(whole, dict) else whole
        if not isinstance(found, list):
            raise CommonplaceError(ErrorCode.INVALID_JSON, "file: must hold a list of interactions, or one per line")
        return found, []
    given, refused = list[Any](), list[dict[str, Any]]()
    for number, line in lines:
        try:
            given.append(read_object(line))
        except CommonplaceError as error:
            refused.append({"id": None, "field": None, "message": f"line {number}: {error.message}"})
    return given, refused

"""The commands `record`, which records interactions from a file, and `markdown`, which writes editable pages."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.cli.failures import USAGE, exit_if
from commonplace.interfaces.cli.options import Shared, command_options, progress_bar, read_text
from commonplace.interfaces.cli.tables import print_facts, print_json, print_rows, print_run

if TYPE_CHECKING:
    from commonplace.client.memory import Commonplace
    from commonplace.domain.interactions import WrittenPages

_BATCH = 50
_FOLDER = click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@command_options
def record(shared: Shared, file: str) -> None:
    """Record the interactions of a day for the nightly run.

    FILE contains interactions as JSON lines, a JSON array, or an object with "interactions". Each is {"type", ...} with an
    optional "id" and "time". A malformed interaction is refused, and the others are recorded. A known id stays unchanged;
    for a conversation that has grown, the new messages are recorded. The exit code is 5 if some are refused, and 2 if all
    are. Messages may come from an OpenAI or Bedrock log: texts of the user and the assistant are read, others are skipped
    and counted.
    """
    interactions, refused = read_interactions(read_text(file))
    with shared.open() as memory:
        answer = _record_interactions(memory, interactions)
    answer["refused"] = refused + answer["refused"]
    print_json(answer) if shared.json else _print_recorded(answer)
    if answer["refused"] and not (answer["recorded"] or answer["known"]):
        raise click.exceptions.Exit(USAGE)
    exit_if(answer["refused"])


def _print_recorded(answer: dict[str, Any]) -> None:
    print_facts({name: answer[name] for name in ("recorded", "known", "redacted")})
    reasons = Counter((skip["role"], skip["reason"]) for skip in answer["skipped"])
    rows = [(str(count), role, why) for (role, why), count in reasons.most_common()]
    print_rows(("messages", "role", "skipped because"), rows)
    changed = [(conflict["id"], str(conflict["index"]), conflict["role"]) for conflict in answer["conflicts"]]
    print_rows(("conversation", "changed message", "role"), changed, "conversation")
    print_rows(("interaction", "refused because"), [(item["id"] or "?", item["message"]) for item in answer["refused"]])


def _record_interactions(memory: "Commonplace", interactions: Sequence[Any]) -> dict[str, Any]:
    from commonplace.contract.sent import as_declared
    from commonplace.domain.batching import in_batches
    from commonplace.domain.interactions import RecordRequest

    answer: dict[str, Any] = {"recorded": 0, "known": 0, "refused": [], "skipped": [], "conflicts": [], "redacted": []}
    with progress_bar(f"recording {len(interactions)} interactions", len(interactions), "interactions") as show:
        for number, batch in enumerate(in_batches(interactions, _BATCH)):
            sent = as_declared(RecordRequest, {"interactions": batch})["interactions"]
            done = memory.record_interactions(sent).model_dump(mode="json")
            answer = {name: before + done[name] for name, before in answer.items()}
            show(number * _BATCH + len(batch), len(interactions))
    return {**answer, "redacted": list(dict.fromkeys(answer["redacted"]))}


def read_interactions(text: str) -> tuple[list[Any], list[dict[str, Any]]]:
    """Return a file's interactions and its refused entries. In JSON lines, each line that is not valid JSON is refused."""
    from commonplace.domain.strict_json import read_json, read_object

    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise CommonplaceError(ErrorCode.INVALID_JSON, "file: contains no interactions", "file")
    first = lines[0][1].strip()
    if not (first.startswith("{") and first.endswith("}")) or (len(lines) == 1 and '"interactions"' in first):
        whole = read_json(text)
        listed = whole.get("interactions", [whole]) if isinstance(whole, dict) else whole
        if not isinstance(listed, list):
            raise CommonplaceError(ErrorCode.INVALID_JSON, "file: must contain a list of interactions, or one per line")
        return listed, []
    interactions, refused = list[Any](), list[dict[str, Any]]()
    for number, line in lines:
        try:
            interactions.append(read_object(line))
        except CommonplaceError as error:
            refused.append({"id": None, "field": None, "message": f"line {number}: {error.message}"})
    return interactions, refused


@click.group()
def markdown() -> None:
    """Write the memories as Markdown pages that you can edit."""


@markdown.command()
@_FOLDER
@click.option("--overwrite", is_flag=True, help="Also overwrite edited pages; edits that were not applied are lost.")
@command_options
def write(shared: Shared, folder: str, overwrite: bool) -> None:
    """Write the changed pages into a folder.

    A page that you have edited stays until you apply it. Other files in the folder always stay.
    """
    with shared.reading() as memory:
        done = memory.write_markdown(folder, overwrite)
    return print_json(done.model_dump(mode="json")) if shared.json else _print_written_pages(done)


@markdown.command()
@_FOLDER
@click.option("--yes", is_flag=True, help="Make the changes, even if they remove many entries.")
@command_options
def apply(shared: Shared, folder: str, yes: bool) -> None:
    """Show your changes on the pages of a folder; --yes makes them, as a run.

    \b
    Edit the text of an entry        the memory gets a new value; the history keeps the old one
    Move it under another heading    it is filed there
    Remove the whole line            it is closed; runs undo restores it
    Add a line that begins with -    it is stored; - **key**: gives it a key

    A memory that changed elsewhere since the page was written stays unchanged.
    """
    with shared.open() if yes else shared.reading() as memory:
        report = memory.apply_markdown(folder, dry_run=not yes, delete_many=yes)
    if shared.json:
        return print_json(report.model_dump(mode="json"))
    print_run(report)
    if any(operation.outcome == "planned" for operation in report.run.operations):
        click.echo("--yes makes these changes")
    return None


def _print_written_pages(done: "WrittenPages") -> None:
    for name in done.written:
        click.echo(f"wrote {name}")
    for name in done.removed:
        click.echo(f"removed {name}, which has no entries any more")
    for page in done.left:
        click.echo(f"not written: {page.name}: {page.why}", err=True)
    if done.unreadable:
        click.echo(f"on no page, because they can't be read: {', '.join(done.unreadable)}", err=True)
    if not (done.written or done.removed or done.left):
        click.echo("no page has changed")

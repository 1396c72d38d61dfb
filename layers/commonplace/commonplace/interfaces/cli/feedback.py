"""`feedback`: whether a memory was useful for a query, and forgetting that."""

import click

from commonplace.interfaces.cli.options import Shared, command_options, text_argument
from commonplace.interfaces.cli.tables import print_facts, print_json


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@text_argument("query", nargs=-1, required=False, metavar="[QUERY]")
@click.option("--useful/--not-useful", default=None, help="Whether the memory was of use for that.")
@click.option("--forget", is_flag=True, help="Forget the feedback on this memory; without an ID all of it.")
@command_options
def feedback(shared: Shared, memory_id: str | None, query: str, useful: bool | None, forget: bool) -> None:
    """Tell whether a memory was useful for a query.

    \b
      commonplace feedback mem_01J... is anybody allergic --useful
      commonplace feedback mem_01J... --forget

    Queries like it find that memory a little sooner, or later. It is kept for 90 days; of one memory and query the last
    word counts.
    """
    if forget:
        if query or useful is not None:
            raise click.UsageError("--forget takes an ID alone, or nothing")
        return _forget(shared, memory_id)
    if memory_id is None or not query or useful is None:
        raise click.UsageError("an ID, a QUERY, and --useful or --not-useful are needed")
    with shared.open() as memory:
        answer = memory.record_feedback(memory_id, query, useful).model_dump(mode="json")
    if shared.json:
        return print_json(answer)
    notes = answer.get("notes") or {}
    return print_facts({
        "memory": answer["memory_id"], "query": answer["query"], "useful": "yes" if answer["useful"] else "no",
        "kept": "for 90 days" if answer["kept"] else "no", "warnings": notes.get("warnings"),
        "redacted": notes.get("redacted"),
    })  # fmt: skip


def _forget(shared: Shared, memory_id: str | None) -> None:
    with shared.reading() as memory:
        answer = memory.forget_feedback(memory_id)
    if shared.json:
        return print_json(answer.model_dump(mode="json"))
    return print_facts({"forgotten": str(answer.forgotten)})

"""The commands `list`, `get`, `update`, `delete` and `history`, which show and change single memories.

The command `feedback` records whether a memory was useful for a query, or deletes such ratings.
"""

from typing import Any, get_args

import click

from commonplace.domain.taxonomy import Category, Durability, MemoryType, Section
from commonplace.interfaces.cli.options import WHOLE, Shared, command_options, set_arguments, text_argument
from commonplace.interfaces.cli.searching import build_arguments, with_filters, with_kinds
from commonplace.interfaces.cli.tables import (
    Remarked,
    day_and_time,
    print_facts,
    print_history,
    print_json,
    print_notes,
    print_rows,
)

_NAME = click.argument("name", metavar="ID|KEY")


@click.command("list")
@click.option("--limit", type=WHOLE, metavar="1-100", help="The most memories to show.  [default: 20]")
@with_kinds
@with_filters
@click.option("--cursor", metavar="CURSOR", help="Continue where a list ended.")
@command_options
def list_memories(shared: Shared, /, **arguments: Any) -> None:
    """List the memories, newest first."""
    answer = shared.call("list_memories", **build_arguments(**arguments))
    if shared.json:
        return print_json(answer)
    print_rows(("when", "memory"), map(_build_row, answer["memories"]))
    more = f"--cursor {answer['cursor']}" if "cursor" in answer else ""
    damaged = answer.get("unreadable")
    return print_facts({"shown": answer["count"] or "no memory", "more": more, "can't be read": damaged})


def _build_row(memory: dict[str, Any]) -> tuple[object, ...]:
    """Return a table row with a memory's date and text, and with its labels as a remark."""
    remark = [
        *([f"key {memory['key']}"] if "key" in memory else []), memory["type"], memory["filed_under"],
        f"importance {memory['importance']} of 5", memory["memory_id"],
    ]  # fmt: skip
    when = day_and_time(memory.get("event_time") or memory["created_at"])
    return when, Remarked(memory["value"], ", ".join(remark))


@click.command()
@_NAME
@command_options
def get(shared: Shared, name: str) -> None:
    """Show one memory as it is stored."""
    with shared.reading() as memory:
        answer = memory.call("get_memory", memory.naming(name))
    if shared.json:
        return print_json(answer)
    entry = answer["memory"]
    return print_facts({
        "memory": entry["value"], "id": entry["memory_id"], "key": entry.get("key"), "type": entry["type"],
        "category": entry["filed_under"], "heading": entry["section"], "importance": f"{entry['importance']} of 5",
        "tags": entry["tags"], "confidence": entry["confidence"], "said by": entry["source"],
        "stored": day_and_time(entry["created_at"]), "changed": day_and_time(entry["updated_at"]),
        "happened": day_and_time(entry.get("event_time") or ""), "expires": day_and_time(entry.get("expires_at") or ""),
        "note": entry.get("user_note"), "replaced": entry.get("previous_id"),
    })  # fmt: skip


@click.command()
@_NAME
@text_argument("value", required=False)
@click.option("--heading", type=click.Choice(get_args(Section)), help="Another heading of the pages.")
@click.option("--category", type=click.Choice(get_args(Category)), help="The category to file it under.")
@click.option("--type", "kind", type=click.Choice(get_args(MemoryType)), help="The kind of memory.")
@click.option("--importance", type=WHOLE, metavar="1-5", help="1 trivial, 5 never forget.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A tag, repeatable; the given tags replace the old ones.")
@click.option("--expires", metavar="TIME", help="When it stops being true or useful, ISO 8601.")
@click.option("--durability", type=click.Choice(get_args(Durability)), help="durable: it never expires; daily: in 90 days.")
@command_options
def update(
    shared: Shared, name: str, value: str | None, heading: str | None, category: str | None, kind: str | None,
    importance: int | None, tags: tuple[str, ...], expires: str | None, durability: str | None,
) -> None:  # fmt: skip
    """Change a memory, or correct its labels.

    With a VALUE, the old value stays in the history and the new one gets its own id. Without a VALUE, the given labels are
    corrected. "commonplace undo" undoes both.
    """
    labels = set_arguments(
        category=heading, filed_under=category, type=kind, importance=importance, tags=list(tags) or None,
        expires_at=expires, durability=durability,
    )  # fmt: skip
    with shared.open() as memory:
        answer = memory.call("update_memory", {**memory.naming(name), **set_arguments(value=value), **labels})
    return _print_change(shared, answer)


@click.command()
@_NAME
@command_options
def delete(shared: Shared, name: str) -> None:
    """Delete a memory; you can undo it.

    Searches no longer find it. For 30 days "commonplace undo" restores it. "commonplace erase --memory" erases it for good.
    """
    with shared.open() as memory:
        answer = memory.call("delete_memory", memory.naming(name))
    return _print_change(shared, answer)


@click.command()
@_NAME
@command_options
def history(shared: Shared, name: str) -> None:
    """Show the history of a memory, newest first.

    For a key: all its values. For an id, also an old one: what it replaced, and what replaced it.
    """
    with shared.reading() as memory:
        history = memory.history(**memory.naming(name))
    return print_json(history.model_dump(mode="json")) if shared.json else print_history(history)


def _print_change(shared: Shared, answer: dict[str, Any]) -> None:
    if shared.json:
        return print_json(answer)
    click.echo(answer["message"])
    print_facts({"memory": answer["memory_id"], "undo by": f"commonplace undo {answer['operation_id']}"})
    return print_notes(answer)


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@text_argument("query", nargs=-1, required=False, metavar="[QUERY]")
@click.option("--useful/--not-useful", default=None, help="Whether the memory was useful for the query.")
@click.option("--forget", is_flag=True, help="Delete the feedback on this memory; without an ID, all feedback.")
@command_options
def feedback(shared: Shared, memory_id: str | None, query: str, useful: bool | None, forget: bool) -> None:
    """Record whether a memory was useful for a query.

    \b
      commonplace feedback mem_01J... is anybody allergic --useful
      commonplace feedback mem_01J... --forget

    Similar queries then rank the memory a little higher or lower. Feedback is stored for 90 days; for the same memory and
    query, the latest counts.
    """
    if forget:
        if query or useful is not None:
            raise click.UsageError("--forget takes only an ID, or nothing")
        with shared.reading() as memory:
            forgotten = memory.forget_feedback(memory_id)
        if shared.json:
            return print_json(forgotten.model_dump(mode="json"))
        return print_facts({"forgotten": str(forgotten.forgotten)})
    if memory_id is None or not query or useful is None:
        raise click.UsageError("give an ID, a QUERY, and --useful or --not-useful")
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

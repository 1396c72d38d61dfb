"""The commands `normalize`, `store`, `context` and `discover`, which store memories and give an overview of them."""

import json
import shlex
from collections.abc import Iterator
from typing import Any, get_args

import click

from commonplace.domain.taxonomy import Category, Source, ToolGroup
from commonplace.interfaces.cli.options import WHOLE, Shared, command_options, set_arguments, text_argument, words_argument
from commonplace.interfaces.cli.tables import print_facts, print_json, print_notes, print_rows


@click.command()
@text_argument("text")
@click.option("--source", type=click.Choice(get_args(Source)), help="Who said it.  [default: user]")
@click.option("--context", metavar="TEXT", help="The message just before, e.g. the question that this answers.")
@command_options
def normalize(shared: Shared, text: str, source: str | None, context: str | None) -> None:
    """Turn a text into a statement with a type and tags.

    The statement is in the third person. Nothing is stored.
    """
    answer = shared.call("memory_normalize", creates=True, text=text, source=source, context=context)
    if shared.json:
        return print_json(answer)
    print_facts({"normalized": answer["normalized"], "type": answer["type"], "tags": answer["tags"]})
    return print_notes(answer)


@click.command()
@text_argument("text")
@click.option("--category", type=click.Choice(get_args(Category)), help="The category to use instead of the detected one.")
@click.option("--importance", type=WHOLE, metavar="1-5", help="1 trivial, 5 never forget.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A tag to add to the detected tags; may be repeated.")
@click.option("--expires", metavar="TIME", help="When it stops being true or useful, ISO 8601.")
@click.option("--source", metavar="WORD", help="The speaker or the origin, e.g. conversation, web.  [default: user]")
@click.option("--note", metavar="TEXT", help="A remark to store with it.")
@command_options
def store(
    shared: Shared, text: str, category: str | None, importance: int | None, tags: tuple[str, ...], expires: str | None,
    source: str | None, note: str | None,
) -> None:  # fmt: skip
    """Store a memory. A text that is stored already stays as it is."""
    context = set_arguments(
        force_category=category, force_importance=importance, additional_tags=list(tags) or None, expires_at=expires,
        source=source, user_note=note,
    )  # fmt: skip
    answer = shared.call("store_memory", creates=True, content=text, context=context or None)
    if shared.json:
        return print_json(answer)
    from commonplace.memories.ingest import KNOWN

    analysis, advice = answer["analysis"], answer["recommendations"]
    is_known = KNOWN in ((answer.get("notes") or {}).get("warnings") or ())
    print_facts({
        "already there as" if is_known else "stored as": answer["memory_id"],
        "type": analysis["detected_type"],
        "category": analysis["detected_category"],
        "importance": f"{analysis['importance_score']} of 5",
        "tags": analysis["generated_tags"],
        "concepts": analysis["concepts_extracted"],
        "confidence": analysis["confidence"],
        "similar": advice["similar_memories"],
        "tags replaced": advice["tag_consolidations"],
    })  # fmt: skip
    print_rows(("says the same", "why"), [tuple(merge.values()) for merge in advice["suggested_merges"]])
    outdated = [(update["content"], update["why"], update["memory_id"]) for update in advice["updates"]]
    print_rows(("may no longer be true", "why", "id"), outdated)
    return print_notes(answer)


@click.command()
@words_argument("topic")
@click.option("--max-tokens", type=WHOLE, metavar="100-8000", help="The most tokens of the context.  [default: 1500]")
@command_options
def context(shared: Shared, topic: str, max_tokens: int | None) -> None:
    """Print the context of a topic, for an agent's prompt.

    Facts that always matter come first, then memories about the TOPIC, then the notes of the last seven days.
    """
    answer = shared.call("get_memory_context", topic=topic, max_tokens=max_tokens)
    if shared.json:
        return print_json(answer)
    return click.echo(answer["context"])  # print only the context, so that it can be piped into a prompt


@click.command()
@click.argument("tool", required=False)
@click.option("--group", type=click.Choice(get_args(ToolGroup)), help="Show the arguments of the tools of this group.")
@command_options
def discover(shared: Shared, tool: str | None, group: str | None) -> None:
    """Show the state of the memories, and further tools.

    With the name of a TOOL: its arguments, with examples.
    """
    from commonplace.contract.registry import tool_named

    answer = shared.call("discover_memory_tools", tool=tool, group=group)
    if shared.json:
        return print_json(answer)
    schemas = [*([answer["tool_schema"]] if tool else []), *answer.get("group_schemas", [])]
    for row in schemas:
        print_facts({"tool": row["name"], "does": row["description"]})
        print_rows(("argument", "default", "meaning"), _list_arguments(row["input_schema"]), always=True)
        calls = [f"commonplace call {row['name']} {shlex.quote(json.dumps(example))}" for example in row["examples"]]
        print_facts({"for example": "\n".join(calls)})
    if schemas:
        return None
    state = answer["current_system_state"]
    print_facts({
        "memories": state["total_memories"],
        "health": state["health_score"],
        "to tidy up": "\n".join(state["optimization_opportunities"]),
    })  # fmt: skip
    groups = answer["advanced_tools"].items()
    rows = [(group, name, tool_named(name).description) for group, names in groups for name in names]
    return print_rows(("for", "advanced tool", "what it does"), rows, always=True)


def _list_arguments(schema: dict[str, Any], within: str = "") -> Iterator[tuple[object, ...]]:
    """Yield the name, default and description of each field in a schema. `within` is a prefix for the names."""
    for name, field in schema["properties"].items():
        default = "required" if name in schema.get("required", ()) else field.get("default", "")
        words = ", ".join(map(str, field.get("enum", ())))
        yield f"{within}{name}", default, "\n".join(filter(None, (field.get("description"), words)))
        if "properties" in field:
            yield from _list_arguments(field, f"{within}{name}.")

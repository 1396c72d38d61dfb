"""`normalize` and `store`: from what was said to what is kept."""

from typing import Any, get_args

import click

from commonplace.cli.options import Shared, command_options, given, text_argument
from commonplace.cli.tables import print_facts, print_json, print_notes, print_rows
from commonplace.taxonomy import Category, Source


@click.command()
@text_argument("text")
@click.option("--source", type=click.Choice(get_args(Source)), help="Who said it.  [default: user]")
@click.option("--context", metavar="TEXT", help="What was said just before, e.g. the question that this answers.")
@command_options
def normalize(shared: Shared, text: str, source: str | None, context: str | None) -> None:
    """Turn a text into a clean statement.

    It is put into the third person and gets a type and tags. Nothing is stored.
    """
    with shared.open() as memory:
        answer = memory.call("memory_normalize", given(text=text, source=source, context=context))
    if shared.json:
        return print_json(answer)
    print_facts({"normalized": answer["normalized"], "type": answer["type"], "tags": answer["tags"]})
    return print_notes(answer)


@click.command()
@text_argument("text")
@click.option("--category", type=click.Choice(get_args(Category)), help="File it here, whatever the engine thinks.")
@click.option("--importance", type=int, metavar="1-5", help="1 trivial, 5 never forget.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A tag to add to those found; may be repeated.")
@click.option("--expires", metavar="TIME", help="When it stops being true or useful, ISO 8601.")
@click.option("--source", type=click.Choice(get_args(Source)), help="Who said it.  [default: user]")
@click.option("--note", metavar="TEXT", help="A remark to keep beside it.")
@command_options
def store(
    shared: Shared, text: str, category: str | None, importance: int | None, tags: tuple[str, ...], expires: str | None,
    source: str | None, note: str | None,
) -> None:  # fmt: skip
    """Remember something, as it was said."""
    context = given(
        force_category=category, force_importance=importance, additional_tags=list(tags) or None, expires_at=expires,
        source=source, user_note=note,
    )  # fmt: skip
    with shared.open() as memory:
        answer = memory.call("store_memory", given(content=text, context=context or None))
    if shared.json:
        return print_json(answer)
    found, advice = answer["analysis"], answer["recommendations"]
    print_facts({
        "already there as" if _known(answer) else "stored as": answer["memory_id"],
        "type": found["detected_type"],
        "category": found["detected_category"],
        "importance": f"{found['importance_score']} of 5",
        "tags": found["generated_tags"],
        "concepts": found["concepts_extracted"],
        "confidence": found["confidence"],
        "similar": advice["similar_memories"],
        "tags replaced": advice["tag_consolidations"],
    })  # fmt: skip
    if advice["suggested_merges"]:
        print_rows(("says the same", "why"), [tuple(merge.values()) for merge in advice["suggested_merges"]], "why")
    return print_notes(answer)


def _known(answer: dict[str, Any]) -> bool:
    """Whether nothing was stored: the tool tells it as a warning."""
    from commonplace.remember import KNOWN

    return KNOWN in ((answer.get("notes") or {}).get("warnings") or ())

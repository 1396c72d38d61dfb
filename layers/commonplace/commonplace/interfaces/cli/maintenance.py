"""The commands `merge` and `tags`, which plan and apply merges of memories and of tags with the same meaning."""

from collections.abc import Mapping
from typing import Any

import click

from commonplace.interfaces.cli.failures import exit_if
from commonplace.interfaces.cli.options import Shared, command_options, progress_bar, set_arguments
from commonplace.interfaces.cli.tables import Remarked, print_facts, print_json, print_notes, print_rows

_APPLY = click.option("--apply", is_flag=True, help="Merge now instead of only planning it.")
_RUN_ID = click.option("--run", "run_id", metavar="RUN", help="The id of an earlier plan; --apply applies it.")


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_RUN_ID
@_APPLY
@command_options
def merge(shared: Shared, ids: tuple[str, ...], run_id: str | None, apply: bool) -> None:
    """Merge memories, or list which say the same.

    Without an ID it lists the memories that say the same. "commonplace runs undo" restores the old memories. The exit code
    is 5 if it finds something to merge, or if a plan waits to be applied.
    """
    arguments = set_arguments(memory_ids=list(ids) or None, dry_run=not apply, run_id=run_id)
    with shared.open() if apply else shared.reading() as memory, progress_bar("merging memories") as progress:
        answer = memory.call("merge_memories", arguments, progress)
    print_json(answer) if shared.json else _print_merge(answer)
    exit_if((answer["groups"] and "memory_id" not in answer) or answer["status"] == "needs_review")


@click.group()
def tags() -> None:
    """List the tags, or merge tags with the same meaning."""


@tags.command("list")
@command_options
def list_tags(shared: Shared) -> None:
    """List all tags in use, by name."""
    with shared.reading() as memory:
        page = memory.tags()
        tags = page.tags
        while page.cursor is not None:
            page = memory.tags(cursor=page.cursor)
            tags += page.tags
    if shared.json:
        print_json({"tags": [tag.model_dump() for tag in tags]})
    elif tags:
        print_rows(("tag", "memories"), [(tag.tag, str(tag.count)) for tag in tags], "tag")
    else:
        click.echo("no memory has a tag")


@tags.command()
@click.option("--threshold", type=float, metavar="0.5-1", help="The least similarity of tags to merge.  [default: 0.8]")
@_RUN_ID
@_APPLY
@command_options
def optimize(shared: Shared, threshold: float | None, run_id: str | None, apply: bool) -> None:
    """Merge tags with the same meaning.

    A query for an old tag still finds the same memories. "commonplace runs undo" undoes it. The exit code is 5 if a plan
    waits to be applied.
    """
    arguments = set_arguments(threshold=threshold, dry_run=not apply, run_id=run_id)
    with shared.open() if apply else shared.reading() as memory, progress_bar("memories corrected") as progress:
        answer = memory.call("optimize_tags", arguments, progress)
    print_json(answer) if shared.json else _print_tags(answer)
    exit_if(answer["status"] == "needs_review")


def _print_tags(answer: Mapping[str, Any]) -> None:
    rows = [(row["from"], row["to"], row["similarity"], str(row["memories"]), row["why"]) for row in answer["merges"]]
    print_rows(("tag", "becomes", "similarity", "memories", "because"), rows)
    if not rows:
        click.echo("no two tags mean the same")
    pairs = [(" / ".join(pair["tags"]), pair["similarity"], pair["why"]) for pair in answer["kept_apart"]]
    print_rows(("not merged", "similarity", "because"), pairs)
    before, after = answer["before"], answer["after"]
    _print_run(
        answer, tags=f"{before['distinct']} -> {after['distinct']}",
        reused=f"{before['reuse_rate']:.0%} -> {after['reuse_rate']:.0%}", unused=answer["archived"],
    )  # fmt: skip


def _print_merge(answer: Mapping[str, Any]) -> None:
    rows = []
    for group in answer["groups"]:
        remark = "\n".join((str(group.get("refused", group["why"])), *group["memory_ids"]))
        rows.append(("no" if "refused" in group else "yes", Remarked(group["merged_text"], remark)))
    print_rows(("merges", "new text"), rows)
    if not rows:
        click.echo("no memories say the same")
    _print_run(answer, memory=answer.get("memory_id"))


def _print_run(answer: Mapping[str, Any], **facts: object) -> None:
    run_id = answer.get("run_id")
    waits = run_id and answer["status"] == "needs_review"
    print_facts({
        **facts, "run": run_id, "status": answer["status"] if run_id else None,
        "to do": f"commonplace runs approve {run_id}, or discard" if waits else None,
        "undo by": f"commonplace runs undo {run_id}" if run_id and not waits else None,
    })  # fmt: skip
    print_notes(answer)

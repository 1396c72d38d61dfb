"""The commands `stats`, `timeline` and `network`, which draw overviews of the memories in a terminal."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

import click

from commonplace.domain.taxonomy import Granularity
from commonplace.interfaces.cli.options import WHOLE, Shared, command_options
from commonplace.interfaces.cli.tables import Remarked, day_and_time, print_facts, print_json, print_notes, print_rows

_AFTER = click.option("--after", metavar="TIME", help="Only memories from this time on, ISO 8601.")
_BEFORE = click.option("--before", metavar="TIME", help="Only memories before this time, ISO 8601.")
_BAR = 12  # columns of the longest bar, which fits next to a name in a terminal with 60 columns
_TAGS = 10


@click.command()
@_AFTER
@_BEFORE
@command_options
def stats(shared: Shared, after: str | None, before: str | None) -> None:
    """Count the memories, with bars.

    --after and --before select by the time a memory was stored. The health covers all memories.
    """
    answer = shared.call("memory_stats", after=after, before=before)
    if shared.json:
        return print_json(answer)
    health, tags = answer["health"], answer["tags"]
    lost = {name.replace("_", " "): part for name, part in health["parts"].items() if part}
    print_facts({
        "memories": answer["total"],
        "as of": day_and_time(answer["as_of"]),
        "health": health["score"],
        "reduced by": lost,
        "records": f"{answer['record_bytes']:,} bytes",
        "tags": f"{tags['distinct']} in {tags['assignments']} places, {tags['used_once']} of them used once",
    })  # fmt: skip
    buckets = [(bucket["up_to_days"], bucket["count"]) for bucket in answer["age"] if bucket["count"]]
    ages = {"older" if days is None else f"up to {days} days": count for days, count in buckets}
    top = {tag["tag"]: tag["count"] for tag in tags["top"][:_TAGS]}
    rows = [row for name, counts in ({**answer["by"], "age": ages, "tag": top}).items() for row in _draw_counts(name, counts)]
    print_rows(("by", "name", "memories", ""), rows)
    months = [(month["month"], month["added"], month["closed"]) for month in answer["growth"]]
    drawn = zip(months, bars(added for _, added, _ in months), strict=True)
    print_rows(("month", "added", "closed", ""), [(*month, bar) for month, bar in drawn])
    return print_notes(answer)


@click.command()
@_AFTER
@_BEFORE
@click.option("--topic", metavar="WORDS", help="Only memories with all of these words.")
@click.option("--by", type=click.Choice(get_args(Granularity)), help="The length of a period.  [default: month]")
@click.option("--cursor", metavar="CURSOR", help="Continue where a timeline ended.")
@command_options
def timeline(
    shared: Shared, after: str | None, before: str | None, topic: str | None, by: str | None, cursor: str | None
) -> None:
    """Show when things happened, and what changed.

    Count memories by day, week, month or year, with their subjects and with changes: the old value beside the new one.
    """
    answer = shared.call("memory_timeline", after=after, before=before, topic=topic, granularity=by, cursor=cursor)
    if shared.json:
        return print_json(answer)
    buckets = answer["buckets"]
    drawn = zip(buckets, bars(bucket["count"] for bucket in buckets), strict=True)
    rows = [(bucket["start"][:10], bucket["count"], bar, _describe_bucket(bucket)) for bucket, bar in drawn]
    print_rows(("from", "memories", "", "about"), rows)
    more = f"commonplace timeline --cursor {answer['cursor']}" if answer.get("cursor") else ""
    print_facts({"shown": "" if buckets else "nothing", "more": more})
    return print_notes(answer)


@click.command()
@click.argument("focus", required=False)
@click.option("--depth", type=WHOLE, metavar="1-3", help="How many links away from the focus.  [default: 1]")
@click.option("--limit", type=WHOLE, metavar="1-100", help="The most concepts to show.  [default: 50]")
@click.option("--dot", is_flag=True, help="Print the graph for Graphviz, e.g. for: dot -Tsvg.")
@command_options
def network(shared: Shared, focus: str | None, depth: int | None, limit: int | None, dot: bool) -> None:
    """Show which concepts appear together.

    With a FOCUS: only the concepts around it. Concepts that often appear together form a community.
    """
    answer = shared.call("concept_network", focus=focus, depth=depth, limit=limit, format="dot" if dot else None)
    if shared.json:
        return print_json(answer)
    if dot:
        return click.echo(answer["dot"], nl=False)  # print only the graph, which is piped into Graphviz
    nodes = answer["nodes"]
    linked: dict[str, list[str]] = {}
    for link in answer["links"]:
        for first, other in ((link["source"], link["target"]), (link["target"], link["source"])):
            linked.setdefault(first, []).append(f"{other} {link['weight']:.2f}")
    rows = [(node["id"], node["count"], node["community"], linked.get(node["id"], [])) for node in nodes]
    print_rows(("concept", "memories", "community", "linked with"), rows)
    print_facts({"shown": f"{len(nodes)} concepts, {len(answer['links'])} links" if nodes else "nothing"})
    return print_notes(answer)


def _describe_bucket(bucket: dict[str, Any]) -> Remarked:
    changes = [f"{item['at'][:10]}: {item['old']['content']} → {item['new']['content']}" for item in bucket["changes"]]
    return Remarked(", ".join(bucket["concepts"]), "\n".join(changes))


def _draw_counts(name: str, counts: Mapping[str, int]) -> Iterator[tuple[object, ...]]:
    for at, (row, bar) in enumerate(zip(counts.items(), bars(counts.values()), strict=True)):
        yield "" if at else name, *row, bar


def bars(numbers: Iterable[int]) -> list[str]:
    """Return one bar per number, with a length proportional to the number. Only the bar for 0 is empty."""
    counts = [*numbers]
    most = max(counts, default=0) or 1
    return ["█" * (round(_BAR * count / most) or bool(count)) for count in counts]

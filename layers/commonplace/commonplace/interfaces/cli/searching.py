"""The commands `search`, `trace` and `usage`, which find memories, explain a search and show past searches."""

from typing import Any, get_args

import click

from commonplace.domain.taxonomy import ContentType, SearchCategory
from commonplace.interfaces.cli.options import WHOLE, Shared, command_options, set_arguments, with_options, words_argument
from commonplace.interfaces.cli.tables import Remarked, day_and_time, print_facts, print_json, print_notes, print_rows

with_kinds = with_options(
    click.option("--category", type=click.Choice(get_args(SearchCategory)), help="Only this category or section."),
    click.option("--kind", type=click.Choice(get_args(ContentType)), help="Only memories of this kind."),
)
with_filters = with_options(
    click.option("--min-importance", type=WHOLE, metavar="1-5", help="Only memories at least this important."),
    click.option("--after", metavar="TIME", help="Only what happened then or later, ISO 8601."),
    click.option("--before", metavar="TIME", help="Only what happened earlier, ISO 8601."),
    click.option("--include-expired", is_flag=True, help="Also expired memories."),
)
_with_arguments = with_options(
    words_argument("query"),
    click.option("--limit", type=WHOLE, metavar="1-100", help="The most memories to show.  [default: 10]"),
    with_kinds,
    click.option("--min-relevance", type=float, metavar="0-1", help="Leave out memories that match less.  [default: 0.3]"),
    with_filters,
)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_UNUSED = 3  # number of unused memories whose ids are printed
_WHY = {
    "limit": "beyond --limit", "min_relevance": "matches less than --min-relevance", "category": "not in --category",
    "content_type": "not of --kind", "importance_min": "below --min-importance", "time_range": "outside --after and --before",
    "include_expired": "expired",
}  # fmt: skip


@click.command()
@_with_arguments
@command_options
def search(shared: Shared, /, **arguments: Any) -> None:
    """Find memories for a question in plain words.

    The question needs no quotes. The best matches come first. For conversations, "answerable" (0-1) shows how likely they
    contain the answer.
    """
    answer = shared.call("search_memory", **build_arguments(**arguments))
    if shared.json:
        return print_json(answer)
    _print_hits(answer)
    return print_notes(answer)


@click.command()
@_with_arguments
@command_options
def trace(shared: Shared, /, **arguments: Any) -> None:
    """Explain how a search found its results.

    It takes the arguments of search, and shows the parts of each score, the memories left out and why, and the time of
    each step.
    """
    with shared.reading() as memory:
        answer = memory.call("trace_search", build_arguments(**arguments))
        texts = {} if shared.json else {hit["id"]: memory.get_memory(hit["id"]).memory.value for hit in answer["results"]}
    if shared.json:
        return print_json(answer)
    _print_trace(answer, texts)
    return print_notes(answer)


@click.command()
@click.option("--after", metavar="TIME", help="Only searches from this time on, ISO 8601.")
@click.option("--before", metavar="TIME", help="Only searches before this time, ISO 8601.")
@command_options
def usage(shared: Shared, after: str | None, before: str | None) -> None:
    """Show how the memories are used.

    The times of searches, the memories found most or never, and the questions that found nothing.
    """
    answer = shared.call("usage_patterns", after=after, before=before)
    if shared.json:
        return print_json(answer)
    print_rows(("found", "memory"), [(row["count"], Remarked(row["content"], row["id"])) for row in answer["top"]])
    unanswered = [(query["count"], day_and_time(query["last"]), query["query"]) for query in answer["found_nothing"]]
    print_rows(("times", "last", "question that found nothing"), unanswered)
    hours = {f"{hour:02}": count for hour, count in enumerate(answer["by_hour"]) if count}
    print_facts({
        "searches": answer["searches"],
        "by hour": ", ".join(f"{hour} h: {count}" for hour, count in hours.items()),
        "by weekday": ", ".join(f"{day} {count}" for day, count in zip(_DAYS, answer["by_weekday"], strict=True) if count),
        "time zone": answer["timezone"],
        "never found": _format_unused(answer["never_used"]),
    })  # fmt: skip
    return print_notes(answer)


def _format_unused(unused: dict[str, Any]) -> str:
    shown = ", ".join(unused["ids"][:_UNUSED])
    return (
        f"{unused['count']} memories ({shown}{', ...' if unused['count'] > _UNUSED else ''})" if unused["count"] else "none"
    )


def build_arguments(
    *, kind: str | None, min_importance: int | None, after: str | None, before: str | None, include_expired: bool,
    min_relevance: float | None = None, **arguments: object,
) -> dict[str, Any]:  # fmt: skip
    """Return the arguments of a tool that searches or lists memories, with the filters under `options`."""
    options = set_arguments(
        min_relevance=min_relevance, importance_min=min_importance, content_type=kind,
        time_range=set_arguments(after=after, before=before) or None, include_expired=include_expired or None,
    )  # fmt: skip
    return set_arguments(**arguments, options=options or None)


def _print_trace(answer: dict[str, Any], texts: dict[str, str]) -> None:
    """Print how a search ranked its results. `texts` maps the id of each result to its text."""
    print_rows(("relevance", "parts", "memory"), [_build_trace_row(hit, texts[hit["id"]]) for hit in answer["results"]])
    print_rows(("left out", "why"), [(entry["id"], _WHY[entry["why"]]) for entry in answer["left_out"]])
    legs = answer["legs"]
    print_facts({
        "shown": len(answer["results"]) or "nothing matches",
        "ranked by": answer["ranked_by"],
        "found by words": len(legs["lexical"]),
        "found by meaning": len(legs["vector"]),
        "milliseconds": ", ".join(f"{step} {spent:.1f}" for step, spent in answer["times_ms"].items()),
    })  # fmt: skip


def _build_trace_row(hit: dict[str, Any], text: str) -> tuple[object, ...]:
    parts = sorted(hit["parts"].items(), key=lambda part: -abs(part[1]))
    shares = "\n".join([*(f"{share:+.3f} {name}" for name, share in parts), f"={hit['raw']:6.3f} raw"])
    return hit["relevance_score"], shares, Remarked(text, f"by {', '.join(hit['reach'])}, {hit['id']}")


def _print_hits(answer: dict[str, Any]) -> None:
    hits, analysis = answer["results"], answer["query_analysis"]
    print_rows(("relevance", "when", "memory"), map(_build_hit_row, hits))
    span = analysis["time_range"] or {}
    print_facts({
        "shown": _describe_shown(hits, answer["total_found"]),
        "left out": f"{below} that match less (--min-relevance 0 shows them)" if (below := analysis["held_back"]) else "",
        "answerable": "" if analysis["answerable"] is None else f"{analysis['answerable']:.2f}",
        "from": day_and_time(span.get("after") or ""),
        "until before": day_and_time(span.get("before") or ""),
        "also looked for": [word for words in analysis["semantic_expansions"].values() for word in words],
    })  # fmt: skip


def _describe_shown(hits: list[dict[str, Any]], total: int) -> str:
    if not hits:
        return "nothing matches"
    return "the nearest; nothing matches well" if hits[0].get("below_threshold") else f"{len(hits)} of {total} that match"


def _build_hit_row(hit: dict[str, Any]) -> tuple[object, ...]:
    when = day_and_time(hit.get("event_time") or hit["created_at"])
    remark = f"{hit['category']}, importance {hit['importance']} of 5, {hit['id']}"
    return hit["relevance_score"], when, Remarked(hit["content"], remark)

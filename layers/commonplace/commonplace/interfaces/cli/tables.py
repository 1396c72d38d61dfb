"""Print answers, runs and histories as plain tables for people."""

import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from commonplace.text.foundation.characters import undisguised

if TYPE_CHECKING:
    from commonplace.domain.interactions import History, OperationReport, RunReport
    from commonplace.domain.runs import Run

_NUMBERS = ("relevance", "turns", "memories", "added", "closed")
_GAP = "   "
_LEAST = 24  # minimum width of the wide column, even in a narrow terminal
_HALF = re.compile(r"[\ud800-\udfff]")  # an unpaired surrogate, which can't be encoded
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # control characters, which a terminal would interpret
_STRAIGHT = str.maketrans("“”", '""')  # so that a quoted text can't close the quotes
_MARKS = {
    "planned": "would", "applied": "✓", "lost": "lost", "over_cap": "over cap", "needs_review": "review",
    "discarded": "discarded", "undone": "✓", "kept": "kept",
}  # fmt: skip


@dataclass(frozen=True)
class Remarked:
    """A text with a remark, which is printed below the text."""

    text: str
    remark: str


def print_json(value: object, indent: int | None = None) -> None:
    """Print a value as JSON, which is on one line unless `indent` is given."""
    import json

    click.echo(_escape_halves(json.dumps(value, ensure_ascii=False, indent=indent)))


def _escape_halves(text: str) -> str:
    """Replace unpaired surrogates, which can't be printed, with escape sequences."""
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def print_facts(facts: Mapping[str, object]) -> None:
    """Print names with their values. Empty values are omitted."""
    from wcwidth import ljust, width

    shown = {name: value for name, value in facts.items() if value not in (None, "", [], {})}
    longest = max(map(width, shown), default=0)
    for name, value in shown.items():
        lines = _format_lines(value, max(_LEAST, shutil.get_terminal_size().columns - longest - 2))
        for label, line in zip([name, *[""] * len(lines)], lines, strict=False):
            click.echo(f"{click.style(ljust(label, longest), dim=True)}  {line}".rstrip())


def print_rows(
    columns: Sequence[str], rows: Iterable[Sequence[object]], wide: str | None = None, *, always: bool = False
) -> None:
    """Print a table. The column `wide`, by default the last, takes the remaining width. Long values are wrapped.

    A table without rows is printed only if `always` is true, and then consists of the column heads. Words are never broken.
    If the terminal is too narrow for the words, each row is printed as a list of names and values.
    """
    from wcwidth import ljust, rjust

    cells = [[*row] for row in rows]
    if not cells and not always:
        return None
    widths = _compute_widths(columns, cells, len(columns) - 1 if wide is None else columns.index(wide))
    if widths is None:
        for row in cells:
            click.echo()
            print_facts(dict(zip(columns, row, strict=True)))
        return click.echo()
    heads = [ljust(name, size) for name, size in zip(columns, widths, strict=True)]
    click.echo("\n" + click.style(_GAP.join(heads).rstrip(), bold=True))
    click.echo("─" * (sum(widths) + len(_GAP) * (len(widths) - 1)))
    for row in cells:
        lines = [_format_lines(value, size) for value, size in zip(row, widths, strict=True)]
        for at in range(max(map(len, lines))):
            parts = [column[at] if at < len(column) else "" for column in lines]
            fitted = [
                (rjust if name in _NUMBERS else ljust)(part, size)
                for name, part, size in zip(columns, parts, widths, strict=True)
            ]
            click.echo(_GAP.join(fitted).rstrip())
    return click.echo()


def _compute_widths(columns: Sequence[str], rows: Sequence[Sequence[object]], wide: int) -> list[int] | None:
    """Return the width of each column, or None if the longest words of all columns do not fit on one line.

    A column is at least as wide as its longest word and at most as wide as its longest line. `wide` gets the rest.
    """
    from wcwidth import width

    free = shutil.get_terminal_size().columns - len(_GAP) * (len(columns) - 1)
    lines = [[name, *(line for row in rows for line in _format_lines(row[at], None))] for at, name in enumerate(columns)]
    # Lines may break between wide characters. Words that are wider than a line are ignored.
    words = [[size for word in " ".join(cells).split() if len(word) >= (size := width(word)) <= free] for cells in lines]
    widths = [max([width(name), *sizes]) for name, sizes in zip(columns, words, strict=True)]
    if sum(widths) > free:
        return None
    widths[wide] += min(max(0, _LEAST - widths[wide]), free - sum(widths))
    narrow = [at for at in range(len(columns)) if at != wide]
    for after, at in enumerate(narrow):
        share = (free - sum(widths)) // (len(narrow) - after)
        widths[at] += min(max(map(width, lines[at])) - widths[at], share)
    widths[wide] += free - sum(widths)
    return widths


def _format_lines(value: object, size: int | None) -> list[str]:
    """Return the lines of a value. A line is at most `size` columns wide, unless a word is wider. Remarks are dimmed."""
    parts = [(value.text, False), (value.remark, True)] if isinstance(value, Remarked) else [(in_words(value), False)]
    lines = []
    for text, dim in parts:
        for line in _CONTROL.sub("", _escape_halves(undisguised(text))).split("\n"):
            lines += [click.style(piece, dim=True) if dim and piece else piece for piece in _fold_line(line, size) or [""]]
    return lines


def _fold_line(line: str, size: int | None) -> list[str]:
    """Break a long line between words. A word is broken only between wide characters, such as Chinese characters."""
    from wcwidth import width, wrap

    if size is None:
        return [line]
    fold = partial(wrap, width=size, expand_tabs=False, replace_whitespace=False, break_on_hyphens=False)
    whole = fold(line, break_long_words=False)
    return [part for words in whole for part in ([words] if width(words) <= len(words) else fold(words))]


def in_words(value: object) -> str:
    """Format a value as text for people. The items of a list are separated by commas."""
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {in_words(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(in_words(inner) for inner in value)
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def day_and_time(moment: str) -> str:
    """Return the date and time from an ISO 8601 datetime, without the seconds and the offset."""
    return moment[:16].replace("T", " ")


def print_notes(answer: Mapping[str, Any]) -> None:
    notes = answer.get("notes") or {}
    rest_of_notes = {name: notes[name] for name in notes if name != "method"}
    print_facts({"made by": notes.get("method"), **rest_of_notes, "can't be read": answer.get("unreadable")})


def print_runs(runs: "Sequence[Run]") -> None:
    """Print a summary of each run, with the run's id below it."""
    rows = []
    for run in runs:
        summary = f"{run.kind}, {len(run.interactions)} read: {_count_operations(run) or 'nothing to do'}"
        rows.append((day_and_time(run.started_at.isoformat()), run.status, Remarked(summary, run.run_id)))
    print_rows(("when", "status", "run"), rows, always=True)


def print_run(report: "RunReport") -> None:
    """Print the changes of a run, with their reasons and source texts."""
    run = report.run
    print_facts({
        "run": run.run_id, "kind": run.kind, "status": run.status, "read by": run.mode, "model": run.model,
        "undoes": run.undoes, "interactions": len(run.interactions) - len(run.unread) or None,
        "unread": len(run.unread) or None, "operations": _count_operations(run),
        "tokens": run.input_tokens + run.output_tokens or None, "cost": run.cost or None,
        "error": run.error, "notes": "\n".join(run.notes),
    })  # fmt: skip
    changes = [operation for operation in report.operations if operation.operation.kind != "NOOP"]
    rows = [(_MARKS[step.operation.outcome], step.operation.kind, _describe_change(step)) for step in changes]
    print_rows(("", "operation", "change"), rows)
    reasons = Counter(dropped.why for dropped in run.dropped)
    reasons.update(operation.operation.why for operation in report.operations if operation.operation.kind == "NOOP")
    print_rows(("turns", "left out because"), [(str(n), why) for why, n in reasons.most_common()])
    if run.status == "needs_review":
        print_facts({"to do": f"commonplace runs approve {run.run_id}, or discard"})


def print_history(history: "History") -> None:
    """Print the values of a history as a table."""
    rows = []
    for value in history.values:
        quote = f"“{value.evidence.translate(_STRAIGHT)}”, " if value.evidence else ""
        since = day_and_time(value.created_at.isoformat())
        rows.append((value.status, since, Remarked(value.value, f"{quote}{value.memory_id}")))
    print_rows(("status", "since", history.key or "memory"), rows, always=True)


def _describe_change(report: "OperationReport") -> object:
    """Return an operation's old and new texts, with its evidence, reason and id as a remark."""
    lines = [f"- {text}" for text in report.closed]
    if report.says is not None:
        lines.append(f"+ {report.says}")
    of = ", ".join(report.operation.rests_on)
    quote = f"“{report.rests_on.translate(_STRAIGHT)}”" if report.rests_on else ""
    remark = filter(None, (quote, of and f"of {of}", report.operation.why, report.operation.operation_id))
    return Remarked("\n".join(lines) or "nothing", "\n".join(remark))


def _count_operations(run: "Run") -> str:
    counts = Counter(operation.kind for operation in run.operations)
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())

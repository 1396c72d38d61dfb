"""Runs and histories for people."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonplace.cli.tables import day_and_time, print_facts, print_rows, with_remark

if TYPE_CHECKING:
    from commonplace.models.night import History, ToldOperation, ToldRun
    from commonplace.models.runs import Run

_MARKS = {
    "planned": "would", "applied": "✓", "lost": "lost", "over_cap": "over cap", "needs_review": "review",
    "discarded": "discarded", "undone": "✓", "kept": "kept",
}  # fmt: skip


def print_runs(runs: "Sequence[Run]") -> None:
    """A line per run."""
    rows = [
        (run.run_id, day_and_time(run.started_at.isoformat()), run.kind, run.status, len(run.interactions), _counts(run))
        for run in runs
    ]
    print_rows(("run", "when", "kind", "status", "read", "operations"), rows, "operations")


def print_run(told: "ToldRun") -> None:
    """A run: what it did, why, and the words that each change rests on."""
    run = told.run
    print_facts({
        "run": run.run_id, "kind": run.kind, "status": run.status, "read by": run.mode, "model": run.model,
        "takes back": run.undoes, "interactions": len(run.interactions) - len(run.unread) or None,
        "unread": len(run.unread) or None, "operations": _counts(run),
        "tokens": run.input_tokens + run.output_tokens or None, "cost": run.cost or None,
        "error": run.error, "notes": "\n".join(run.notes),
    })  # fmt: skip
    changes = [one for one in told.operations if one.operation.kind != "NOOP"]
    if changes:
        rows = [(_MARKS[one.operation.outcome], one.operation.kind, _change(one)) for one in changes]
        print_rows(("", "operation", "change"), rows, "change")
    reasons = Counter(one.why for one in run.dropped)
    reasons.update(one.operation.why for one in told.operations if one.operation.kind == "NOOP")
    if reasons:
        print_rows(("turns", "left out because"), [(str(n), why) for why, n in reasons.most_common()], "left out because")
    if run.status == "needs_review":
        print_facts({"to do": f"commonplace runs approve {run.run_id}, or discard"})


def print_history(history: "History") -> None:
    """A line per value."""
    rows = [
        (
            value.status,
            day_and_time(value.created_at.isoformat()),
            with_remark(value.value, _origin(value.evidence, value.memory_id)),
        )
        for value in history.values
    ]
    print_rows(("status", "since", history.key), rows, history.key)


def _change(told: "ToldOperation") -> object:
    lines = [f"- {text}" for text in told.closed]
    if told.says is not None:
        lines.append(f"+ {told.says}")
    of = ", ".join(told.operation.rests_on)
    remark = [
        f"“{told.rests_on}”" if told.rests_on else "",
        of and f"of {of}",
        told.operation.why,
        told.operation.operation_id,
    ]
    return with_remark("\n".join(lines) or "nothing", "\n".join(filter(None, remark)))


def _origin(evidence: str | None, memory_id: str) -> str:
    return f"“{evidence}”, {memory_id}" if evidence else memory_id


def _counts(run: "Run") -> str:
    counts = Counter(one.kind for one in run.operations)
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())

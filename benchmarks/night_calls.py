"""What reading a day costs with a model: calls and tokens of a night, by mode and by the length of the day."""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

from rich.progress import track

from benchmarks.night_facts import ZONE
from benchmarks.night_replay import Evening
from benchmarks.night_scripted import ScriptedModel
from benchmarks.night_stories import stories
from benchmarks.report import Cell, Table, main
from commonplace import Commonplace
from commonplace.domain.batching import in_batches
from commonplace.domain.runs import Mode, Run
from commonplace.runs.apply import RunContext
from commonplace.settings import Settings

SIZES = {10: 20, 50: 10, 200: 3}
"""Messages of a day, the assistant's too: how many such nights."""
_BEGUN = date(2026, 3, 1)


class WithModel(Commonplace):
    """A memory file whose days a scripted model reads."""

    def _build_context(self) -> RunContext:
        context = super()._build_context()
        return replace(context, night=replace(context.night, model=ScriptedModel()))


def measure(_: argparse.Namespace) -> list[Table]:
    """Nights in a row of one user per mode and length."""
    modes: tuple[Mode, ...] = ("rules", "pipeline", "agent")
    rows = [_row(mode, size, list(_nights(mode, size))) for mode in modes for size in SIZES]
    columns = (
        "mode",
        "messages a day",
        "nights",
        "calls",
        "most calls",
        "input tokens",
        "most input tokens",
        "output tokens",
    )
    notes = [
        "The messages are from the stories in `stories/handed`, and the nights are successive nights of one user. A scripted "
        "model keeps one message of five, and treats every candidate as new. In agent mode, it looks once, writes once and "
        "ends. The tokens are our estimate (UTF-8 bytes / 3). A real model writes more or less, and in agent mode it decides "
        "how often it calls."
    ]
    return [Table("A user's night", columns, rows, "pipeline <= 3 calls for a day of 50 messages", notes)]


def _row(mode: Mode, size: int, runs: Sequence[Run]) -> tuple[Cell, ...]:
    calls, read, written = ([getattr(run, name) for run in runs] for name in ("calls", "input_tokens", "output_tokens"))
    return mode, size, len(runs), mean(calls), max(calls), round(mean(read)), max(read), round(mean(written))


def _nights(mode: Mode, size: int) -> Iterator[Run]:
    clock = Evening(ZONE, _BEGUN)
    settings = Settings.model_validate({"timezone": ZONE.key, "nightly_user_tokens": 10_000_000})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with WithModel(path, user_id="bench", now=clock, settings=settings) as memory:
            days = list(islice(in_batches(list(_messages()), size), SIZES[size]))
            for number, messages in enumerate(track(days, f"{mode}, {size} messages")):
                clock.day = _BEGUN + timedelta(days=number)
                talk = {"type": "discussion", "id": f"day-{number}", "time": clock().isoformat(), "messages": messages}
                memory.record_interactions([talk])
                run = memory.nightly(mode)
                assert run.mode == mode, run.notes
                assert not run.unread, run.notes
                yield run


def _messages() -> Iterator[dict[str, Any]]:
    """Every message of the discussions, story after story."""
    for story in stories("handed"):
        for day in story.days:
            for interaction in day.interactions:
                yield from interaction.get("messages", ())


if __name__ == "__main__":
    main("night_calls", "Calls: how often a night calls a model, and with how many tokens", measure, False)

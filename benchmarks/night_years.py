"""Two years of one user, night by night: whether what was told stays, once each, is found, and costs the same at the end."""

import argparse
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from typing import NamedTuple, Self

from rich.progress import track

from benchmarks.night_facts import ZONE, Life, Told, facts
from benchmarks.night_replay import Evening, answers, by_rules, current, opened
from benchmarks.night_stories import HALVES
from benchmarks.report import Cell, Table, main
from commonplace import Commonplace

NIGHTS = 730
BEGUN = date(2025, 1, 1)
_EARLY, _MEASURED = 30, 20
_SHORT = timedelta(days=90)
"""How long a note of a saved title is kept."""


class _Took(NamedTuple):
    """Seconds by the clock and of the processor."""

    clock: float
    processor: float

    @classmethod
    def now(cls) -> Self:
        return cls(time.perf_counter(), time.process_time())

    def since(self, began: "_Took") -> "_Took":
        return _Took(self.clock - began.clock, self.processor - began.processor)


def measure(_: argparse.Namespace) -> list[Table]:
    """What is left after the last night of either half, and what a night costs near the beginning and at the end."""
    rows: list[tuple[Cell, ...]] = []
    took: dict[str, list[_Took]] = {}
    for half in HALVES:
        life, clock = Life(facts(half), BEGUN), Evening(ZONE, BEGUN)
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "memory.db", clock) as memory:
            took[half] = list(_nights(life, memory, clock, f"{half}, nights"))
            left = _left(life, clock, memory)
        rows = [(*before, *row[1:]) for before, row in zip(rows, left, strict=True)] if rows else left
    columns = ("what", *(f"{figure}, {half}" for half in HALVES for figure in ("number", "share")))
    target = "every fact that still holds is active; >= .95 found; repeats <= .01"
    notes = [
        "The user reports two facts a day, made from templates, and small talk. One in ten facts is a change, and one in ten "
        "is repeated in other words. The templates of `handed` were in view when the rules were fixed, but the templates of "
        "`apart` were not."
    ]
    return [Table(f"After {NIGHTS} nights", columns, rows, target, notes), _cost(took)]


def _nights(life: Life, memory: Commonplace, clock: Evening, label: str) -> Iterator[_Took]:
    for day in track(life.days(NIGHTS), label, total=NIGHTS):
        clock.day = day.date
        began = _Took.now()
        by_rules(memory, day)
        yield _Took.now().since(began)


def _left(life: Life, clock: Evening, memory: Commonplace) -> list[tuple[Cell, ...]]:
    texts = [one.text for one in current(memory, clock())]
    ever = [record["raw_text"] for record in memory.export()]
    holding = [_telling(told, texts) for told in life.now.values()]
    active, repeats = sum(map(bool, holding)), sum(max(0, len(telling) - 1) for telling in holding)
    stored = sum(bool(_telling(told, ever)) for told in life.now.values())
    asked = track(life.now.values(), "questions")
    found = sum(bool(_telling(told, answers(memory, told.question, None))) for told in asked)
    once = [told for told in life.before if _telling(told, ever)]
    closed = sum(not _telling(told, texts) for told in once)
    fresh = [title for title, day in life.saved.items() if clock.day - day < _SHORT]
    stale = [title for title in life.saved if title not in fresh]
    return [
        ("facts that still hold", len(holding), None),
        ("... remembered at some time", stored, stored / len(holding)),
        ("... active", active, active / len(holding)),
        ("... in the top 5 of their question", found, found / len(holding)),
        ("active memories", len(texts), None),
        ("... that repeat another", repeats, repeats / len(texts)),
        ("saved titles of the last 90 days, active", *_noted(fresh, texts)),
        ("older saved titles, still active", *_noted(stale, texts)),
        ("changed facts that had been remembered", len(once), None),
        ("... closed", closed, closed / len(once)),
    ]


def _telling(told: Told, texts: Sequence[str]) -> list[str]:
    return [text for text in texts if told.worded.told_by(text)]


def _noted(titles: Sequence[str], texts: Sequence[str]) -> tuple[int, float | None]:
    noted = [title for title in titles if any(title in text for text in texts)]
    return len(noted), len(noted) / len(titles) if titles else None


def _cost(took: Mapping[str, Sequence[_Took]]) -> Table:
    half_of_them = _MEASURED // 2
    rows: list[tuple[Cell, ...]] = []
    for half, nights in took.items():
        for place, label in enumerate(("elapsed time", "processor time")):
            early = median(one[place] for one in nights[_EARLY - half_of_them : _EARLY + half_of_them])
            late = median(one[place] for one in nights[-_MEASURED:])
            rows.append((f"{half}, {label}", early * 1000, late * 1000, late / early))
    whole = sum(one.clock for nights in took.values() for one in nights)
    notes = [
        f"The times are medians over {_MEASURED} nights, for recording and reading one day. All nights together took "
        f"{whole:.0f} seconds."
    ]
    columns = ("time", f"night {_EARLY}, ms", f"night {NIGHTS}, ms", "ratio")
    return Table("What a night costs", columns, rows, "night 730 <= 1.5 x night 30", notes)


if __name__ == "__main__":
    main("night_years", "Years: 730 nights of one user", measure, False)

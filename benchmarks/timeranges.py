"""Times read from queries: read right, and left alone where there is none."""

import argparse
from collections import Counter
from datetime import datetime
from zoneinfo import ZoneInfo

from benchmarks.report import FOLDER, Cell, Table, main
from commonplace.text.time_ranges.reader import read_time_range


def _moment(text: str) -> datetime | None:
    return None if text == "-" else datetime.fromisoformat(text)


def measure(_: argparse.Namespace) -> list[Table]:
    """Right: both ends to the second."""
    right, asked, alone, plain = (Counter[str]() for _ in range(4))
    for line in (FOLDER / "timeranges" / "read.tsv").read_text("utf-8").splitlines():
        language, now, zone, after, before, query = line.split("\t")
        read = read_time_range(query, datetime.fromisoformat(now).astimezone(ZoneInfo(zone)))
        asked[language] += 1
        right[language] += read is not None and (read.after, read.before) == (_moment(after), _moment(before))
    for line in (FOLDER / "timeranges" / "alone.tsv").read_text("utf-8").splitlines():
        language, query = line.split("\t")
        plain[language] += 1
        alone[language] += read_time_range(query, datetime(2026, 5, 20, 12, tzinfo=ZoneInfo("Europe/Berlin"))) is None
    rows: list[tuple[Cell, ...]] = [
        (language, asked[language], right[language] / asked[language], plain[language], alone[language] / plain[language])
        for language in asked
    ]
    rows.append(("all", asked.total(), right.total() / asked.total(), plain.total(), alone.total() / plain.total()))
    columns = ("language", "with a time", "read right", "without", "left alone")
    notes = ["Both sets were written without sight of the rules, and the rules were not changed after them."]
    return [Table("Times in queries", columns, rows, "read right >= .95, left alone 1.0", notes)]


if __name__ == "__main__":
    main("timeranges", "Times: what a query's words mean", measure, False)

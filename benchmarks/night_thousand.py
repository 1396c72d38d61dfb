"""A night of a thousand users through planner, queue and workers, as `make cloud` has them."""

import argparse
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any

from rich.progress import track

from benchmarks.night_stories import Day, stories
from benchmarks.report import Cell, Table, main
from cloud import nights
from cloud.box import cloud
from cloud.one_night import Api
from cloud.template import Template

USERS = 1_000
_PATIENCE, _LEFT_OVER, _PAUSE = 7_200.0, 120.0, 0.5  # seconds


def measure(_: argparse.Namespace) -> list[Table]:
    """A day for each user over HTTP; the planner, delivered twice; and what every user's runs say of it."""
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "CRITICAL")  # a night that another worker is at is told each time
    with cloud(port=0) as (front, _opensearch, _dynamodb):
        apis = [Api(front.url, f"thousand-{number}") for number in range(USERS)]
        recorded = [_recorded(api, day) for api, day in track(list(zip(apis, _days(), strict=False)), "recording")]
        template = Template()
        begun = time.monotonic()
        planned = [nights.plan(template) for _ in range(2)]
        for api, ids in track(list(zip(apis, recorded, strict=True)), "reading"):
            _wait_until_read(api, ids, begun + _PATIENCE)
        seconds = time.monotonic() - begun
        nights.all_read(os.environ["COMMONPLACE_NIGHT_QUEUE"], _LEFT_OVER)  # one that failed is hidden for much longer
        runs = [_runs(api) for api in track(apis, "looking")]
    return [_table(planned, recorded, runs, seconds, template.queue_sources["night"].most_at_once)]


def _days() -> Iterator[Day]:
    """The days of the stories, over and over."""
    return cycle([day for story in stories("handed") for day in story.days])


def _recorded(api: Api, day: Day) -> set[str]:
    told = api.ask("POST", "/interactions", {"interactions": list(day.interactions)})
    assert told["recorded"] == len(day.interactions), told
    return {interaction["id"] for interaction in day.interactions}


def _runs(api: Api) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.ask("GET", "/runs?limit=100")["runs"]
    return found


def _read(runs: Iterable[dict[str, Any]]) -> Counter[str]:
    """How often each interaction was read."""
    return Counter(one for run in runs if run["finished_at"] for one in run["interactions"] if one not in run["unread"])


def _wait_until_read(api: Api, ids: set[str], until: float) -> None:
    while not _read(_runs(api)).keys() >= ids:
        if time.monotonic() > until:
            raise RuntimeError("not everything was read in time")
        time.sleep(_PAUSE)


def _table(
    planned: Sequence[int],
    recorded: Sequence[set[str]],
    runs: Sequence[Sequence[dict[str, Any]]],
    seconds: float,
    workers: int,
) -> Table:
    read = [_read(own) for own in runs]
    applied = [one for own in runs for run in own for one in run["operations"] if one["outcome"] == "applied"]
    rows: list[tuple[Cell, ...]] = [
        ("users", len(recorded)),
        ("nights requested by the planner", planned[0]),
        ("... requested when its event was delivered a second time", planned[1]),
        ("interactions recorded", sum(map(len, recorded))),
        ("... read", sum(len(own & found.keys()) for own, found in zip(recorded, read, strict=True))),
        ("... read twice", sum(count > 1 for found in read for count in found.values())),
        ("users whose whole day was read", sum(own == found.keys() for own, found in zip(recorded, read, strict=True))),
        ("runs", sum(map(len, runs))),
        ("memories changed", len(applied)),
        ("seconds", seconds),
        ("users a second", len(recorded) / seconds),
    ]
    notes = [
        f"{workers} workers run as threads of one process, beside OpenSearch and DynamoDB Local on the same two cores. SQS "
        "is simulated by moto. On Lambda, each worker has its own processor. A day is a day from the stories, with about 25 "
        "messages, and is read by rules."
    ]
    return Table("A night through the queue", ("what", "figure"), rows, "all read, none twice", notes)


if __name__ == "__main__":
    main("night_thousand", "A thousand users' night through the queue", measure, False)

"""How long the page lets a person wait with 10,000 memories: its views asked for over HTTP, and drawn in a Chromium."""

import argparse
import http.client
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np

from benchmarks.latency import filled, opened
from benchmarks.report import Cell, Table, main
from tests.browser import chromium
from tests.browser.served import Served, served
from training.many import QUESTIONS

SIZE, ASKED, DRAWN = 10_000, 100, 30
MOST = 300  # milliseconds for the first view
Views = Mapping[str, Sequence[str]]


def options(parser: argparse.ArgumentParser) -> None:
    """Another size, to try it."""
    parser.add_argument("--memories", type=int, default=SIZE, help="how many are in the file")


def measure(given: argparse.Namespace) -> list[Table]:
    """Each view a hundred times by one connection, then thirty times in a Chromium."""
    with filled(given.memories) as path:
        alone, others = _views(path)
        rows = [row for name, addresses in alone.items() for row in _rows(path, {name: addresses})]
        rows += [(*row[:1], None, *row[2:4], None, *row[5:]) for row in _rows(path, others)]  # they were not the first
    columns = ("view", "first ms", "p50 ms", "p95 ms", "first drawn ms", "drawn p50 ms", "drawn p95 ms", "kB")
    first = rows[0][1]
    assert isinstance(first, float)
    notes = [
        "First: the process has answered nothing yet, and Chromium has shown nothing yet. Drawn: the time from the "
        "navigation until a Chromium without a window has loaded the page with its style sheet and its script. The other "
        "times are from the request to the last byte of the answer.",
        f"The first view from a new process arrived after {first:.0f} ms; the target is "
        f"{'met' if first <= MOST else 'not met'}.",
    ]
    return [Table(f"The page with {given.memories:,} memories", columns, rows, f"the first view <= {MOST} ms", notes)]


def _views(path: Path) -> tuple[Views, Views]:
    """The addresses of each view, to be asked for in turn: those that a process is started for, and the others."""
    with opened(path) as memory:
        ids = [one.memory_id for one in memory.list_memories(limit=100).memories]
    alone = {
        "all memories, newest first": ["/ui"],
        "a question": [f"/ui?q={quote(question)}" for question in QUESTIONS],
        "one memory": [f"/ui/memories/{one}" for one in ids],
    }
    others = {
        "a question while a person types it": [f"/ui/found?q={quote(question)}" for question in QUESTIONS],
        "the history of a memory, and similar memories": [f"/ui/memories/{one}/beside" for one in ids],
        **{f"the {name}": [f"/ui/{name}"] for name in ("timeline", "runs", "tags", "network", "growth")},
    }
    return alone, others


def _rows(path: Path, views: Views) -> list[tuple[Cell, ...]]:
    """Views of one process, and drawn those of another."""
    with served(path, "bench") as server:
        connection, cookie = _let_in(server)
        asked = [_asked(connection, cookie, addresses) for addresses in views.values()]
        connection.close()
    with served(path, "bench") as server:
        drawn = _drawn(server, views)
    found = zip(views, asked, drawn, strict=True)
    return [(name, *_shown(times), *_shown(seen), size / 1_000) for name, (times, size), seen in found]


def _asked(
    connection: http.client.HTTPConnection, cookie: tuple[str, str], addresses: Sequence[str]
) -> tuple[list[float], int]:
    """Milliseconds of each answer, and the bytes of the longest."""
    times, size = list[float](), 0
    for at in range(ASKED):
        begun = time.perf_counter()
        connection.request("GET", addresses[at % len(addresses)], headers={"Cookie": "=".join(cookie)})
        answer = connection.getresponse()
        body = answer.read()
        times.append(1_000 * (time.perf_counter() - begun))
        if answer.status != 200:
            raise SystemExit(f"{addresses[at % len(addresses)]} answered with {answer.status}")
        size = max(size, len(body))
    return times, size


def _drawn(server: Served, views: Views) -> list[list[float]]:
    """Milliseconds of each navigation; none without a Chromium."""
    if chromium.path() is None:
        return [[] for _ in views]
    connection, (name, value) = _let_in(server)
    connection.close()
    with chromium.started() as browser:
        page = browser.new_context(viewport={"width": 1200, "height": 900}).new_page()
        page.context.add_cookies([{"name": name, "value": value, "domain": "127.0.0.1", "path": "/ui"}])

        def gone_to(address: str) -> float:
            page.goto(server.root + address)
            return float(page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))

        return [[gone_to(addresses[at % len(addresses)]) for at in range(DRAWN)] for addresses in views.values()]


def _let_in(server: Served) -> tuple[http.client.HTTPConnection, tuple[str, str]]:
    """A connection, and the cookie that its address gave; no view was asked for."""
    parts = urlsplit(server.address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port)
    connection.request("GET", f"{parts.path}?{parts.query}")
    answer = connection.getresponse()
    answer.read()
    name, _, value = answer.headers["Set-Cookie"].partition(";")[0].partition("=")
    return connection, (name, value)


def _shown(times: Sequence[float]) -> tuple[Cell, ...]:
    if not times:
        return None, None, None
    return (times[0], *(float(value) for value in np.percentile(times[1:], [50, 95])))


if __name__ == "__main__":
    main("page", "The page: how long a person waits", measure, False, options)

"""`make cloud-night`: a day of some users recorded over HTTP, and the night that reads it, end to end on this machine."""

import argparse
import http.client
import json
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from cloud import nights
from cloud.box import cloud
from cloud.fetch import CannotRun
from cloud.template import Template
from cloud.tokens import Issuer

DAY = Path(__file__).parent.parent / "events" / "night" / "interactions.json"
_PATIENCE = 600.0  # seconds


class Api:
    """The front, as one user calls it."""

    def __init__(self, url: str, user: str) -> None:
        self._host = url.removeprefix("http://")
        self._headers = {"Authorization": f"Bearer {Issuer.kept().token(user)}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The answer; raises `RuntimeError` with what it says if it is none."""
        connection = http.client.HTTPConnection(self._host, timeout=30)
        connection.request(method, path, None if body is None else json.dumps(body), self._headers)
        response = connection.getresponse()
        told = json.loads(response.read())
        connection.close()
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {response.status} {told}")
        return told


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m cloud.one_night", description=__doc__.partition("\n")[0])
    parser.add_argument("--users", type=int, default=3)
    given = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    console = Console(width=None if sys.stdout.isatty() else 110)
    try:
        print("starting OpenSearch and DynamoDB Local (the first time they are downloaded) ...", flush=True)
        with cloud(port=0) as (front, _, _):
            night(front.url, [f"user-{number}" for number in range(1, given.users + 1)], console)
    except (CannotRun, RuntimeError, ValueError) as error:
        sys.exit(str(error))


def night(url: str, users: list[str], console: Console) -> None:
    """Records the sample day for each user, has the night planned and read, and shows what became of it."""
    apis = {user: Api(url, user) for user in users}
    day = json.loads(DAY.read_text("utf-8"))
    for user, api in apis.items():
        told = api.ask("POST", "/interactions", day)
        console.print(f"{user}: {told['recorded']} interactions recorded, {told['known']} known")
    started = time.monotonic()
    planned = nights.plan(Template())
    if not nights.all_read(os.environ["COMMONPLACE_NIGHT_QUEUE"], _PATIENCE):
        raise RuntimeError("the queue was not empty in time")
    console.print(f"{planned} nights planned, and read in {time.monotonic() - started:.1f} s")
    runs = {user: api.ask("GET", "/runs?limit=1")["runs"] for user, api in apis.items()}
    console.print(_runs(runs))
    if runs[users[0]]:
        told = apis[users[0]].ask("GET", "/runs/last")
        console.print(_operations(users[0], told["operations"]))


def _runs(runs: dict[str, list[dict[str, Any]]]) -> Table:
    table = Table("user", "run", "status", "mode", "read", "candidates", "applied", "dropped")
    for user, found in runs.items():
        for run in found:
            applied = sum(one["outcome"] == "applied" for one in run["operations"])
            read = len(run["interactions"]) - len(run["unread"])
            told = (run["run_id"], run["status"], run["mode"], read, run["candidates"], applied, len(run["dropped"]))
            table.add_row(user, *map(str, told))
    return table


def _operations(user: str, operations: list[dict[str, Any]]) -> Table:
    table = Table("kind", "outcome", "says", "rests on", title=f"the last run of {user}")
    for one in operations:
        about = one["operation"]
        table.add_row(about["kind"], about["outcome"], one["says"] or "", one["rests_on"] or "")
    return table


if __name__ == "__main__":
    main()

"""Makes what lies beside this file. It runs at the commit of 0.1 only, 615575f: it is about what that one wrote.

    git checkout 615575f; lay this folder and tests/integration/cloud_functions.py as it was then over it;
    python -m tests.integration.written_by_0_1.make

Everybody's clock is given; only ids differ from one making to the next. The imports of this file and of `lives.py` stay those
of that commit, whatever is renamed since, so mypy leaves both out.
"""

import itertools
import json
import os
import shutil
import sqlite3
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from cloud.dynamodb import DynamoDB
from commonplace import Commonplace
from commonplace.adapters.dynamodb import connect, create_table
from commonplace.settings import Settings
from commonplace.wiring import open_cloud, open_local
from tests.integration.cloud_functions import over_table
from tests.integration.lambda_calls import ISSUER
from tests.integration.written_by_0_1 import kept, seen
from tests.integration.written_by_0_1.doors import LATER, Door, FileDoor, TableDoor
from tests.integration.written_by_0_1.lives import lived_through


def observed(door: Door, before: dict[str, Any]) -> dict[str, Any]:
    """What is answered later, before anything else is done; asked of a copy."""
    return {
        "before": before,
        "records": {user: door.records(user) for user in seen.USERS},
        "runs": {user: door.told(user, "last") for user in seen.USERS},
        "histories": {key: door.history("ana", key) for key in seen.KEYS},
        "searches": [seen.answered(door, search) for search in seen.SEARCHES],
        "remembered": {user: seen.remembered(door, user) for user in seen.USERS},
    }


def write_expected(store: str, found: dict[str, Any]) -> None:
    text = json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True)
    (kept.HERE / f"{store}.json").write_text(f"{text}\n", "utf-8")


def dumped(connection: sqlite3.Connection) -> Iterator[str]:
    """The file as SQL. `iterdump` would copy what the virtual tables show, too; here their shadow tables are filled."""
    tables = connection.execute(
        "SELECT name, l.type, s.sql FROM sqlite_schema s JOIN pragma_table_list l USING (name) WHERE s.type = 'table' ORDER BY s.rowid"
    ).fetchall()
    yield "BEGIN"
    for name, kind, made in tables:
        yield made if kind != "shadow" and name != "sqlite_sequence" else f"DELETE FROM {name}"
        if kind != "virtual":
            columns = ", ".join(
                f'quote("{column}")' for (column,) in connection.execute(f"SELECT name FROM pragma_table_info('{name}')")
            )
            for row in connection.execute(f"SELECT {columns} FROM {name}"):
                yield f"INSERT INTO {name} VALUES ({', '.join(row)})"
    yield from (
        made for (made,) in connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    )
    yield f"PRAGMA user_version = {connection.execute('PRAGMA user_version').fetchone()[0]}"
    yield "COMMIT"


def make_file(folder: Path) -> None:
    """The memory file, its pages and what is expected of them."""
    file = folder / "memory.db"
    opened = open_local(Settings(db=file))
    before = lived_through(opened, "local", FileDoor(file))
    opened.close()
    with closing(sqlite3.connect(file)) as connection:
        kept.SQL.write_text("".join(f"{line};\n" for line in dumped(connection)), "utf-8")
    shutil.rmtree(kept.PAGES, ignore_errors=True)
    with Commonplace(file, user_id="ana", now=lambda: LATER, settings=Settings(db=file)) as memory:
        memory.write_markdown(kept.PAGES)
    copies = (folder / f"{number}.db" for number in itertools.count())

    def copy() -> Door:
        kept.lay_out_file(laid := next(copies))
        return FileDoor(laid)

    known = seen.ids_in(kept.text_of("sqlite"))
    found = observed(copy(), before)
    found["deeds"] = {deed: seen.left_by(copy(), deed, known) for deed in seen.DEEDS}
    write_expected("sqlite", found)


def make_table(client: Any, url: str) -> None:
    """The table, and what is expected of it."""
    create_table(client, "written", stream=False)
    client.update_time_to_live(TableName="written", TimeToLiveSpecification={"Enabled": False, "AttributeName": "purge_at"})
    told = client.describe_table(TableName="written")["Table"]
    indexes = [
        {name: one[name] for name in ("IndexName", "KeySchema", "Projection")} for one in told["GlobalSecondaryIndexes"]
    ]
    shape = {name: told[name] for name in ("KeySchema", "AttributeDefinitions")} | {"GlobalSecondaryIndexes": indexes}
    kept.TABLE.write_text(json.dumps(shape, indent=1) + "\n", "utf-8")
    opened = open_cloud(Settings(table="written", region="eu-central-1"), lambda: 20.0)
    before = lived_through(opened, ISSUER, TableDoor(client, "written"))
    items = [item for page in client.get_paginator("scan").paginate(TableName="written") for item in page["Items"]]
    items.sort(key=lambda item: (item["user"]["S"], item["item"]["S"]))
    kept.ITEMS.write_text("".join(f"{line}\n" for line in kept.lines_of(items)), "utf-8")

    @contextmanager
    def copy() -> Iterator[Door]:
        kept.lay_out_table(client, name := uuid.uuid4().hex)
        with over_table(name, url, LATER):
            yield TableDoor(client, name)

    known = seen.ids_in(kept.text_of("dynamodb"))
    with copy() as door:
        found = observed(door, before)
    found["deeds"] = {}
    for deed in seen.DEEDS:
        with copy() as door:
            found["deeds"][deed] = seen.left_by(door, deed, known)
    write_expected("dynamodb", found)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        make_file(Path(made))
    with DynamoDB() as server:
        os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_ENDPOINT_URL_DYNAMODB": server.url}
        make_table(connect("eu-central-1", server.url, 30), server.url)

"""Damages what a store keeps under a memory's id, as a flipped bit or another program may."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.contract.changes import ANA

Damage = Callable[[str, bytes], None]
"""Puts other bytes in the place of a memory's record."""


def damage_in_file(file: Path, memory_id: str, record: bytes) -> None:
    with closing(sqlite3.connect(file, isolation_level=None, timeout=60)) as connection:
        if not connection.execute("SELECT json_valid(CAST(? AS TEXT))", (record,)).fetchone()[0]:
            # What lies in the index by `purge_at` stays as it is, as where a page is damaged.
            connection.create_function("json_extract", 2, lambda *_: None, deterministic=True)
        connection.execute("UPDATE memories SET record = CAST(? AS TEXT) WHERE memory_id = ?", (record, memory_id))


def damage_of(request: pytest.FixtureRequest, store: str, file: Path) -> Damage:
    """How to damage a record of the store of this test: `dynamodb`, or one over the file."""
    if store != "dynamodb":
        return lambda memory_id, record: damage_in_file(file, memory_id, record)
    client, table = request.getfixturevalue("dynamodb_client"), request.getfixturevalue("table_name")

    def damage(memory_id: str, record: bytes) -> None:
        key: Any = {"user": {"S": ANA}, "item": {"S": f"memory#{memory_id}"}}
        client.update_item(
            TableName=table, Key=key, UpdateExpression="SET #r = :r", ExpressionAttributeNames={"#r": "record"},
            ExpressionAttributeValues={":r": {"S": record.decode(errors="replace")}},
        )  # fmt: skip

    return damage

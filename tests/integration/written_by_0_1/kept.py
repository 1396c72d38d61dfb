"""The fixtures as they lie here, laid out again: a memory file from SQL, a table from JSON lines."""

import base64
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

HERE = Path(__file__).parent
SQL, TABLE, ITEMS, PAGES = HERE / "memory.sql", HERE / "table.json", HERE / "table.jsonl", HERE / "pages"
_AT_ONCE = 25  # items that one write of many takes


def expected(store: str) -> dict[str, Any]:
    """What 0.1 answered: of `sqlite` or `dynamodb`."""
    found: dict[str, Any] = json.loads((HERE / f"{store}.json").read_text("utf-8"))
    return found


def text_of(store: str) -> str:
    """All that 0.1 wrote into a store."""
    return (SQL if store == "sqlite" else ITEMS).read_text("utf-8")


def lay_out_file(file: Path) -> None:
    """The memory file."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.executescript(text_of("sqlite"))


def lay_out_table(client: "DynamoDBClient", name: str) -> None:
    """The table with its items. Nothing goes by itself: by the clock of a later day much is due."""
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", **json.loads(TABLE.read_text("utf-8")))
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    items = [_typed(json.loads(line), base64.b64decode) for line in text_of("dynamodb").splitlines()]
    for start in range(0, len(items), _AT_ONCE):
        puts: Any = [{"PutRequest": {"Item": item}} for item in items[start : start + _AT_ONCE]]
        assert not client.batch_write_item(RequestItems={name: puts})["UnprocessedItems"]


def lines_of(items: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Each item as a line, binaries in base64."""
    for item in items:
        yield json.dumps(_typed(item, lambda value: base64.b64encode(value).decode()), ensure_ascii=False, sort_keys=True)


def _typed(item: Mapping[str, Any], binary: Any) -> dict[str, Any]:
    return {name: {kind: binary(it) if kind == "B" else it for kind, it in value.items()} for name, value in item.items()}

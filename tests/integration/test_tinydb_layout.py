"""The generated old store is what TinyDB itself writes."""

from pathlib import Path

import pytest
from tinydb import TinyDB
from tinydb.table import Document

from commonplace.use_cases.tinydb import read_tinydb
from tests.legacy_store import tables, written

pytestmark = pytest.mark.integration


def test_tinydb_writes_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    with TinyDB(path) as store:
        for name, rows in tables().items():
            store.table(name).insert_multiple(Document(row, int(number)) for number, row in rows.items())
    assert path.read_bytes() == written()


def test_what_tinydb_updates_and_takes_out_is_read_as_it_left_it(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    with TinyDB(path) as store:
        first, second, third = store.insert_multiple({"content": text} for text in ("tea", "café", "milk"))
        store.update({"tags": ["drink"]}, doc_ids=[second])
        store.remove(doc_ids=[first])
    found = {one.name: one.fields for one in read_tinydb(path.read_bytes()).documents}
    assert found == {"_default/2": {"content": "café", "tags": ["drink"]}, "_default/3": {"content": "milk"}}
    assert third == 3

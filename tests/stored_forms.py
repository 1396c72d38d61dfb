"""One of everything that Commonplace stores, as files in `tests/data/stored`, and all that the ports read of it.

`python -m tests.stored_forms` writes the files anew. Do that only if a stored form changes on purpose: then nobody can read
what the release before wrote.
"""

import base64
import gzip
import json
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from pydantic_core import to_jsonable_python

from commonplace import Commonplace
from commonplace.bootstrap import cloud, local
from commonplace.domain.fields import EARLIEST
from commonplace.domain.transfer import FileKind
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.word_vectors import WordVectors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FOLDER = Path(__file__).parent / "data" / "stored"
FILE, TABLE = FOLDER / "memory.db.gz", FOLDER / "table.json.gz"
USER, PLACE = "local|ana", (("memories",), "ana.md")
_SAID = [
    {"role": "user", "content": "I live in Ghent and my sister Eva is a nurse."},
    {"role": "assistant", "content": "Nice."},
]


def expected(engine: str) -> Path:
    """The file with all that was read when the forms were written."""
    return FOLDER / f"{engine}.json"


def clock(begin: datetime = NOON) -> Iterator[datetime]:
    """A minute later at each call."""
    return (begin + timedelta(minutes=minute) for minute in count())


def fill(memory: Commonplace, folder: Path) -> None:
    """Stores one of everything."""
    tea = memory.store_memory("I drink green tea.", context={"user_note": "said at breakfast"}).memory_id
    memory.update_memory(memory_id=tea, value="I drink black tea.")
    memory.write_memory("home", "Ana lives in Ghent.", "personal_context")
    memory.delete_memory(memory_id=memory.store_memory("I have a cat.").memory_id)
    gone = memory.store_memory("I once owned a boat.").memory_id
    memory.memory_store("Production runs PostgreSQL 16.", {"type": "fact", "tags": ["database"]}, id="infra-1")
    pets = ("Ana keeps a ferret at home.", "A ferret and a parrot live with Ana.")
    memory.merge_memories([memory.store_memory(text).memory_id for text in pets], dry_run=False)
    memory.memory_store("Ana reads a cook-book.", {"type": "fact", "tags": ["cook-book"]})
    memory.memory_store("Ana bought a cookbook.", {"type": "fact", "tags": ["cookbook"]})
    memory.optimize_tags(dry_run=False)
    path = folder / "mem0.json"
    path.write_text(json.dumps([{"id": "m1", "memory": "Ana plays the cello."}]), "utf-8")
    memory.import_from(path, apply=True)
    memory.record_interactions([{"type": "discussion", "id": "t1", "messages": _SAID}])
    memory.nightly("rules")
    memory.record_interactions([{"type": "explicit", "id": "t2", "text": "Remember that I moved to Bruges."}])
    memory.documents.write(*PLACE, "# Home\n\nAna lives in Ghent.")
    memory.documents.write(*PLACE, "# Home\n\nAna lives in Bruges.")
    memory.documents.write(("store",), "k", '{"likes": "tea"}', form="json")
    memory.documents.delete(("store",), "k")
    memory.search_memory("black tea")
    memory.record_feedback(memory.get("home").memory_id, "where does Ana live", useful=True)
    if memory._local.ports.files is not None:
        memory.backup()
        memory.export_memories()
        memory.upload(b'{"raw_text": "Ana sings."}')
    memory.erase(gone)
    if memory._local.ports.files is not None:
        memory.export_memories()
        memory.upload(b'{"raw_text": "Ana sings."}')


def everything(memory: Commonplace) -> Any:
    """Return all that the ports read of the user, as JSON."""
    opened = memory._local
    ports, night = opened.ports, opened.night()
    records = list(ports.records.all(USER))
    runs = memory.runs(100)
    told = {
        "memories": records,
        "with_vector": [
            stored.memory.memory_id
            for stored in ports.records.stored(USER, [one.memory_id for one in records])
            if stored.vector is not None
        ],
        "audits": [ports.records.audits(USER, one.memory_id) for one in records],
        "tag_rows": ports.tag_rows.rows(USER),
        "aliases": sorted(ports.aliases.all(USER), key=lambda one: one.name),
        "erased": sorted(ports.erased.among(USER, [one.memory_id for one in records])),
        "runs": runs,
        "operations": [ports.operations.applied(USER, one.operation_id) for run in runs for one in run.operations],
        "interactions": night.ledger.entries(USER, ["t1", "t2"]),
        "documents": [*ports.documents.versions(USER, *PLACE), *ports.documents.versions(USER, ("store",), "k")],
        "queries": sorted(ports.search_log.queries(USER)),
        "feedback": list(ports.feedback.ratings(USER, EARLIEST)),
    }
    if (files := ports.files) is not None:
        kept = [one for kind in get_args(FileKind) for one in files.listed(USER, kind, EARLIEST)]
        told["files"] = [files.get(USER, one.kind, one.file_id, EARLIEST) for one in kept]
        told["backups"] = [memory.verify(one.backup_id) for one in memory.backups()]
    return json.loads(json.dumps(to_jsonable_python(told, bytes_mode="base64", fallback=repr)))


def write_file(path: Path, folder: Path) -> Any:
    """Fills a memory file, and returns what is read of it."""
    times = clock()
    with Commonplace(path, user_id="ana", now=lambda: next(times), settings=Settings(db=path)) as memory:
        fill(memory, folder)
        return everything(memory)


def items(client: "DynamoDBClient", table: str) -> list[Any]:
    """Return the items of a table in a form that JSON can hold."""
    pages = client.get_paginator("scan").paginate(TableName=table)
    found = [_printed(item) for page in pages for item in page["Items"]]
    return sorted(found, key=lambda item: json.dumps(item, sort_keys=True))


def put(client: "DynamoDBClient", table: str, stored: list[Any]) -> None:
    """Writes such items into a table."""
    for item in stored:
        client.put_item(TableName=table, Item=_parsed(item))


def _printed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _printed(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_printed(one) for one in value]
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _parsed(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"base64"}:
        return base64.b64decode(value["base64"])
    if isinstance(value, dict):
        return {name: _parsed(one) for name, one in value.items()}
    return [_parsed(one) for one in value] if isinstance(value, list) else value


def _write_all() -> None:
    from cloud.dynamodb import DynamoDB
    from commonplace.adapters.dynamodb.calls import connect
    from commonplace.adapters.dynamodb.table import create_table

    FOLDER.mkdir(exist_ok=True, parents=True)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as name, DynamoDB() as server:
        patch.setattr(local, "build_embedder", WordVectors)
        path = Path(name) / "memory.db"
        _save("sqlite", write_file(path, Path(name)))
        FILE.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(variable, "test")
        patch.setenv("AWS_ENDPOINT_URL_DYNAMODB", server.url)
        client = connect("eu-central-1", server.url, 30)
        create_table(client, "stored", stream=False)
        over_table(patch, "stored")
        _save("dynamodb", write_file(path, Path(name)))
        TABLE.write_bytes(gzip.compress(json.dumps(items(client, "stored")).encode(), mtime=0))


def over_table(patch: pytest.MonkeyPatch, table: str) -> None:
    """Makes `Commonplace` open a table in place of a file."""
    settings = Settings(table=table, region="eu-central-1")
    patch.setattr(cloud, "build_embedder", WordVectors)
    patch.setattr(local, "open_local", lambda _settings: cloud.open_cloud(settings, lambda: 30.0))


def _save(engine: str, read: Any) -> None:
    expected(engine).write_text(json.dumps(read, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    _write_all()

"""`erase`: told before it is done, gone from disk and from what other processes know, and a deployment's user too."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import boto3
import pytest
from moto import mock_aws

from commonplace import Commonplace
from commonplace.adapters.dynamodb.calls import Table
from commonplace.adapters.dynamodb.records import DynamoRecords
from commonplace.pages.page import owner_hash
from commonplace.settings import Settings
from tests.dynamodb_entries import USER, entry
from tests.integration.command_line import run

pytestmark = pytest.mark.integration
REGION: Literal["eu-central-1"] = "eu-central-1"
Opener = Callable[..., Commonplace]


@pytest.fixture
def environment(dynamodb_url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What tells the command line where a deployment's table and its bucket of pages are."""
    monkeypatch.setattr(logging.getLogger("commonplace"), "handlers", [])
    return {
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": REGION, "COMMONPLACE_PAGES_BUCKET": "pages",
    }  # fmt: skip


def test_it_is_told_first_and_done_with_yes(tmp_path: Path) -> None:
    db = ("--db", str(tmp_path / "m.db"))
    for text in ("My cat is called Quixote.", "I live in Kiel."):
        assert run("store", text, *db, home=tmp_path).code == 0
    shown = run("erase", *db, home=tmp_path)
    assert (shown.code, shown.out) == (
        0, "local|local has 2 memories; --yes erases them and all other data\n",
    )  # fmt: skip
    assert len(run("export", *db, home=tmp_path).out.splitlines()[1:]) == 2
    done = run("erase", "--yes", "--json", *db, home=tmp_path)
    assert json.loads(done.out) == {"user": "local|local", "memories": 2, "erased": True}
    assert run("export", *db, home=tmp_path).out.splitlines()[1:] == []
    assert not any(b"quixote" in file.read_bytes().lower() for file in tmp_path.iterdir() if file.is_file())


def test_a_process_that_knew_them_knows_nothing_any_more_and_takes_nobody_else_for_them(open_memory: Opener) -> None:
    ana, reader = open_memory("ana"), open_memory("ana")
    ana.store_memory("My cat is called Quixote.")
    assert reader.search_memory("what is my cat called").results
    assert ana.erasure().erase().memories == 1
    assert reader.search_memory("what is my cat called").results == []
    ben = open_memory("ben")
    ben.store_memory("My dog is called Rocinante.")
    assert [hit.content for hit in ben.search_memory("my cat or my dog").results] == ["My dog is called Rocinante."]
    ana.store_memory("My cat is called Sancho.")
    assert [hit.content for hit in reader.search_memory("what is my cat called").results] == ["My cat is called Sancho."]


def test_the_pages_go_too_and_nobody_elses(tmp_path: Path) -> None:
    settings = Settings(db=tmp_path / "m.db", pages=tmp_path / "pages")
    for name in ("ana", "ben"):
        with Commonplace(user_id=name, settings=settings) as memory:
            memory.record_interactions(
                [{"type": "explicit", "id": "1", "time": "2026-05-20T09:00:00Z", "text": "Remember that I play the cello."}]
            )
            memory.nightly("rules")
    pages = tmp_path / "pages"
    assert len(list(pages.rglob("MEMORY.md"))) == 2
    with Commonplace(user_id="ana", settings=settings) as memory:
        assert memory.erasure().erase().memories == 1
    assert len(list(pages.rglob("*.md"))) == 1


def test_a_user_of_a_table_and_of_the_bucket_of_pages(
    tmp_path: Path, dynamodb_table: Table, table_name: str, environment: dict[str, str]
) -> None:
    records = DynamoRecords(dynamodb_table, indexed=False)
    records.add([entry("My cat is called Quixote.")])
    asked = ("erase", "--table", table_name, "--user", USER)
    with mock_aws():
        bucket = boto3.resource("s3", region_name=REGION).Bucket("pages")
        bucket.create(CreateBucketConfiguration={"LocationConstraint": REGION})
        for user in (USER, "local|ben"):
            bucket.put_object(Key=f"{owner_hash(user)}/MEMORY.md", Body=b"# Memory")
        shown = run(*asked, home=tmp_path, environment=environment)
        assert (shown.code, shown.err) == (0, "")
        assert f"{USER} has 1 memory;" in shown.out
        assert len(list(bucket.objects.all())) == 2
        assert run(*asked, "--yes", home=tmp_path, environment=environment).code == 0
        assert [one.key for one in bucket.objects.all()] == [f"{owner_hash('local|ben')}/MEMORY.md"]
    assert list(records.all(USER)) == []


def test_one_memory_of_a_table_with_its_history(
    tmp_path: Path, dynamodb_table: Table, table_name: str, environment: dict[str, str]
) -> None:
    records = DynamoRecords(dynamodb_table, indexed=False)
    cat, kiel = entry("My cat is called Quixote."), entry("I live in Kiel.")
    records.add([cat, kiel])
    asked = ("erase", "--memory", cat.memory.memory_id, "--table", table_name, "--user", USER)
    with mock_aws():
        bucket = boto3.resource("s3", region_name=REGION).Bucket("pages")
        bucket.create(CreateBucketConfiguration={"LocationConstraint": REGION})
        shown = run(*asked, home=tmp_path, environment=environment)
        assert (shown.code, shown.err) == (0, "")
        assert "Quixote" in shown.out
        assert [memory.raw_text for memory in records.all(USER)] == ["My cat is called Quixote.", "I live in Kiel."]
        assert run(*asked, "--yes", home=tmp_path, environment=environment).code == 0
        (page,) = [one.get()["Body"].read().decode() for one in bucket.objects.all()]
    assert [memory.raw_text for memory in records.all(USER)] == ["", "I live in Kiel."]
    assert ("Kiel" in page, "Quixote" in page) == (True, False)


@pytest.mark.parametrize(
    ("named", "wanted"), [((), "--user"), (("--user", "issuer|ana"), "COMMONPLACE_PAGES_BUCKET")], ids=["user", "pages"]
)
def test_a_table_needs_a_user_and_the_place_of_the_pages(tmp_path: Path, named: tuple[str, ...], wanted: str) -> None:
    done = run("erase", "--table", "t", "--yes", *named, home=tmp_path)
    assert done.code == 2
    assert wanted in done.err

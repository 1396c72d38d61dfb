"""What 0.1 wrote is opened, searched, gone on with and taken back as 0.1 itself would have: a file, a table, and pages."""

import json
import shutil
import sqlite3
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.cloud_functions import over_table
from tests.integration.command_line import run_process
from tests.integration.http_server import served
from tests.integration.written_by_0_1 import kept, seen
from tests.integration.written_by_0_1.doors import LATER, Door, FileDoor, TableDoor

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.integration

_OF_WRITING = {"version", "updated_at", "access_count", "last_accessed"}
_UNDERSTOOD = {
    "stopped", "archived", "backup_id", "result",
    "normalized_text", "tags", "category", "section", "memory_type", "importance", "confidence", "concepts", "embedding_model",
}  # fmt: skip
"""What is made of a text by those who read it: this version reads what waited otherwise than 0.1 did."""
_OF_ITS_OWN = {*_OF_WRITING, "user_id", "memory_id", "superseded_by", "supersedes", "operation_id", "run_id"}


@dataclass(frozen=True)
class Written:
    """A store as 0.1 left it, and what 0.1 answered of it."""

    door: Door
    expected: dict[str, Any]
    ids: set[str]


@pytest.fixture
def file(memory_file: Path) -> Path:
    kept.lay_out_file(memory_file)
    return memory_file


@pytest.fixture
def table(dynamodb_client: "DynamoDBClient", dynamodb_url: str) -> Iterator[str]:
    name = f"commonplace-{uuid.uuid4().hex}"
    kept.lay_out_table(dynamodb_client, name)
    with over_table(name, dynamodb_url, LATER):
        yield name
    dynamodb_client.delete_table(TableName=name)


@pytest.fixture(params=["sqlite", pytest.param("dynamodb", marks=pytest.mark.dynamodb)])
def written(request: pytest.FixtureRequest) -> Written:
    store: str = request.param
    if store == "sqlite":
        door: Door = FileDoor(request.getfixturevalue("file"))
    else:
        client = request.getfixturevalue("dynamodb_client")
        door = TableDoor(client, request.getfixturevalue("table"))
    return Written(door, kept.expected(store), seen.ids_in(kept.text_of(store)))


def said(records: list[Any]) -> list[Any]:
    """Records without ids, as they are kept whoever they are of."""
    return sorted(
        ({name: value for name, value in one.items() if name not in _OF_ITS_OWN} for one in records),
        key=lambda one: (one["raw_text"], one["status"]),
    )


def as_said(answer: Any) -> Any:
    """An answer without what this version understands in another way than 0.1 did."""
    if isinstance(answer, dict):
        return {name: as_said(value) for name, value in answer.items() if name not in _UNDERSTOOD}
    return [as_said(one) for one in answer] if isinstance(answer, list) else answer


def as_it_was(records: list[Any]) -> dict[str, Any]:
    """Records by id, but for what each write brings with it."""
    return {one["memory_id"]: {name: one[name] for name in one.keys() - _OF_WRITING} for one in records}


def test_every_record_is_as_it_was(written: Written) -> None:
    assert {user: written.door.records(user) for user in seen.USERS} == written.expected["records"]


@pytest.mark.parametrize("number", range(len(seen.SEARCHES)))
def test_a_search_finds_what_it_found(written: Written, number: int) -> None:
    search, wanted = seen.SEARCHES[number], written.expected["searches"][number]
    found = seen.answered(written.door, search)
    # Another ranking puts them in another order, and holds others back.
    assert bool({memory_id for memory_id, _ in wanted} & {memory_id for memory_id, _ in found}) == bool(wanted)


def test_headings_and_keys_hold_what_they_held(written: Written) -> None:
    assert {user: seen.remembered(written.door, user) for user in seen.USERS} == written.expected["remembered"]
    assert {key: written.door.history("ana", key) for key in seen.KEYS} == written.expected["histories"]


def test_runs_are_told_as_they_were(written: Written) -> None:
    told = {user: written.door.told(user, "last") for user in seen.USERS}
    assert as_said(told) == as_said(written.expected["runs"])
    statuses = {user: one["run"]["status"] for user, one in told.items()}
    assert statuses == {
        "ana": "done", "bea": "needs_review", "carl": "done", "cleo": "running", "dora": "needs_review", "eva": "running",
    }  # fmt: skip


@pytest.mark.parametrize("deed", seen.DEEDS)
def test_what_is_done_leaves_what_it_left(written: Written, deed: str) -> None:
    assert as_said(seen.left_by(written.door, deed, written.ids)) == as_said(written.expected["deeds"][deed])


def test_a_night_that_died_is_finished_and_nothing_is_done_twice(written: Written) -> None:
    before = written.door.records("cleo")
    written.door.night("cleo")
    assert 0 < len(before) < len(written.door.records("cleo"))
    assert as_said(said(written.door.records("cleo"))) == as_said(said(written.door.records("carl")))  # whose night lived
    run = written.door.told("cleo", "last")["run"]
    assert Counter(one["outcome"] for one in run["operations"]) == {"applied": 6}
    written.door.night("cleo")
    assert written.door.told("cleo", "last")["run"] == run


@pytest.mark.parametrize("user", ["ana", "eva"])
def test_a_run_taken_back_leaves_what_was_before_it(written: Written, user: str) -> None:
    if user == "ana":
        written.door.review(user, "undo", "last")
    else:
        written.door.night(user)  # its undo had begun, and died
    before, after = as_it_was(written.expected["before"][user]), as_it_was(written.door.records(user))
    assert before == {memory_id: after[memory_id] for memory_id in before}
    assert {after[memory_id]["status"] for memory_id in after.keys() - before.keys()} == {"deleted"}


@pytest.mark.parametrize("verb", ["approve", "discard"])
def test_what_waits_is_made_or_never_made(written: Written, verb: str) -> None:
    run = written.door.review("bea", verb, "last")
    outcome = {"approve": "applied", "discard": "discarded"}[verb]
    assert {one["outcome"] for one in run["operations"] if one["kind"] == "UPDATE"} == {outcome}
    status = {"approve": "superseded", "discard": "active"}[verb]
    played = [one["status"] for one in written.door.records("bea") if one["raw_text"].startswith("I play the")]
    assert played == [status] * 11


def test_what_was_deleted_under_a_key_comes_back(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        ((operation_id,),) = connection.execute(
            "SELECT operation_id FROM operations WHERE kind = 'DELETE' AND run_id IS NULL"
        )
    with FileDoor(file).open("ana") as memory:
        memory.undo(operation_id)
        assert [value.status for value in memory.history("tea").values] == ["active"]


def test_pages_are_written_byte_for_byte(file: Path, tmp_path: Path) -> None:
    with FileDoor(file).open("ana") as memory:
        done = memory.write_markdown(tmp_path / "pages")
    wanted = {path.relative_to(kept.PAGES).as_posix(): path.read_bytes() for path in kept.PAGES.rglob("*.md")}
    assert set(done.written) == set(wanted)
    assert len(wanted) > 1
    assert {name: (tmp_path / "pages" / name).read_bytes() for name in wanted} == wanted


def test_pages_that_lie_there_are_known_and_their_edits_taken_over(file: Path, tmp_path: Path) -> None:
    pages = Path(shutil.copytree(kept.PAGES, tmp_path / "pages"))
    with FileDoor(file).open("ana") as memory:
        done = memory.write_markdown(pages)
        assert (done.written, done.removed, done.left) == ((), (), ())
        page = pages / "MEMORY.md"
        page.write_text(page.read_text("utf-8").replace("a head of data at a hospital", "a nurse in Kiel"), "utf-8")
        told = memory.apply_markdown(pages, dry_run=False)
        assert [(one.operation.kind, one.operation.outcome) for one in told.operations] == [("UPDATE", "applied")]
        assert memory.history("role").values[0].value == "The user works as a nurse in Kiel."


def test_the_command_line_exports_shows_and_goes_on(file: Path) -> None:
    def asked(user: str, *arguments: str) -> str:
        done = run_process(*arguments, "--user", user, "--db", str(file), home=file.parent)
        assert (done.code, done.err) == (0, "")
        return done.out

    expected = kept.expected("sqlite")
    for user in seen.USERS:
        assert [json.loads(line) for line in asked(user, "export").splitlines()[1:]] == expected["records"][user]
    assert as_said(json.loads(asked("bea", "runs", "show", "--json"))) == as_said(expected["runs"]["bea"])
    assert json.loads(asked("ana", "history", "role", "--json")) == expected["histories"]["role"]
    (night,) = json.loads(asked("cleo", "nightly", "--json"))
    assert night["run_id"] == expected["runs"]["cleo"]["run"]["run_id"]
    assert Counter(one["outcome"] for one in night["operations"]) == {"applied": 6}


def test_the_server_finds_what_was_stored(file: Path) -> None:
    wanted = next(one["memory_id"] for one in kept.expected("sqlite")["records"]["ana"] if "peanuts" in one["raw_text"])
    with served(file, "--user", "ana") as server:
        found = server.call("search_memory", query="Who is allergic to peanuts?")["results"]
    assert wanted in [one["id"] for one in found]

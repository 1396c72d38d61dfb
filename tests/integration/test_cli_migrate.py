"""`commonplace migrate tinydb`: the plan, the review, the move, the check, and what a script learns by the exit code."""

import json
from pathlib import Path

import pytest

from tests.integration.command_line import Done, run

pytestmark = pytest.mark.integration

SURE = {"notes": {"1": {"content": "Ana is allergic to peanuts.", "category": "health", "tags": "food, Allergies"}}}
UNSURE = {"notes": {**SURE["notes"], "2": {"content": "The deploy command is make ship.", "category": "zettel"}}}


def migrate(home: Path, store: object, *options: str) -> Done:
    old = home / "old.json"
    old.write_text(json.dumps(store), encoding="utf-8")
    before = old.read_bytes()
    done = run("migrate", "tinydb", str(old), *options, home=home)
    assert old.read_bytes() == before
    return done


def test_the_plan_tells_and_makes_no_file(tmp_path: Path) -> None:
    plan = migrate(tmp_path, SURE)
    assert plan.code == 0
    assert ("to be added             1" in plan.out, "--apply migrates them" in plan.out) == (True, True)
    assert not (tmp_path / "default.db").exists()


def test_it_is_moved_and_every_command_takes_the_old_id(tmp_path: Path) -> None:
    done = migrate(tmp_path, SURE, "--apply")
    assert done.code == 0
    assert "runs undo run_" in done.out
    assert "allergic to peanuts" in run("get", "notes/1", home=tmp_path).out
    assert "allergic to peanuts" in run("history", "notes/1", home=tmp_path).out
    assert run("update", "notes/1", "--importance", "5", home=tmp_path).code == 0
    assert run("delete", "notes/1", home=tmp_path).code == 0
    assert run("get", "notes/1", home=tmp_path).code == 3


def test_what_a_person_decides_is_written_once_and_read_then(tmp_path: Path) -> None:
    review = tmp_path / "review.csv"
    plan = migrate(tmp_path, UNSURE, "--review", str(review))
    assert plan.code == 5
    assert "wrote" in plan.out
    lines = review.read_text("utf-8-sig").splitlines()
    assert lines[0] == "legacy_id,content,from,to,confidence,why"
    assert lines[1].startswith("notes/2,The deploy command is make ship.,zettel,")
    done = migrate(tmp_path, UNSURE, "--apply", "--review", str(review))
    assert (done.code, "added                   2" in done.out) == (0, True)


def test_without_a_review_what_is_not_sure_stays_out(tmp_path: Path) -> None:
    done = migrate(tmp_path, UNSURE, "--apply", "--json")
    assert (done.code, done.answer["added"], [one["legacy_id"] for one in done.answer["review"]]) == (5, 1, ["notes/2"])


def test_the_search_is_checked_both_ways(tmp_path: Path) -> None:
    migrate(tmp_path, SURE, "--apply")
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"query": "who is allergic?", "expected": ["notes/1"]}\n', encoding="utf-8")
    check = migrate(tmp_path, SURE, "--check", str(queries), "--json")
    assert (check.code, check.answer["new_recall"], check.answer["worse"]) == (0, 1.0, [])
    own = migrate(tmp_path, SURE, "--json", "--check")
    assert (own.code, own.answer["queries"]) == (0, 2)
    unmoved = migrate(tmp_path, UNSURE, "--check", str(queries))
    assert unmoved.code == 5
    assert "notes/2" in unmoved.out


def test_tables_and_fields_may_be_named(tmp_path: Path) -> None:
    store = {"notes": {"1": {"body": "Ana drinks tea.", "category": "personal"}}, "tags": {"1": {"name": "tea"}}}
    done = migrate(tmp_path, store, "--table", "notes", "--map", "content=body", "--json")
    assert (done.code, done.answer["added"]) == (0, 1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--map", "body"), "OURS=THEIRS"), (("--map", "body=content"), "there is no field body"),
        (("--table", "tasks"), "there are notes"), (("--check", "--apply"), "--check can be combined only with"),
        (("--review", "no/such/folder/review.csv"), "folder"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_told(tmp_path: Path, options: tuple[str, ...], says: str) -> None:
    done = migrate(tmp_path, SURE, *options)
    assert done.code == 2
    assert says in done.err


def test_a_broken_file_is_refused_with_its_byte(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_bytes(b'{"notes": {"1": {"content": "tea"}')
    done = run("migrate", "tinydb", str(old), home=tmp_path)
    assert done.code == 2
    assert "broken at byte 34" in done.err

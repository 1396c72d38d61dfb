"""`list`, `get`, `update`, `delete` and `history` on the command line."""

import json
import re
from pathlib import Path

import pytest

from tests.integration.command_line import Done, run, stored

pytestmark = pytest.mark.integration
WIDE = {"COLUMNS": "200"}
MIA, CELLO = "My daughter Mia is allergic to peanuts.", "I play the cello in an orchestra."


def ours(memory_file: Path, *arguments: str) -> Done:
    return run(*arguments, "--db", str(memory_file), home=memory_file.parent, environment=WIDE)


def test_a_person_sees_the_newest_first_with_their_ids(memory_file: Path) -> None:
    first, second = stored(MIA, memory_file), stored(CELLO, memory_file)
    done = ours(memory_file, "list")
    assert (done.code, done.err) == (0, "")
    assert done.out.index(CELLO) < done.out.index(second) < done.out.index(MIA) < done.out.index(first)
    page = ours(memory_file, "list", "--limit", "1")
    assert MIA not in page.out
    assert f"--cursor {second}" in page.out
    rest = ours(memory_file, "list", "--cursor", second, "--json").answer
    assert ([one["value"] for one in rest["memories"]], rest["count"]) == ([MIA], 1)


def test_an_empty_list_is_told_and_makes_no_file(tmp_path: Path) -> None:
    done = run("list", home=tmp_path)
    assert (done.code, done.err, done.out.split()) == (0, "", ["shown", "no", "memory"])
    assert list(tmp_path.iterdir()) == []


def test_one_memory_is_shown_whole_by_id_and_by_key(memory_file: Path) -> None:
    memory_id = stored(MIA, memory_file)
    shown = ours(memory_file, "get", memory_id).out
    assert all(word in shown for word in (MIA, memory_id, "heading", "5 of 5", "peanut"))
    cello = {"key": "cello", "value": "Plays the cello.", "category": "preference", "durability": "durable"}
    ours(memory_file, "call", "write_memory", json.dumps(cello))
    assert ours(memory_file, "get", "cello", "--json").answer["memory"]["value"] == "Plays the cello."


def test_a_value_is_changed_and_its_history_shown_by_the_old_id(memory_file: Path) -> None:
    first = stored(CELLO, memory_file)
    changed = ours(memory_file, "update", first, "I play the viola now.", "--json").answer
    told = ours(memory_file, "history", first)
    assert told.out.index("viola") < told.out.index("cello")
    assert [one["memory_id"] for one in ours(memory_file, "history", first, "--json").answer["values"]] == [
        changed["memory_id"], first,
    ]  # fmt: skip
    gone = ours(memory_file, "get", first)
    assert gone.code == 3
    assert f"was replaced by {changed['memory_id']}" in gone.err
    assert gone.err.endswith('see "commonplace list"\n')


def test_labels_are_corrected_and_taken_back_by_the_command_that_is_shown(memory_file: Path) -> None:
    memory_id = stored(CELLO, memory_file)
    before = ours(memory_file, "get", memory_id, "--json").answer["memory"]
    done = ours(
        memory_file, "update", memory_id, "--tag", "music", "--tag", "orchestra", "--importance", "4", "--type", "habit",
        "--category", "interactions", "--heading", "reading_history", "--expires", "2999-01-01",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    after = ours(memory_file, "get", memory_id, "--json").answer["memory"]
    assert (after["tags"], after["importance"], after["type"]) == (["music", "orchestra"], 4, "habit")
    assert (after["filed_under"], after["section"], after["expires_at"][:10]) == (
        "interactions",
        "reading_history",
        "2999-01-01",
    )
    undo = done.out.partition("commonplace ")[2].split()
    assert ours(memory_file, *undo).code == 0
    undone = ours(memory_file, "get", memory_id, "--json").answer["memory"]
    assert {**undone, "updated_at": None} == {**before, "updated_at": None}


def test_a_memory_is_deleted_and_brought_back(memory_file: Path) -> None:
    memory_id = stored(CELLO, memory_file)
    operation = ours(memory_file, "delete", memory_id, "--json").answer["operation_id"]
    assert ours(memory_file, "list", "--json").answer["memories"] == []
    assert ours(memory_file, "undo", operation).code == 0
    assert [one["memory_id"] for one in ours(memory_file, "list", "--json").answer["memories"]] == [memory_id]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("list", "--limit", "0"), 2, "--limit: must be a whole number from 1 to 100"),
        (("list", "--after", "soon"), 2, "--after: must be a day"), (("list", "--cursor", "?"), 2, "--cursor: was not returned by"),
        (("get", "cello"), 3, "no memory has the key cello"), (("get", "what is this"), 2, "key: must be 1 to 64 letters"),
        (("get", "mem_01M7Y9WZRKKCZMXKBZPYYE31X7"), 3, "no memory has this id"), (("delete", "cello"), 3, "no memory has"),
        (("update", "NAME"), 2, "VALUE: is required, or a label"), (("update", "NAME", "?!"), 2, "VALUE: must"),
        (("update", "NAME", "--importance", "6"), 2, "--importance: must be a whole number from 1 to 5"),
        (("update", "NAME", "--expires", "1999-01-01"), 2, "--expires: is in the past"),
        (("update", "NAME", "--type", "thing"), 2, "--type"),
    ],
    ids=str,
)  # fmt: skip
def test_what_can_not_be_is_told_in_a_line_by_the_names_of_the_options(
    memory_file: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    memory_id = stored(CELLO, memory_file)
    done = ours(memory_file, *(memory_id if argument == "NAME" else argument for argument in arguments))
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert says in done.err


def test_a_person_sees_what_a_new_memory_may_leave_untrue(memory_file: Path) -> None:
    old = stored("My boss is Anna.", memory_file)
    shown = ours(memory_file, "store", "My boss is Peter.").out
    assert re.search(rf"may no longer be true.*\n.*\n.*My boss is Anna\..*{old}", shown)

"""The night on the command line: record, nightly, runs, undo, history; by rules, in processes as a person starts them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.integration.command_line import Done, run, stored

pytestmark = pytest.mark.integration

WIDE = {"COLUMNS": "140"}
DAY: list[Mapping[str, Any]] = [
    {
        "type": "discussion", "id": "d1", "time": "2026-05-20T09:00:00+02:00",
        "messages": [
            {"role": "user", "content": "I'm allergic to peanuts, so please never suggest them."},
            {"role": "assistant", "content": "Noted! What's the gate code?"},
            {"role": "user", "content": "four four seven one"},
        ],
    },
    {"type": "save", "id": "s1", "time": "2026-05-20T10:00:00+02:00", "post_title": "PostgreSQL internals"},
    {"type": "explicit", "id": "e1", "time": "2026-05-20T11:00:00+02:00", "text": "Remember that my sister Mia lives in Lisbon."},
]  # fmt: skip


@pytest.fixture
def day(tmp_path: Path) -> Path:
    file = tmp_path / "day.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in DAY), "utf-8")
    return file


def ours(memory_file: Path, *arguments: str) -> Done:
    done = run(*arguments, "--db", str(memory_file), home=memory_file.parent, environment=WIDE)
    assert (done.code, done.err) == (0, "")
    return done


def active(memory_file: Path) -> str:
    lines = [json.loads(line) for line in ours(memory_file, "export").out.splitlines()[1:]]
    return " ".join(one["raw_text"] for one in lines if one["status"] == "active")


def test_a_day_is_recorded_read_shown_and_taken_back(memory_file: Path, day: Path) -> None:
    assert "recorded  3" in ours(memory_file, "record", str(day)).out
    night = ours(memory_file, "nightly").out
    assert "read by" in night
    assert "rules" in night
    assert "peanuts" in active(memory_file)
    assert "Lisbon" in active(memory_file)
    assert "four seven" not in active(memory_file)
    shown = ours(memory_file, "runs", "show", "last").out
    assert "+ " in shown
    assert "“" in shown
    assert "op_" in shown
    assert "✓" in ours(memory_file, "runs", "undo", "last").out
    assert active(memory_file) == ""
    assert "nothing is pending" in ours(memory_file, "nightly").out
    listed = ours(memory_file, "runs", "list").out
    assert "undo" in listed
    assert "nightly" in listed


def test_a_machine_gets_json(memory_file: Path, day: Path) -> None:
    recorded = ours(memory_file, "record", str(day), "--json").answer
    assert {name: recorded[name] for name in ("recorded", "known", "refused")} == {"recorded": 3, "known": 0, "refused": []}
    assert recorded["redacted"]
    dry = ours(memory_file, "nightly", "--dry-run", "--json").answer
    assert {one["outcome"] for one in dry[0]["operations"]} == {"planned"}
    (night,) = ours(memory_file, "nightly", "--json").answer
    assert night["status"] == "done"
    told = ours(memory_file, "runs", "show", night["run_id"], "--json").answer
    assert told["run"] == night
    assert ours(memory_file, "runs", "list", "--json").answer == [night]
    undone = ours(memory_file, "runs", "undo", "--json").answer
    assert undone["run"]["undoes"] == night["run_id"]


def test_a_dry_run_shows_the_words_and_changes_nothing(memory_file: Path, day: Path) -> None:
    ours(memory_file, "record", str(day))
    assert "Lisbon" in ours(memory_file, "nightly", "--dry-run").out
    assert active(memory_file) == ""
    assert ours(memory_file, "nightly", "--json").answer[0]["interactions"] == ["d1", "s1", "e1"]


def test_everybody_with_something_pending_is_read_unless_one_is_named(memory_file: Path, day: Path) -> None:
    for user in ("ana", "ben", "cleo"):
        ours(memory_file, "record", str(day), "--user", user)
    (one,) = ours(memory_file, "nightly", "--user", "ben", "--json").answer
    assert one["user_id"] == "local|ben"
    rest = ours(memory_file, "nightly", "--json").answer
    assert sorted(run["user_id"] for run in rest) == ["local|ana", "local|cleo"]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(DAY),
        json.dumps(DAY, indent=1),
        json.dumps({"interactions": DAY}),
        json.dumps({"interactions": DAY}, indent=1),
        "\n".join(json.dumps(one) for one in DAY) + "\n",
    ],
    ids=["array", "array over lines", "object", "object over lines", "lines"],
)
def test_a_day_comes_in_several_forms(memory_file: Path, text: str) -> None:
    done = run("record", "-", "--db", str(memory_file), "--json", home=memory_file.parent, stdin=text)
    assert done.answer["recorded"] == 3


def test_a_malformed_one_is_refused_and_the_others_are_recorded(memory_file: Path) -> None:
    wrong = [{**DAY[2], "time": "noon"}, {**DAY[2], "id": "half a \ud83d"}]
    text = "\n".join([json.dumps(DAY[1]), "{not json}", *map(json.dumps, wrong)])
    done = run("record", "-", "--db", str(memory_file), "--json", home=memory_file.parent, stdin=text)
    assert (done.code, done.answer["recorded"]) == (5, 1)
    assert [one["message"].split(":")[0] for one in done.answer["refused"]] == ["line 2", "time", "id"]
    shown = run("record", "-", "--db", str(memory_file), home=memory_file.parent, stdin=text, environment=WIDE)
    assert "refused because" in shown.out


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_where_everything_is_refused_the_command_has_failed(memory_file: Path, options: tuple[str, ...]) -> None:
    text = "\n".join(["{not json}", json.dumps({**DAY[2], "time": "noon"})])
    done = run("record", "-", "--db", str(memory_file), *options, home=memory_file.parent, stdin=text)
    assert (done.code, done.err) == (2, "")
    assert "line 1" in done.out  # what was refused, and why, is told as ever
    ours(memory_file, "record", str(_file(memory_file, json.dumps(DAY[2]))))
    again = run("record", "-", "--db", str(memory_file), home=memory_file.parent, stdin=f"{json.dumps(DAY[2])}\n{text}")
    assert again.code == 5  # the known interaction is not refused


def _file(memory_file: Path, text: str) -> Path:
    file = memory_file.with_name("known.jsonl")
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(("text", "code"), [("", 2), ("[1, 2", 2), ('"day"', 2), ("{}", 2)])
def test_a_file_that_holds_no_interactions(memory_file: Path, text: str, code: int) -> None:
    done = run("record", "-", "--db", str(memory_file), home=memory_file.parent, stdin=text)
    assert done.code == code


def test_a_tools_operation_is_taken_back_and_a_key_has_a_history(memory_file: Path) -> None:
    def call(tool: str, **arguments: str) -> Any:
        return ours(memory_file, "call", tool, json.dumps(arguments), "--json").answer

    home = {"key": "home", "category": "personal_context"}
    call("write_memory", **home, value="I live in Berlin.", durability="durable")
    operation = call("update_memory", **home, value="I live in Munich.")["operation_id"]
    shown = ours(memory_file, "history", "home").out
    assert shown.index("Munich") < shown.index("Berlin")
    assert [one["status"] for one in ours(memory_file, "history", "home", "--json").answer["values"]] == [
        "active",
        "superseded",
    ]
    assert "+ I live in Berlin." in ours(memory_file, "undo", operation).out
    assert active(memory_file) == "I live in Berlin."


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("runs", "show", "last"), 3),
        (("runs", "undo", "run_1"), 3),
        (("runs", "undo", "last"), 3),
        (("runs", "approve"), 3),
        (("runs", "discard"), 3),
        (("undo", "op_1"), 3),
        (("undo", "last"), 3),
        (("runs", "show", "\udc80"), 3),
        (("history", "home"), 3),
        (("history", "no key at all"), 2),
        (("runs", "list", "--limit", "0"), 2),
    ],
)
def test_what_is_not_there_is_told_in_a_line(memory_file: Path, arguments: tuple[str, ...], code: int) -> None:
    stored("I play the cello.", memory_file)
    done = run(*arguments, "--db", str(memory_file), home=memory_file.parent)
    assert (done.code, done.out) == (code, "")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (("runs", "show", "run_1"), "runs list"),
        (("undo", "op_1"), "runs show"),
        (("history", "home"), "list"),
        (("markdown", "apply", "."), "markdown write --help"),
    ],
)
def test_what_is_not_there_points_to_what_is(memory_file: Path, arguments: tuple[str, ...], command: str) -> None:
    stored("I play the cello.", memory_file)
    done = run(*arguments, "--db", str(memory_file), home=memory_file.parent)
    assert (done.code, done.err.partition("; see ")[2]) == (3, f'"commonplace {command}"\n')


def test_looking_makes_no_file(tmp_path: Path) -> None:
    done = run("runs", "list", home=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert list(tmp_path.iterdir()) == []

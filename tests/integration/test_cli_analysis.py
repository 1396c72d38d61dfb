"""`stats` on the command line: for people and for machines."""

from pathlib import Path

import pytest

from tests.integration.command_line import Done, run, stored

pytestmark = pytest.mark.integration


def ours(memory_file: Path, *arguments: str) -> Done:
    return run(*arguments, "--db", str(memory_file), home=memory_file.parent, environment={"COLUMNS": "110"})


def test_a_person_sees_what_there_is_as_a_picture(memory_file: Path) -> None:
    for text in (
        "My daughter Mia is allergic to peanuts.",
        "I play the cello in an orchestra.",
        "I'm training for a marathon.",
    ):
        stored(text, memory_file)
    done = ours(memory_file, "stats")
    assert (done.code, done.err) == (0, "")
    assert "memories  3\n" in done.out
    (row,) = (line for line in done.out.splitlines() if line.startswith("status"))
    assert row.split()[1:] == ["active", "3", "█" * 40]
    bars = [line.count("█") for line in done.out.splitlines()]
    assert max(bars) == 40
    assert "month" in done.out


def test_a_machine_gets_exactly_the_answer_of_the_tool(memory_file: Path) -> None:
    stored("I play the cello in an orchestra.", memory_file)
    answer = ours(memory_file, "stats", "--json").answer
    assert (answer["total"], answer["by"]["status"]) == (1, {"active": 1})
    assert ours(memory_file, "stats", "--before", "2001-01-01", "--json").answer["total"] == 0


def test_an_empty_store_is_no_failure_and_makes_no_file(tmp_path: Path) -> None:
    done = run("stats", home=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "memories  0" in done.out
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_time_is_told_with_its_option(memory_file: Path) -> None:
    done = ours(memory_file, "stats", "--after", "soon")
    assert done.code == 2
    assert "--after" in done.err

"""`stats`, `timeline` and `network` on the command line: for people and for machines."""

from pathlib import Path

import pytest

from tests.integration.command_line import Done, run, stored

pytestmark = pytest.mark.integration


def ours(memory_file: Path, *arguments: str) -> Done:
    return run(*arguments, "--db", str(memory_file), home=memory_file.parent, environment={"COLUMNS": "140"})


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
    assert row.split()[1:] == ["active", "3", "█" * 12]
    bars = [line.count("█") for line in done.out.splitlines()]
    assert max(bars) == 12
    assert "month" in done.out


def test_a_machine_gets_exactly_the_answer_of_the_tool(memory_file: Path) -> None:
    stored("I play the cello in an orchestra.", memory_file)
    answer = ours(memory_file, "stats", "--json").answer
    assert (answer["total"], answer["by"]["status"]) == (1, {"active": 1})
    assert ours(memory_file, "stats", "--before", "2001-01-01", "--json").answer["total"] == 0


def test_a_person_sees_when_things_happened_and_what_changed(memory_file: Path) -> None:
    first = stored("I play the cello in an orchestra.", memory_file)
    stored("My daughter Mia is allergic to peanuts.", memory_file)
    ours(memory_file, "update", first, "I play the viola now.")
    done = ours(memory_file, "timeline")
    assert (done.code, done.err) == (0, "")
    assert "I play the cello in an orchestra. → I play the viola now." in done.out
    assert "█" * 12 in done.out
    (bucket,) = ours(memory_file, "timeline", "--by", "year", "--topic", "peanuts", "--json").answer["buckets"]
    assert (bucket["count"], bucket["changes"]) == (1, [])
    assert ours(memory_file, "timeline", "--topic", "chess").out.split() == ["shown", "nothing"]


@pytest.mark.parametrize(
    "options", [("--topic", "the"), ("--cursor", "next"), ("--after", "soon")], ids=lambda options: options[0]
)
def test_a_wrong_option_of_a_timeline_is_told_by_its_name(memory_file: Path, options: tuple[str, str]) -> None:
    done = ours(memory_file, "timeline", *options)
    assert done.code == 2
    assert f"{options[0]}:" in done.err


def test_a_person_sees_which_concepts_stand_together(memory_file: Path) -> None:
    for place in ("at home", "on Sundays", "in Leeds"):
        stored(f"I play the cello in an orchestra {place}.", memory_file)
    done = ours(memory_file, "network")
    assert (done.code, done.err) == (0, "")
    (row,) = (line for line in done.out.splitlines() if line.startswith("cello"))
    assert row.split() == ["cello", "3", "0", "orchestra", "1.00"]
    assert [node["id"] for node in ours(memory_file, "network", "cello", "--json").answer["nodes"]] == ["cello", "orchestra"]
    dot = ours(memory_file, "network", "--dot").out
    assert dot.startswith("graph concepts {")
    assert '"cello" -- "orchestra" [weight=1, count=3];' in dot
    assert "the nearest are cello" in ours(memory_file, "network", "celo").out
    assert "--depth" in ours(memory_file, "network", "--depth", "9").err


def test_an_empty_store_is_no_failure_and_makes_no_file(tmp_path: Path) -> None:
    done = run("stats", home=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "memories  0" in done.out
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_time_is_told_with_its_option(memory_file: Path) -> None:
    done = ours(memory_file, "stats", "--after", "soon")
    assert done.code == 2
    assert "--after" in done.err

from pathlib import Path

import pytest

from tests.integration.command_line import run

pytestmark = pytest.mark.integration


def test_a_person_sees_the_statement_and_how_it_was_made(tmp_path: Path) -> None:
    done = run("normalize", "The cello stands in the hall.", home=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "The cello stands in the hall." in done.out
    assert "rules" in done.out


def test_a_machine_gets_exactly_the_answer_of_the_tool(tmp_path: Path) -> None:
    done = run(
        "normalize", "I play the cello.", "--source", "user", "--context", "What do you play?", "--json", home=tmp_path
    )
    assert set(done.answer) == {"normalized", "type", "tags", "notes"}
    assert done.answer["notes"]["method"] == "rules"


def test_nothing_is_stored(tmp_path: Path) -> None:
    run("normalize", "I play the cello.", home=tmp_path)
    assert len(run("export", home=tmp_path).out.splitlines()) == 1


def test_the_text_may_come_from_stdin(tmp_path: Path) -> None:
    done = run("normalize", "-", "--json", home=tmp_path, stdin="チェロを弾きます。\n")
    assert "チェロを弾きます" in done.answer["normalized"]

"""The command line reads what clients and scripts write as the other ways in do: numbers as text, empty fields, JSON strings."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.command_line import run

pytestmark = pytest.mark.integration


def test_a_recorded_conversation_may_hold_empty_fields_and_messages_as_text(tmp_path: Path) -> None:
    messages = json.dumps([{"role": "user", "content": "I keep newts."}])
    day = {"type": "discussion", "id": "", "time": "", "article_title": "", "messages": messages}
    (tmp_path / "day.jsonl").write_text(json.dumps(day), "utf-8")
    done = run("record", str(tmp_path / "day.jsonl"), "--json", home=tmp_path)
    assert (done.code, done.answer["recorded"], done.answer["refused"]) == (0, 1, [])
    (read,) = run("nightly", "--mode", "rules", "--json", home=tmp_path).answer
    assert read["operations"]


@pytest.mark.parametrize(("given", "code"), [("10.0", 0), ("3", 0), ("2.", 0), ("1.5", 2), ("ten", 2), ("", 2), ("-1.0", 2)])
def test_a_limit_may_be_written_with_zeros_behind_the_point(tmp_path: Path, given: str, code: int) -> None:
    assert run("list", "--limit", given, home=tmp_path).code == code


@pytest.mark.parametrize("position", ["5", 6.0, "7.0"])
def test_the_position_of_a_turn_may_be_text(tmp_path: Path, position: Any) -> None:
    turn = {
        "session_id": "s1",
        "position": position,
        "speaker": "Ana",
        "text": "I keep newts in the garden.",
        "event_time": "",
    }
    (tmp_path / "turns.json").write_text(json.dumps([turn]), "utf-8")
    done = run("import", str(tmp_path / "turns.json"), "--apply", "--json", home=tmp_path)
    assert done.code == 0, done.err
    (kept,) = [one for one in map(json.loads, run("export", home=tmp_path).out.splitlines()) if "raw_text" in one]
    assert kept["position"] == int(float(position))

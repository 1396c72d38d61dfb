import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from tests.integration.command_line import COMMAND, Done, clean, run

pytestmark = pytest.mark.integration

TURNS: list[dict[str, Any]] = [
    {"session_id": "s1", "position": 1, "speaker": "user", "text": "I moved to Lyon in March and live by the river now."},
    {"session_id": "s1", "position": 2, "speaker": "assistant", "text": "How lovely!\u2028Do you like it there?"},
    {"session_id": "s1", "position": 3, "speaker": "user", "text": "私は毎朝チェロを弾きます。", "event_time": "2026-03-02T09:00:00+01:00"},
    {"session_id": "s1", "position": 4, "speaker": "user", "text": "!!!"},
]  # fmt: skip
FORMS = {
    "an array": json.dumps(TURNS, indent=1),
    "an object": json.dumps({"turns": TURNS}, ensure_ascii=False),
    "an object over lines": json.dumps({"turns": TURNS}, indent=2),
    "lines": "\n".join(json.dumps(turn, ensure_ascii=False) for turn in TURNS),
    "lines with gaps and a mark": "\ufeff\n" + "\r\n\r\n".join(json.dumps(turn) for turn in TURNS) + "\n",
}


def contents(memory_file: Path) -> list[str]:
    with Commonplace(memory_file, user_id="local") as memory:
        return [record["raw_text"] for record in memory.export()]


def imported(memory_file: Path, text: str, *more: str) -> Done:
    return run("import", "-", "--db", str(memory_file), *more, home=memory_file.parent, stdin=text)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_turns_are_read_in_every_form(tmp_path: Path, memory_file: Path, form: str) -> None:
    file = tmp_path / "turns"
    file.write_text(form, encoding="utf-8")
    done = run("import", str(file), "--apply", "--db", str(memory_file), "--json", home=tmp_path)
    assert (done.code, done.err) == (5, "")
    assert done.answer["outcomes"] == {"added": 3, "refused": 1}
    assert [(one["where"], one["code"]) for one in done.answer["refused"]] == [("entry 4", "empty_text")]
    assert contents(memory_file) == [turn["text"] for turn in TURNS[:3]]
    with Commonplace(memory_file, user_id="local") as memory:
        assert [one["source"] for one in memory.export()] == ["user", "agent", "user"]


def test_a_person_sees_what_happens_to_each_and_why_to_some_it_does_not(memory_file: Path) -> None:
    done = imported(memory_file, FORMS["lines"])
    assert done.code == 5
    assert "to be added     3" in done.out
    assert "entry 1   added          I moved to Lyon" in done.out
    assert "letter or digit" in done.out
    assert not memory_file.exists()


def test_a_bare_number_that_answers_for_a_secret_is_left_out(memory_file: Path) -> None:
    turns = [{"session_id": "s", "position": 1, "speaker": "assistant", "text": "And what is the gate code?"},
             {"session_id": "s", "position": 2, "speaker": "user", "text": "4471"}]  # fmt: skip
    done = imported(memory_file, json.dumps(turns), "--apply", "--json")
    assert [one["code"] for one in done.answer["refused"]] == ["secret_only"]
    assert "4471" not in "".join(contents(memory_file))


def test_importing_again_stores_nothing_new(memory_file: Path) -> None:
    first, second = (imported(memory_file, FORMS["lines"], "--apply", "--json").answer for _ in range(2))
    assert (first["added"], second["added"], second["outcomes"]) == (3, 0, {"known": 3, "refused": 1})
    assert len(contents(memory_file)) == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "must be a list"),
        ("{}", "content: there are no words"),
        ("7", "must be a list"),
        ('{"a": 1}\n{"b": }\n', "Expecting value"),
        ('{"text": "a", "text": "b"}\n{}', "appears twice"),
        ('[{"session_id": "s", "position": 1, "speaker": "user"}]', "content: there are no words"),
        ("[7]", "must be an object"),
        ('[{"role": "user", "content": 7}]', "message 1   invalid_argument   content"),
        ('[{"role": "user", "content": "tea"}, {"content": "x"}]', "message 2   missing_field   role: is required"),
    ],
)
def test_what_are_no_turns_is_told_and_nothing_is_stored(memory_file: Path, text: str, why: str) -> None:
    done = imported(memory_file, text, "--apply")
    assert done.code in (2, 5)
    assert why in " ".join((done.err + done.out).split(" "))
    assert contents(memory_file) == []


MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "I moved to Lyon in March and live by the river now."},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function"}]},
    {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
    {"role": "assistant", "content": [{"type": "text", "text": "How lovely!"}], "refusal": None},
    {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "I play chess."}],
    },
]
CHATS = {
    "an array": json.dumps(MESSAGES),
    "an object": json.dumps({"messages": MESSAGES}, indent=1),
    "lines": "\n".join(map(json.dumps, MESSAGES)),
    "a conversation a line": json.dumps({"messages": MESSAGES[:3]}) + "\n" + json.dumps({"messages": MESSAGES[3:]}),
    "one conversation in one line": json.dumps({"messages": MESSAGES}),
}


SAID = {"I moved to Lyon in March and live by the river now.", "I play chess."}


@pytest.mark.parametrize("form", CHATS.values(), ids=CHATS)
def test_of_messages_only_what_the_user_said_becomes_memories(memory_file: Path, form: str) -> None:
    plan = imported(memory_file, form, "--json")
    assert (plan.code, plan.answer["kind"], plan.answer["applied"]) == (0, "messages", False)
    assert {one["content"] for one in plan.answer["memories"]} == SAID
    assert not memory_file.exists()
    done = imported(memory_file, form, "--apply", "--json")
    assert (done.answer["added"], set(contents(memory_file))) == (2, SAID)
    assert done.answer["left_out"] == {
        "not said by the user or the assistant: system": 1, "not said by the user or the assistant: tool": 1,
        "said by the assistant": 1, "contains no text": 1, "contains more than text: image_url": 1,
    }  # fmt: skip
    again = imported(memory_file, form, "--apply", "--json").answer
    assert (again["added"], len(again["known"])) == (0, again["entries"])
    for run_id in reversed(done.answer["runs"]):
        assert run("runs", "undo", run_id, "--db", str(memory_file), home=memory_file.parent).code == 0
    with Commonplace(memory_file, user_id="local") as memory:
        assert [one for one in memory.export() if one["status"] == "active"] == []


@pytest.mark.parametrize(
    "words",
    [
        ["You are a helpful assistant. The user lives in Oslo.", "Answer briefly."],
        ["Always answer in JSON. Never mention the price of competitors. Call the customer Kim.", "I always recommend the gold plan."],
    ],
)  # fmt: skip
def test_what_the_system_or_the_assistant_says_is_in_no_context(memory_file: Path, words: list[str]) -> None:
    roles = ("system", "developer", "tool", "assistant")
    messages = [{"role": role, "content": text} for text in words for role in roles]
    imported(memory_file, json.dumps([*messages, {"role": "user", "content": "I moved to Bergen in May."}]), "--apply")
    told = run("context", "home", "--db", str(memory_file), home=memory_file.parent).out
    assert "Bergen" in told
    assert not [word for word in ("Oslo", "briefly", "JSON", "Kim", "gold") if word in told]


def test_a_chat_that_has_grown_adds_only_what_is_new(memory_file: Path) -> None:
    added = []
    for until in (2, 5, 6):
        done = imported(memory_file, json.dumps(MESSAGES[:until]), "--apply", "--json")
        added.append((done.code, done.answer["added"]))
    assert added == [(0, 1), (0, 0), (0, 1)]
    assert set(contents(memory_file)) == SAID


def test_what_a_grown_chat_said_before_is_known_and_no_small_talk(memory_file: Path) -> None:
    old = [{"role": "user", "content": "I moved to Lyon in March and live by the river now."}]
    imported(memory_file, json.dumps(old), "--apply")
    new = [{"role": "user", "content": "I play chess."}, {"role": "user", "content": "Thanks a lot!"}]
    for more in ([], ["--apply"]):
        done = imported(memory_file, json.dumps([*old, *new]), "--json", *more).answer
        assert done["outcomes"] == {"added": 1, "known": 1}
        assert [(one["reason"], one["text"]) for one in done["passages"]] == [
            ("known already", old[0]["content"]), ("small talk or a passing state", "Thanks a lot!"),
        ]  # fmt: skip
    again = run("import", "-", "--db", str(memory_file), home=memory_file.parent, stdin=json.dumps([*old, *new, *new[:1]]))
    assert "already stored  4" in again.out


def test_messages_of_an_old_file_close_nothing_that_was_said_since(tmp_path: Path, memory_file: Path) -> None:
    run("store", "I live in Lisbon.", "--db", str(memory_file), home=tmp_path)
    file = tmp_path / "messages.json"
    file.write_text(json.dumps([{"role": "user", "content": "I live in Berlin."}]), encoding="utf-8")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    run("import", str(file), "--apply", "--db", str(memory_file), home=tmp_path)
    with Commonplace(memory_file, user_id="local") as memory:
        assert {one["raw_text"]: one["status"] for one in memory.export()} == {
            "I live in Lisbon.": "active", "I live in Berlin.": "superseded",
        }  # fmt: skip


def test_the_plan_shows_the_first_twenty_and_all_when_asked(tmp_path: Path, memory_file: Path) -> None:
    run("import", str(_many(tmp_path, 1)), "--apply", "--db", str(memory_file), home=tmp_path)
    arguments = ("import", str(_many(tmp_path, 25)), "--db", str(memory_file))
    few, every = run(*arguments, home=tmp_path).out, run(*arguments, "--all", home=tmp_path).out
    assert [f"entry {number} " in few for number in (1, 20, 21)] == [True, True, False]
    assert ("known          Note 0" in few, "--all shows all" in few) == (True, True)
    assert [f"entry {number} " in every for number in (1, 20, 21, 25)] == [True] * 4
    told = run(*arguments, "--json", home=tmp_path).answer["memories"]
    assert (len(told), told[0]["outcome"]) == (25, "known")


def test_a_terminal_shows_how_far_it_is(tmp_path: Path, memory_file: Path) -> None:
    file = _many(tmp_path, 60)
    theirs, ours = pty.openpty()
    command = [COMMAND, "import", str(file), "--apply", "--db", str(memory_file)]
    importing = subprocess.Popen(command, stderr=ours, stdout=subprocess.PIPE, env=clean(tmp_path))
    os.close(ours)
    shown = b""
    while chunk := _read(theirs):
        shown += chunk
    os.close(theirs)
    out, _ = importing.communicate(timeout=60)
    assert b"reading turns" in shown
    assert b"60/60" in shown
    assert b"added           60" in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly_and_the_same_command_goes_on(tmp_path: Path, memory_file: Path, number: int) -> None:
    file = _many(tmp_path, 250)
    command = [COMMAND, "import", str(file), "--apply", "--db", str(memory_file)]
    importing = subprocess.Popen(command, stderr=subprocess.PIPE, env=clean(tmp_path))
    _wait_for_memories(memory_file)
    importing.send_signal(signal.SIGSTOP)  # however long this test waits for its turn, the import gets no further
    importing.send_signal(number)
    importing.send_signal(signal.SIGCONT)
    _, said = importing.communicate(timeout=60)
    assert importing.returncode == 130, said
    assert re.fullmatch(rb"commonplace: stopped after \d+ of 250 memories; run the same command again to continue\n", said)
    assert said.count(b"\n") == 1
    there = contents(memory_file)
    assert 0 < len(there) < 250
    run("import", str(file), "--apply", "--db", str(memory_file), home=tmp_path)
    assert len(contents(memory_file)) == 250


def _many(folder: Path, count: int) -> Path:
    file = folder / "many.jsonl"
    turns = (
        {"session_id": "s", "position": n, "speaker": "user", "text": f"Note {n} about the garden."} for n in range(count)
    )
    file.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    return file


def _wait_for_memories(memory_file: Path) -> None:
    """Look into the file as another program does: opening it as a memory would compete with the import for its lock."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{memory_file}?mode=ro", uri=True)) as file:
            if file.execute("SELECT count(*) FROM memories").fetchone()[0]:
                return
        time.sleep(0.01)
    raise AssertionError(f"nothing was stored in {memory_file}")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side has closed it
        return b""

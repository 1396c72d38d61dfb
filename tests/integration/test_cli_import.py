import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from tests.integration.command_line import COMMAND, clean, run

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


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_turns_are_read_in_every_form(tmp_path: Path, memory_file: Path, form: str) -> None:
    file = tmp_path / "turns"
    file.write_text(form, encoding="utf-8")
    done = run("import", str(file), "--db", str(memory_file), "--json", home=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert [memory_id is None for memory_id in done.answer["ids"]] == [False, False, False, True]
    assert [left["turn"] for left in done.answer["left_out"]] == [3]
    assert contents(memory_file) == [turn["text"] for turn in TURNS[:3]]


def test_a_person_sees_how_many_were_kept_and_why_others_were_not(memory_file: Path) -> None:
    done = run("import", "-", "--db", str(memory_file), home=memory_file.parent, stdin=FORMS["lines"])
    assert (done.code, done.err) == (0, "")
    assert "kept      3" in done.out
    assert "left out  1" in done.out
    assert "letter or digit" in done.out


def test_only_what_is_worthy_is_kept_when_asked(memory_file: Path) -> None:
    done = run(
        "import", "-", "--keep", "worthy", "--json", "--db", str(memory_file), home=memory_file.parent, stdin=FORMS["lines"]
    )
    assert done.answer["ids"][0] is not None
    assert done.answer["ids"][1] is None
    assert "assistant" in {left["turn"]: left["why"] for left in done.answer["left_out"]}[1]


def test_importing_again_stores_nothing_new(memory_file: Path) -> None:
    first, second = (
        run("import", "-", "--json", "--db", str(memory_file), home=memory_file.parent, stdin=FORMS["lines"]).answer
        for _ in range(2)
    )
    assert first == second
    assert len(contents(memory_file)) == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no turns"),
        ("{}", "list of turns"),
        ("7", "list of turns"),
        ('{"a": 1}\n{"b": }\n', "line 2"),
        ('{"text": "a", "text": "b"}\n{}', "line 1"),
        ('[{"session_id": "s", "position": 1, "speaker": "user"}]', "turns.0: text"),
        ('[{"session_id": "s", "position": 1, "speaker": "user", "text": "tea", "mood": 1}]', "turns.0: mood"),
        ("[7]", "turns.0"),
        ('[{"role": "user", "content": "tea"}, {"content": "x"}]', "turns.1: role: is required"),
        ('{"role": "user", "content": "tea"}\n{"role": "user", "content": 7}', "line 2: content"),
        ('{"session_id": "s", "position": 1, "speaker": "user", "text": "tea"}\n\n{"text": "x"}', ": line 3: session_id: is"),
        ('{"session_id": "s", "position": 1, "speaker": "user", "text": "tea", "mood": 1}', ": line 1: mood"),
    ],
)
def test_what_are_no_turns_is_told_and_nothing_is_stored(memory_file: Path, text: str, why: str) -> None:
    done = run("import", "-", "--db", str(memory_file), home=memory_file.parent, stdin=text)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert why in done.err
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


@pytest.mark.parametrize("form", CHATS.values(), ids=CHATS)
def test_messages_of_a_chat_are_turns(memory_file: Path, form: str) -> None:
    done = run("import", "-", "--db", str(memory_file), "--json", home=memory_file.parent, stdin=form)
    assert (done.code, done.err) == (0, "")
    assert {left["turn"]: left["why"].partition(":")[0] for left in done.answer["left_out"]} == {2: "empty_text"}
    with Commonplace(memory_file, user_id="local") as memory:
        records = list(memory.export())
    assert [(record["speaker"], record["source"], record["raw_text"]) for record in records] == [
        ("system", "agent", "You are a helpful assistant."),
        ("user", "user", "I moved to Lyon in March and live by the river now."),
        ("system", "agent", "sunny"),
        ("assistant", "agent", "How lovely!"),
        ("user", "user", "I play chess."),
    ]


def test_a_chat_that_has_grown_is_the_same_conversation(memory_file: Path) -> None:
    for until in (2, 5, 6):
        text = json.dumps(MESSAGES[:until])
        done = run("import", "-", "--db", str(memory_file), "--json", home=memory_file.parent, stdin=text)
        assert done.code == 0
    with Commonplace(memory_file, user_id="local") as memory:
        places = [(record["session_id"], record["position"]) for record in memory.export()]
    assert len({session for session, _ in places}) == 1
    assert [position for _, position in places] == [0, 1, 3, 4, 5]


def test_only_what_the_user_said_is_worthy(memory_file: Path) -> None:
    text = json.dumps(MESSAGES)
    done = run("import", "-", "--keep", "worthy", "--json", "--db", str(memory_file), home=memory_file.parent, stdin=text)
    assert [memory_id is not None for memory_id in done.answer["ids"]] == [False, True, False, False, False, True]


def test_a_terminal_shows_how_far_it_is(tmp_path: Path, memory_file: Path) -> None:
    file = _many(tmp_path, 300)
    theirs, ours = pty.openpty()
    importing = subprocess.Popen(
        [COMMAND, "import", str(file), "--db", str(memory_file)], stderr=ours, stdout=subprocess.PIPE, env=clean(tmp_path)
    )
    os.close(ours)
    shown = b""
    while chunk := _read(theirs):
        shown += chunk
    os.close(theirs)
    out, _ = importing.communicate(timeout=60)
    assert b"storing 300 turns" in shown
    assert b"300/300" in shown
    assert b"kept      300" in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly_and_the_same_command_goes_on(tmp_path: Path, memory_file: Path, number: int) -> None:
    file = _many(tmp_path, 20_000)
    importing = subprocess.Popen(
        [COMMAND, "import", str(file), "--db", str(memory_file)], stderr=subprocess.PIPE, env=clean(tmp_path)
    )
    _wait_for_memories(tmp_path, memory_file)
    importing.send_signal(number)
    _, said = importing.communicate(timeout=60)
    assert importing.returncode == 130
    assert re.fullmatch(rb"commonplace: stopped after \d+ of 20000 turns; the same command goes on from there\n", said)
    assert said.count(b"\n") == 1
    there = contents(memory_file)
    assert 0 < len(there) < 20_000
    few = _many(tmp_path, len(there) + 50)
    run("import", str(few), "--db", str(memory_file), home=tmp_path)
    assert len(contents(memory_file)) == len(there) + 50


def _many(folder: Path, count: int) -> Path:
    file = folder / "many.jsonl"
    turns = (
        {"session_id": "s", "position": n, "speaker": "user", "text": f"Note {n} about the garden."} for n in range(count)
    )
    file.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    return file


def _wait_for_memories(home: Path, memory_file: Path) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if memory_file.exists() and contents(memory_file):
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing was stored in {home}")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side has closed it
        return b""

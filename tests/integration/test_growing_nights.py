"""Nights over conversations that are recorded again after every turn, as agents do."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from tests.conftest import NOON
from tests.integration.command_line import run

pytestmark = pytest.mark.integration

GHENT = [{"role": "user", "content": "I live in Ghent."}, {"role": "assistant", "content": "Nice."}]
KIWI = {"role": "user", "content": "My daughter Mia is allergic to kiwi."}


def session(*messages: dict[str, Any], name: str = "session-1") -> dict[str, Any]:
    return {"type": "discussion", "id": name, "messages": list(messages)}


def contents(memory: Commonplace) -> list[str]:
    return sorted(one.value for one in memory.list_memories().memories)


def test_each_message_is_read_by_one_night(open_memory: Callable[..., Commonplace]) -> None:
    now = NOON
    memory = open_memory(now=lambda: now)
    memory.record_interactions([session(*GHENT)])
    assert memory.record_interactions([session(*GHENT, KIWI)]).recorded == 1
    memory.nightly("rules")
    first = contents(memory)
    assert [word in " ".join(first) for word in ("Ghent", "kiwi")] == [True, True]
    now = NOON + timedelta(days=1)
    start = {"role": "user", "content": "I start at the harbour office on 1 December."}
    assert memory.record_interactions([session(*GHENT, KIWI, start)]).recorded == 1
    run_ = memory.nightly("rules")
    assert len(run_.interactions) == 1
    (new,) = set(contents(memory)) - set(first)
    assert "harbour office" in new
    assert memory.record_interactions([session(*GHENT, KIWI, start)]).known == 1
    assert memory.due() == []


def test_an_answer_is_read_with_the_question_that_was_recorded_before(open_memory: Callable[..., Commonplace]) -> None:
    memory = open_memory()
    asked = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Are you allergic to kiwi?"}]
    memory.record_interactions([session(*asked)])
    memory.record_interactions([session(*asked, {"role": "user", "content": "Yes."})])
    memory.nightly("rules")
    whole = open_memory("ben")
    whole.record_interactions([session(*asked, {"role": "user", "content": "Yes."})])
    whole.nightly("rules")
    assert contents(memory) == contents(whole)


def test_erasing_a_memory_leaves_nothing_of_what_was_said_later(
    open_memory: Callable[..., Commonplace], memory_file: Path
) -> None:
    memory = open_memory()
    memory.record_interactions([session(*GHENT)])
    memory.record_interactions([session(*GHENT, KIWI)])
    memory.nightly("rules")
    (kiwi,) = [one.memory_id for one in memory.list_memories().memories if "kiwi" in one.value]
    assert "interactions" in memory.erase(kiwi).places
    memory.close()
    assert [path.name for path in memory_file.parent.iterdir() if path.is_file() and b"kiwi" in path.read_bytes()] == []


def test_new_messages_alone_are_recorded_without_ids_or_known_words(open_memory: Callable[..., Commonplace]) -> None:
    memory = open_memory()
    memory.record_interactions([session(*GHENT)])
    for later in (
        [KIWI],
        [{"role": "user", "content": "My brother Otto keeps bees."}, {"role": "assistant", "content": "Fine."}],
    ):
        assert memory.record_interactions([session(*later)]).recorded == 1
        assert memory.record_interactions([session(*later)]).known == 1
    memory.nightly("rules")
    assert [word in " ".join(contents(memory)) for word in ("Ghent", "kiwi", "bees")] == [True, True, True]


def test_a_changed_message_of_a_known_conversation_is_a_conflict(open_memory: Callable[..., Commonplace]) -> None:
    memory = open_memory()
    memory.record_interactions([session(*GHENT, KIWI)])
    changed = {"role": "user", "content": "I live in Bruges."}
    done = memory.record_interactions([session(changed, GHENT[1], KIWI)])
    assert (done.recorded, done.known, [one.index for one in done.conflicts]) == (0, 1, [0])


def test_the_command_lists_what_changed(tmp_path: Path) -> None:
    changed = session({"role": "user", "content": "I live in Bruges."}, GHENT[1], KIWI)
    (tmp_path / "day.jsonl").write_text("\n".join(map(json.dumps, [session(*GHENT), changed])), "utf-8")
    done = run("record", str(tmp_path / "day.jsonl"), "--json", home=tmp_path)
    assert (done.code, done.answer["recorded"], done.answer["known"]) == (0, 2, 0)
    assert [(one["id"], one["index"]) for one in done.answer["conflicts"]] == [("session-1", 0)]
    again = run("record", str(tmp_path / "day.jsonl"), home=tmp_path)
    assert "changed message" in again.out

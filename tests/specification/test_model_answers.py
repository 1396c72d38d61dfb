"""Answers of a model as the prompts of the specification ask for them; a night is read with them."""

import json
from dataclasses import replace
from typing import Any

import pytest

from commonplace import Commonplace, StoreContext
from commonplace.adapters.claude.reader import read_answer
from commonplace.extraction.rules import RulesReader
from commonplace.nightly.readers import ModeReader
from tests.conftest import NOON
from tests.specification.rows import Row, check, rows_of
from tests.unit.nightly.scripted import ScriptedModel, Step, says

_TRIPLE = ("normalized", "type", "tags")


@pytest.mark.parametrize("row", rows_of("answers"))
def test_a_night_reads_the_answer_as_it_is_written(row: Row, memory: Commonplace) -> None:
    before = _store_before(memory, row)
    script: list[Step] = [says(row["extraction"])]
    if "decision" in row:
        script.append(says({field: before if value == "<before>" else value for field, value in row["decision"].items()}))
    messages = [{"role": "user", "content": text} for text in row["says"]]
    memory.record_interactions([{"type": "discussion", "id": "talk", "time": NOON.isoformat(), "messages": messages}])
    nights = memory.nights()
    model = ScriptedModel(script)
    context = replace(nights.context, night=replace(nights.context.night, model=model))
    reader = ModeReader(RulesReader(context.ports.words), context.night, context.user_id, NOON)
    list(replace(nights, context=context, read=reader.read_day).nightly("pipeline"))
    assert model.script == []
    kept = [one for one in memory.export() if one["status"] == "active"]
    check(kept, [_named(one, before) for one in row["kept"]])


@pytest.mark.parametrize("row", rows_of("normalizer"))
def test_a_normalizer_s_answer_is_read_as_it_is_written(row: Row) -> None:
    content = [{"type": "text", "text": json.dumps(row["answer"])}]
    body = {"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"}
    read = read_answer(json.dumps(body).encode(), row["text"])
    check({"normalized": read.text, "type": read.type, "tags": list(read.tags)}, {name: row[name] for name in _TRIPLE})


def _store_before(memory: Commonplace, row: Row) -> str | None:
    if "before" not in row:
        return None
    context: StoreContext = {"place": {"event_time": "2026-01-10T09:00:00+01:00"}}
    return memory.store_memory(row["before"], context=context).memory_id


def _named(expected: dict[str, Any], before: str | None) -> dict[str, Any]:
    return {field: before if value == "<before>" else value for field, value in expected.items()}

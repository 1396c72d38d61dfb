import json
from pathlib import Path

import pytest

from commonplace.contract.registry import TOOLS
from tests.integration.command_line import run, stored

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_can_be_called_with_its_own_examples(memory_file: Path, tool: object) -> None:
    name, db = tool.name, ("--db", str(memory_file))  # type: ignore[attr-defined]
    there = {"key": "role", "value": "There before.", "category": "preference", "durability": "durable"}
    for example in tool.examples:  # type: ignore[attr-defined]
        if name != "write_memory":  # what is named by its key, or by an id that nobody can know beforehand
            run("call", "write_memory", json.dumps(there), *db, home=memory_file.parent)
        if {"memory_id", "memory_ids"} & example.keys():
            ids = [stored(f"I play the {what}.", memory_file) for what in ("cello", "harp")]
            own = {"memory_id": ids[0], "memory_ids": ids}
            example = {**example, **{name: own[name] for name in own.keys() & example.keys()}}
        done = run("call", name, json.dumps(example), *db, home=memory_file.parent)
        assert (done.code, done.err) == (0, "")
        assert isinstance(done.answer, dict)


def test_without_arguments_it_is_the_empty_object(tmp_path: Path) -> None:
    assert run("call", "discover_memory_tools", home=tmp_path).answer["current_system_state"]["total_memories"] == 0


def test_arguments_may_come_from_stdin(tmp_path: Path) -> None:
    done = run("call", "store_memory", "-", home=tmp_path, stdin='{"content": "Ich spiele Cello – täglich."}')
    assert done.answer["success"] is True


def test_for_machines_it_is_one_line(tmp_path: Path) -> None:
    assert run("call", "discover_memory_tools", "--json", home=tmp_path).out.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    ['{"query": NaN}', '{"query": "a", "query": "b"}', '{"query": "a", "limit": 1e999}', "", "{'query': 'a'}", "[" * 9999],
)
def test_what_is_no_json_is_refused(tmp_path: Path, arguments: str) -> None:
    done = run("call", "search_memory", arguments, "--json", home=tmp_path)
    assert done.code == 2
    assert json.loads(done.err)["error"]["code"] == "invalid_json"


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ('{"question": "tea"}', "missing_field", "query"),
        ('{"query": "tea", "colour": 1}', "unknown_field", "colour"),
        ('{"query": "tea", "limit": "three"}', "invalid_argument", "limit"),
    ],
)
def test_bad_arguments_name_their_field(tmp_path: Path, arguments: str, code: str, field: str) -> None:
    done = run("call", "search_memory", arguments, "--json", home=tmp_path)
    error = json.loads(done.err)["error"]
    assert (done.code, error["code"], error["field"]) == (2, code, field)


def test_arguments_are_read_as_programs_send_them(tmp_path: Path) -> None:
    run("call", "store_memory", '{"content": "10.0", "context": "{\\"force_importance\\": 4.0}"}', home=tmp_path)
    done = run("call", "list_memories", '{"limit": "5", "cursor": "", "options": "null"}', "--json", home=tmp_path)
    assert [(kept["value"], kept["importance"]) for kept in done.answer["memories"]] == [("10.0", 4)]


@pytest.mark.parametrize("arguments", ['{"question": "tea"}', '{"query": "x", "colour": "red"}', '{"query": 1}', "{"])
def test_a_person_is_sent_to_where_the_fields_are_listed(tmp_path: Path, arguments: str) -> None:
    done = run("call", "search_memory", arguments, home=tmp_path)
    assert done.code == 2
    assert done.err.endswith('; see "commonplace discover search_memory"\n')


def test_what_is_wrong_beside_the_fields_keeps_its_own_hint(tmp_path: Path) -> None:
    done = run("call", "search_memory", '{"query": "x"}', "--timezone", "Mars/Olympus", home=tmp_path)
    assert done.err.endswith('; see "commonplace call --help"\n')
    assert "manifest" in run("call", "forget_everything", home=tmp_path).err

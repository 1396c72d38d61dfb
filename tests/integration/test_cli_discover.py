from pathlib import Path
from typing import get_args

import pytest

from commonplace.contract.registry import TOOLS
from commonplace.domain.taxonomy import ToolGroup
from tests.integration.command_line import run, stored

pytestmark = pytest.mark.integration


def test_a_person_sees_the_state_and_the_advanced_tools(memory_file: Path) -> None:
    stored("I play the cello.", memory_file)
    done = run("discover", "--db", str(memory_file), home=memory_file.parent, environment={"COLUMNS": "120"})
    assert (done.code, done.err) == (0, "")
    assert "memories  1" in done.out
    assert all(tool.name in done.out for tool in TOOLS if tool.tier == "advanced")


def test_a_machine_gets_exactly_the_answer_of_the_tool(tmp_path: Path) -> None:
    answer = run("discover", "--json", home=tmp_path).answer
    assert set(answer) == {"advanced_tools", "current_system_state"}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_explained_with_all_its_arguments(tmp_path: Path, tool: object) -> None:
    name, request = tool.name, tool.request  # type: ignore[attr-defined]
    done = run("discover", name, home=tmp_path, environment={"COLUMNS": "140"})
    assert (done.code, done.err) == (0, "")
    assert all(argument in done.out for argument in request.model_fields)
    assert f"commonplace call {name}" in done.out


@pytest.mark.parametrize("group", get_args(ToolGroup))
def test_a_group_is_explained_tool_by_tool_and_nothing_is_changed(tmp_path: Path, group: str) -> None:
    names = [tool.name for tool in TOOLS if tool.group == group]
    done = run("discover", "--group", group, home=tmp_path, environment={"COLUMNS": "140"})
    assert (done.code, done.err) == (0, "")
    assert [line.split()[1] for line in done.out.splitlines() if line.startswith("tool ")] == names
    answer = run("discover", "--json", "--group", group, home=tmp_path).answer
    assert [row["name"] for row in answer["group_schemas"]] == names
    assert all({"input_schema", "hints"} <= set(row) and "output_schema" not in row for row in answer["group_schemas"])
    assert not list(tmp_path.iterdir())


def test_an_unknown_group_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    done = run("call", "discover_memory_tools", '{"group": "secrets"}', "--json", home=tmp_path)
    assert done.code == 2
    assert '"group"' in done.err
    assert "maintenance" in done.err


def test_arguments_inside_others_are_explained(tmp_path: Path) -> None:
    done = run("discover", "search_memory", home=tmp_path, environment={"COLUMNS": "140"})
    assert "options.time_range.after" in done.out


def test_one_memory_is_no_memories(memory_file: Path) -> None:
    stored("मुझे चाय पसंद है", memory_file)
    options = ("--db", str(memory_file), "--json")
    said = run("discover", *options, home=memory_file.parent).answer["current_system_state"]["optimization_opportunities"]
    assert said == ["1 memory has no vector (in a script that the embedding model doesn't know): it is found by words only"]
    stored("मैं पुणे में रहता हूँ", memory_file)
    said = run("discover", *options, home=memory_file.parent).answer["current_system_state"]["optimization_opportunities"]
    assert said == [
        "2 memories have no vector (in a script that the embedding model doesn't know): they are found by words only"
    ]


def test_an_unknown_tool_is_code_3(tmp_path: Path) -> None:
    assert run("discover", "forget_everything", home=tmp_path).code == 3

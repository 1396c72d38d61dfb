"""Half a character, as JSON may hold it, is escaped wherever the command line shows a text."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.command_line import run

pytestmark = pytest.mark.integration

HALF = "\ud800"
ENTRIES: list[dict[str, Any]] = [{"id": "x", "memory": "Ana plays go."}, {"id": "y", "memory": f"Ana a{HALF}b sings."}]


def test_a_person_is_chosen_by_the_escaped_name(tmp_path: Path) -> None:
    entries = [{"id": name, "memory": f"{name} rows.", "user_id": f"{name}{HALF}"} for name in ("Kim", "Lee")]
    (tmp_path / "mem0.json").write_text(json.dumps(entries), "ascii")
    file = str(tmp_path / "mem0.json")
    assert run("import", file, "--json", home=tmp_path).answer["people"] == {r"Kim\ud800": 1, r"Lee\ud800": 1}
    assert r"Kim\ud800: 1, Lee\ud800: 1" in run("import", file, home=tmp_path).out
    assert run("import", file, "--only", r"Lee\ud800", "--apply", home=tmp_path).code == 0
    assert run("import", file, "--user-map", r"Kim\ud800=kim", "--apply", home=tmp_path).code == 0
    assert [one["value"] for one in run("list", "--json", home=tmp_path).answer["memories"]] == ["Lee rows."]


@pytest.mark.parametrize("options", [(), ("--all",), ("--apply",), ("--apply", "--all")])
@pytest.mark.parametrize("as_json", [True, False])
def test_a_plan_and_its_application_show_it_escaped(tmp_path: Path, options: tuple[str, ...], as_json: bool) -> None:
    (tmp_path / "mem0.json").write_text(json.dumps(ENTRIES), "ascii")
    done = run("import", str(tmp_path / "mem0.json"), *options, *(["--json"] if as_json else []), home=tmp_path)
    assert done.code in (0, 5), done.err
    assert HALF not in done.out
    if as_json:
        json.loads(done.out)
    if "--apply" in options:
        kept = run("list", "--json", home=tmp_path).answer["memories"]
        assert [one["value"] for one in kept] == ["Ana plays go."]

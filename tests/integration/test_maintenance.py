"""Tidying up by the command line and over HTTP, in processes as a person starts them."""

from pathlib import Path

import pytest

from tests.integration.command_line import Done, run, stored

pytestmark = pytest.mark.integration

CELLO, IN_BONN = "I play the cello at home.", "I play the cello at home with my dog."


@pytest.fixture
def ids(memory_file: Path) -> list[str]:
    found = [stored(text, memory_file) for text in (CELLO, IN_BONN)]
    for one in found:
        ours(memory_file, "update", one, "--heading", "personal_context")
    return found


def ours(memory_file: Path, *arguments: str, code: int = 0) -> Done:
    done = run(*arguments, "--db", str(memory_file), home=memory_file.parent, environment={"COLUMNS": "140"})
    assert (done.code, done.err) == (code, "")
    return done


def active(memory_file: Path) -> list[str]:
    return [one["value"] for one in ours(memory_file, "list", "--json").answer["memories"]]


def test_a_merge_is_planned_made_and_taken_back(memory_file: Path, ids: list[str]) -> None:
    planned = ours(memory_file, "merge", *ids, code=5).out
    assert IN_BONN in planned
    assert "runs approve run_" in planned
    assert len(active(memory_file)) == 2
    run_id = ours(memory_file, "merge", *ids, "--json", code=5).answer["run_id"]
    done = ours(memory_file, "merge", "--run", run_id, "--apply").out
    assert f"commonplace runs undo {run_id}" in done
    assert active(memory_file) == [IN_BONN]
    ours(memory_file, "runs", "undo", run_id)
    assert sorted(active(memory_file)) == sorted([CELLO, IN_BONN])


def test_at_once_and_what_says_the_same_is_told_till_then(memory_file: Path) -> None:
    ids = [stored("I play the cello.", memory_file)]
    assert "no memories say the same" in ours(memory_file, "merge").out
    ids.append(stored("The user is playing the cello.", memory_file))
    assert ids[0] in ours(memory_file, "merge", code=5).out
    assert ours(memory_file, "merge", *ids, "--apply", "--json").answer["memory_id"]
    assert ours(memory_file, "merge").code == 0


def test_what_can_not_be_merged_ends_with_its_reason(memory_file: Path, ids: list[str]) -> None:
    other = stored("I don't play the cello at home.", memory_file)
    ours(memory_file, "update", other, "--heading", "personal_context")
    assert "only one can be true" in ours(memory_file, "merge", ids[0], other, code=5).out
    done = run("merge", ids[0], other, "--apply", "--db", str(memory_file), home=memory_file.parent)
    assert done.code == 2
    assert "only one can be true" in done.err


def test_tags_are_tidied_and_taken_back(memory_file: Path) -> None:
    one = stored("The cluster runs on three nodes.", memory_file)
    other = stored("We moved the pods yesterday evening.", memory_file)
    ours(memory_file, "update", one, "--tag", "kubernets", "--tag", "2023")
    ours(memory_file, "update", other, "--tag", "kubernetes", "--tag", "2024")
    told = ours(memory_file, "tags", "optimize", code=5).out
    assert "kubernets" in told
    assert "one letter is wrong" in told
    answer = ours(memory_file, "tags", "optimize", "--json", code=5).answer
    assert answer["merges"] == [
        {"from": "kubernets", "to": "kubernetes", "similarity": 1.0, "why": "one letter is wrong", "memories": 1}
    ]
    done = ours(memory_file, "tags", "optimize", "--apply").out
    assert "4 -> 3" in done
    assert ours(memory_file, "get", one, "--json").answer["memory"]["tags"] == ["kubernetes", "2023"]
    assert "no two tags mean the same" in ours(memory_file, "tags", "optimize").out
    ours(memory_file, "runs", "undo")
    assert ours(memory_file, "get", one, "--json").answer["memory"]["tags"] == ["kubernets", "2023"]

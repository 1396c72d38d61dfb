"""Memory files that aren't there: a reading command makes none, and tells of one that was named."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.command_line import clean, run

pytestmark = pytest.mark.integration

READING = [["search", "tea"], ["context", "tea"], ["export"], ["discover"], ["discover", "search_memory"]]


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_a_file_that_was_named_and_is_not_there_is_told_and_not_made(tmp_path: Path, arguments: list[str]) -> None:
    file = tmp_path / "folder" / "typo.db"
    done = run(*arguments, "--db", str(file), home=tmp_path)
    assert done.code == 0
    assert done.err == f'commonplace: there is no memory file {file}; "commonplace store" creates it\n'
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_before_the_first_memory_nothing_is_told_and_nothing_made(tmp_path: Path, arguments: list[str]) -> None:
    done = run(*arguments, home=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_bad_input_is_told_though_there_is_no_file(tmp_path: Path) -> None:
    assert run("search", "tea", "--limit", "0", home=tmp_path).code == 2


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("no folder", encoding="utf-8")
    file = tmp_path / "taken" / "deep" / "x.db"
    done = run("store", "tea", "--db", str(file), home=tmp_path)
    assert done.code == 4
    assert str(file) in done.err
    assert done.err.endswith("; give another file with --db FILE\n")


def test_pages_in_a_folder_that_cannot_be_made_want_another_folder(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("no folder", encoding="utf-8")
    done = run("markdown", "write", str(tmp_path / "taken" / "pages"), home=tmp_path)
    assert done.code == 4
    assert done.err.endswith("; name a folder in which you may write\n")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="Linux has a folder in which nobody can make one")
def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    done = run("store", "tea", "--db", "/proc/nope/x.db", home=tmp_path)
    assert "/proc/nope/x.db can't be used: No such file or directory: /proc/nope;" in done.err


def test_the_encoders_leave_nothing_in_the_home_folder(tmp_path: Path) -> None:
    """ONNX Runtime reports to its makers unless it is told not to before it is imported."""
    program = (
        "from commonplace.adapters.sentence_encoder import SentenceEncoder as E; print(E().embed('green tea') is not None)"
    )
    done = subprocess.run([sys.executable, "-c", program], env=clean(tmp_path), capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
    assert list(tmp_path.rglob("*")) == []

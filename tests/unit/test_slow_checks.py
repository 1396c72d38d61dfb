"""Which of the slow checks run: each whose inputs changed since it last passed, and no other."""

import functools
import importlib.util
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

import pytest

ROOT = Path(__file__).parents[2]


def loaded() -> Any:
    spec = importlib.util.spec_from_file_location("slow_checks", ROOT / ".ci" / "slow_checks.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


slow_checks = loaded()


@pytest.mark.parametrize("name", list(slow_checks.declared()))
def test_each_check_is_a_make_target_and_each_input_exists(name: str) -> None:
    assert f"\n{name}: " in (ROOT / "Makefile").read_text("utf-8")
    check = slow_checks.declared()[name]
    patterns = [*check["inputs"], *check.get("covered", [])]
    assert [pattern for pattern in patterns if not slow_checks.input_files([pattern])] == []


def test_only_declared_checks_are_recorded() -> None:
    assert set(slow_checks.passed()) <= set(slow_checks.declared())


def test_a_changed_a_new_and_a_removed_file_change_the_fingerprint(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    folder = tmp_path / "inputs"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    seen = [slow_checks.fingerprint(["inputs"], tmp_path)]
    for change in (
        lambda: (folder / "a.txt").write_text("b"),
        lambda: (folder / "b.txt").write_text("b"),
        lambda: (folder / "a.txt").unlink(),
    ):
        change()
        seen.append(slow_checks.fingerprint(["inputs"], tmp_path))
    assert len(set(seen)) == len(seen)
    (tmp_path / "beside.txt").write_text("no input")
    assert slow_checks.fingerprint(["inputs"], tmp_path) == seen[-1]


def test_an_unchanged_check_is_left_out_and_a_changed_one_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "passed.json").write_text("{}")
    monkeypatch.setattr(slow_checks, "PASSED", tmp_path / "passed.json")
    monkeypatch.setattr(
        slow_checks, "declared", lambda: {"first": {"inputs": ["Makefile"]}, "second": {"inputs": ["Makefile"]}}
    )
    slow_checks.record("first", slow_checks.fingerprint(["Makefile"]))
    ran: list[str] = []

    def run(name: str) -> Any:
        ran.append(name)
        return slow_checks.Outcome(0, {"Makefile"}, 1.0)

    monkeypatch.setattr(slow_checks, "run", run)
    monkeypatch.setattr("sys.argv", ["slow_checks.py"])
    slow_checks.main()
    slow_checks.main()
    assert ran == ["second"]
    assert "first: its inputs have not changed" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["slow_checks.py", "--all"])
    slow_checks.main()
    assert ran == ["second", "first", "second"]


def test_a_failed_check_is_not_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "passed.json").write_text("{}")
    monkeypatch.setattr(slow_checks, "PASSED", tmp_path / "passed.json")
    monkeypatch.setattr(slow_checks, "declared", lambda: {"no-such-target": {"inputs": ["Makefile"]}})
    monkeypatch.setattr("sys.argv", ["slow_checks.py"])
    with pytest.raises(SystemExit, match="no-such-target failed"):
        slow_checks.main()
    assert slow_checks.passed() == {}


def test_checks_for_one_core_run_side_by_side_after_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "passed.json").write_text("{}")
    monkeypatch.setattr(slow_checks, "PASSED", tmp_path / "passed.json")
    one_core = {"inputs": ["Makefile"], "cores": 1}
    checks = {"first": one_core, "all cores": {"inputs": ["Makefile"]}, "second": one_core}
    monkeypatch.setattr(slow_checks, "declared", lambda: checks)
    monkeypatch.setattr(slow_checks.os, "cpu_count", lambda: 2)
    both, ran = threading.Barrier(2, timeout=30), []

    def run(name: str, output: IO[str] | None = None) -> Any:
        ran.append(name)
        if output is not None:
            both.wait()  # ends only when the other check has begun
            output.write(f"{name} prints a line\n")
        return slow_checks.Outcome(0, {"Makefile"}, 1.0)

    monkeypatch.setattr(slow_checks, "run", run)
    monkeypatch.setattr("sys.argv", ["slow_checks.py"])
    slow_checks.main()
    assert ran[:2] == ["all cores", ".venv/dev"]
    assert sorted(ran[2:]) == ["first", "second"]
    assert set(slow_checks.passed()) == set(checks)
    printed = capsys.readouterr().out
    for name in ("first", "second"):
        assert f"== {name}\n{name} prints a line\n== {name}: passed in 1 s\n" in printed


def test_a_failed_check_shows_what_it_printed_though_others_run_beside_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "passed.json").write_text("{}")
    (tmp_path / "Makefile").write_text(".venv/dev:\n\t@true\ngood:\n\t@echo fine\nbad:\n\t@echo broken >&2; exit 3\n")
    monkeypatch.setattr(slow_checks, "PASSED", tmp_path / "passed.json")
    monkeypatch.setattr(
        slow_checks, "declared", lambda: {"bad": {"inputs": [], "cores": 1}, "good": {"inputs": [], "cores": 1}}
    )
    monkeypatch.setattr(slow_checks, "run", functools.partial(slow_checks.run, root=tmp_path))
    monkeypatch.setattr("sys.argv", ["slow_checks.py"])
    with pytest.raises(SystemExit, match="bad failed"):
        slow_checks.main()
    assert re.search(r"== bad\n(make.*\n)*broken\n", capsys.readouterr().out)  # a make within a make prints its folder
    assert "bad" not in slow_checks.passed()


def test_a_check_that_reads_a_file_that_is_not_declared_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "passed.json").write_text("{}")
    monkeypatch.setattr(slow_checks, "PASSED", tmp_path / "passed.json")
    monkeypatch.setattr(slow_checks, "declared", lambda: {"check": {"inputs": ["Makefile"], "covered": ["docs"]}})
    opened = {"Makefile", "docs/README.md", "README.md", "not-tracked"}
    monkeypatch.setattr(slow_checks, "run", lambda _: slow_checks.Outcome(0, opened, 1.0))
    monkeypatch.setattr("sys.argv", ["slow_checks.py"])
    with pytest.raises(SystemExit) as ended:
        slow_checks.main()
    assert str(ended.value).splitlines()[1:] == ["  README.md"]
    assert slow_checks.passed() == {}


def test_the_files_that_python_opens_are_noted_however_they_are_opened(tmp_path: Path) -> None:
    (tmp_path / "read.txt").write_text("read")
    (tmp_path / "module.py").write_text("")
    program = "import module, os, pathlib, subprocess, sys; pathlib.Path('read.txt').read_bytes(); open('/dev/null')"
    inner = "open('also.txt')"
    (tmp_path / "also.txt").write_text("read by a process that the first one starts")
    (tmp_path / "program.py").write_text(f"{program}; subprocess.run([sys.executable, '-c', {inner!r}], check=True)")
    (tmp_path / "Makefile").write_text(f"check:\n\t{sys.executable} program.py\n")
    for _ in range(2):  # the second time the module comes from its cache
        code, opened, _ = slow_checks.run("check", tmp_path)
        assert code == 0
        assert opened >= {"read.txt", "also.txt", "module.py", "program.py"}
        assert not [name for name in opened if name.startswith("/")]

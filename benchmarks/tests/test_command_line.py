"""What a newcomer meets at `make bench`: what lacks is told in one line, with what to do."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import cold_start

ROOT = Path(__file__).parents[2]


def test_a_benchmark_without_its_data_tells_where_it_comes_from(tmp_path: Path) -> None:
    code, said = benchmark("retrieval", tmp_path)
    assert code == 2
    assert said == (
        f"locomo/locomo10_handed_conv0-4.json is missing in {tmp_path}; benchmarks/DATA.md tells where it comes from\n"
    )


def test_a_benchmark_without_the_folder_writes_no_results(tmp_path: Path) -> None:
    code, said = benchmark("merges", tmp_path / "data")
    assert code == 2
    assert said == f"the folder {tmp_path / 'data'} is missing; benchmarks/DATA.md tells where it comes from\n"


def test_a_cold_start_of_what_is_not_built_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.built.ROOT", tmp_path)
    monkeypatch.setattr(cold_start, "ROOT", tmp_path)
    monkeypatch.setattr(cold_start, "PYTHON", tmp_path / "python")
    with pytest.raises(SystemExit, match=r"SearchFunction.*run make built"):
        cold_start.measure(argparse.Namespace())


def benchmark(name: str, data: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", f"benchmarks.{name}", "--data", str(data)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stderr

"""What a newcomer meets at `make bench` and `make cloud`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.cloud_functions import ports as ports
from tests.integration.lambda_calls import Context, handler

pytestmark = pytest.mark.integration

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


@pytest.mark.usefixtures("ports")
def test_each_call_has_metrics_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where they are off, as in `make cloud`, the shared ones warned at the second call; a warning fails a test."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    handler("search")({"tool": "search_memory", "arguments": {"query": "tea"}}, Context())
    handler("store")({"tool": "store_memory", "arguments": {"content": "I drink tea."}}, Context())
    assert "_aws" not in capsys.readouterr().out


def benchmark(name: str, data: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", f"benchmarks.{name}", "--data", str(data)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stderr

"""What a newcomer meets at `make`: every verb told in a line, and calls of `make cloud` that warn of nothing."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.integration.cloud_functions import ports as ports
from tests.integration.lambda_calls import Context, handler

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_every_verb_is_told_in_a_line() -> None:
    said = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    (listed,) = (line for line in (ROOT / "Makefile").read_text("utf-8").splitlines() if line.startswith(".PHONY:"))
    assert [line.split()[0] for line in said] == listed.split()[1:]
    assert all(len(line.split()) > 1 for line in said)


@pytest.mark.usefixtures("ports")
def test_each_call_has_metrics_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where they are off, as in `make cloud`, the shared ones warned at the second call; a warning fails a test."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    handler("search")({"tool": "search_memory", "arguments": {"query": "tea"}}, Context())
    handler("store")({"tool": "store_memory", "arguments": {"content": "I drink tea."}}, Context())
    assert "_aws" not in capsys.readouterr().out

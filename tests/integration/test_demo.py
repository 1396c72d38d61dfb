"""The demo as a person runs it: it reads, stores, asks all its questions, finds each answer, and ends well."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

DEMO = Path(__file__).parents[2] / "demo" / "demo.py"


def test_the_demo_answers_its_questions_to_the_end() -> None:
    done = subprocess.run([sys.executable, DEMO], capture_output=True, text=True, timeout=110, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    asked = done.stdout.split("questions, asked on")[1]
    assert [f"\n{number:2} " in asked for number in range(1, 11)] == [True] * 10
    assert "is in no byte of the file" in asked

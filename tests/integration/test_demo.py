"""The demo as a person runs it: it reads, stores, asks all its questions, finds each answer, and ends well."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from wcwidth import width

from commonplace import Commonplace
from commonplace.extraction.worthiness import only_greets

pytestmark = pytest.mark.integration

DEMO = Path(__file__).parents[2] / "demo" / "demo.py"


MOST_LINES, COLUMNS = 60, 80


def test_the_demo_answers_its_questions_to_the_end_in_sixty_lines_and_keeps_no_greeting(tmp_path: Path) -> None:
    kept = tmp_path / "memory.db"
    done = subprocess.run(
        [sys.executable, DEMO, "--db", kept],
        capture_output=True, text=True, timeout=110, check=False, env={**os.environ, "COLUMNS": str(COLUMNS)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    asked = done.stdout.split("questions on")[1]
    assert [f"\n{number:2} " in asked for number in range(1, 11)] == [True] * 10
    assert "is in no byte of the file" in asked
    assert sum(max(1, math.ceil(width(line) / COLUMNS)) for line in done.stdout.splitlines()) <= MOST_LINES
    with Commonplace(kept, user_id="marta") as memory:
        texts = [record["raw_text"] for record in memory.export()]
    assert len(texts) > 40
    assert [text for text in texts if only_greets(text) or "talking to you" in text] == []

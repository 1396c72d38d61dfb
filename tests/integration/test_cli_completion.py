"""Completion by the shell, as the tour sets it up, asked of bash itself."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.integration.command_line import COMMAND, clean

pytestmark = [pytest.mark.integration, pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")]

TOUR = (Path(__file__).parents[2] / "docs" / "tour.md").read_text("utf-8")
ASKED = """
{setup}
COMP_WORDS=({words}) COMP_CWORD={at}
_commonplace_completion commonplace
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(home: Path, *words: str) -> set[str]:
    """What bash offers for the last of the words."""
    (setup,) = re.findall(r"^    (eval .*COMMONPLACE_COMPLETE=bash_source.*?) +#", TOUR, re.MULTILINE)
    typed = " ".join(f"'{word}'" for word in ("commonplace", *words))
    environment = clean(home)
    environment["PATH"] = f"{Path(COMMAND).parent}:{environment['PATH']}"
    script = ASKED.format(setup=setup, words=typed, at=len(words))
    done = subprocess.run(["bash", "--norc", "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes_verbs_options_and_choices(tmp_path: Path) -> None:
    assert completed(tmp_path, "se") == {"search", "serve"}
    assert completed(tmp_path, "runs", "un") == {"undo"}
    assert {"--limit", "--kind"} <= completed(tmp_path, "search", "--")
    assert "reminder" in completed(tmp_path, "search", "--kind", "")
    assert list(tmp_path.iterdir()) == []  # who only asks makes no memory file

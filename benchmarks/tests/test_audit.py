"""What `make audit` makes of what pip-audit tells: holes, and that it could not be asked."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from benchmarks import audit

PINS = """\
pydantic==2.14.3 \\
    --hash=sha256:00
uvicorn[standard]==0.54.0 ; sys_platform == 'linux' \\
    --hash=sha256:00
"""
HOLE = {"id": "PYSEC-1", "fix_versions": ["2.14.4"]}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(audit, "ROOT", tmp_path)
    file = tmp_path / "requirements.txt"
    file.write_text(PINS, "utf-8")
    return file


def telling(folder: Path, out: str = "", err: str = "", code: int = 0) -> Path:
    """A program in the place of pip-audit that says so."""
    program = folder / "pip-audit"
    program.write_text(f"#!/bin/sh\nprintf %s {shlex.quote(out)}\nprintf %s {shlex.quote(err)} >&2\nexit {code}\n", "utf-8")
    program.chmod(0o700)
    return program


def dependencies(*told: dict[str, Any]) -> str:
    return json.dumps({"dependencies": told, "fixes": []})


def test_a_hole_is_told_with_where_it_is_mended(file: Path) -> None:
    told = dependencies({"name": "pydantic", "version": "2.14.3", "vulns": [HOLE]})
    found = audit.found_in(file, telling(file.parent, told, "Found 1 known vulnerability", 1))
    assert found == audit.Found(2, 0, ["pydantic 2.14.3: PYSEC-1, mended in 2.14.4"])


def test_what_could_not_be_asked_is_counted_and_no_silent_pass(file: Path) -> None:
    told = dependencies(
        {"name": "pydantic", "version": "2.14.3", "vulns": []}, {"name": "uvicorn", "skip_reason": "could not be audited"}
    )
    assert audit.found_in(file, telling(file.parent, told, "No known vulnerabilities found")) == audit.Found(2, 1)


def test_without_a_network_nothing_could_be_asked(file: Path) -> None:
    assert audit.found_in(file, telling(file.parent, "", "requests.exceptions.ConnectionError: ...", 1)) == audit.Found(2, 2)


def test_another_failure_is_none_of_the_network(file: Path) -> None:
    with pytest.raises(RuntimeError, match="invalid requirements input"):
        audit.found_in(file, telling(file.parent, "", "ERROR: invalid requirements input", 1))


@pytest.mark.parametrize(("known", "code"), [([], 0), (["pydantic 2.14.3: PYSEC-1, mended in 2.14.4"], 1)])
def test_it_ends_by_what_is_known_and_says_what_it_could_not_ask(
    file: Path, known: list[str], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "found_in", lambda _: audit.Found(2, 1, known))
    assert audit.main([file]) == code
    out = capsys.readouterr().out
    assert "the advisories could not be asked of 1 of 2 pins" in out
    assert all(line in out for line in known)


def test_every_file_of_pins_is_asked_about() -> None:
    named = {str(path.relative_to(audit.ROOT)) for path in audit.files()}
    assert {"requirements.txt", "requirements-dev.txt", "layers/commonplace/encoders-requirements.txt"} <= named
    assert all("--hash=sha256:" in path.read_text("utf-8") and audit.pins_of(path) for path in audit.files())

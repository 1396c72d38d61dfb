from pathlib import Path

import pytest

from commonplace.manifest import manifest, manifest_text
from tests.integration.command_line import run

pytestmark = pytest.mark.integration


def test_it_is_printed_as_it_is_committed(tmp_path: Path) -> None:
    done = run("manifest", home=tmp_path)
    assert done.out == manifest_text()
    assert done.answer == manifest()


def test_a_file_that_is_up_to_date_passes_in_silence(tmp_path: Path) -> None:
    file = tmp_path / "tool_manifest.json"
    file.write_text(manifest_text(), encoding="utf-8")
    done = run("manifest", "--check", str(file), home=tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_file_that_is_not_fails_and_says_how_to_mend_it(tmp_path: Path) -> None:
    file = tmp_path / "tool_manifest.json"
    file.write_text(manifest_text().replace("memory", "memories", 1), encoding="utf-8")
    done = run("manifest", "--check", str(file), home=tmp_path)
    assert done.code == 2
    assert "commonplace manifest >" in done.err


def test_a_file_that_is_not_there_is_code_2(tmp_path: Path) -> None:
    assert run("manifest", "--check", str(tmp_path / "nowhere.json"), home=tmp_path).code == 2

from pathlib import Path

import pytest

from commonplace.contract import formats
from commonplace.contract.manifest import manifest, manifest_text, rows
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


@pytest.mark.parametrize("name", formats.NAMES)
def test_it_is_printed_for_a_framework(name: str, tmp_path: Path) -> None:
    done = run("manifest", "--for", name, home=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.answer == formats.rendered(name, rows())
    assert run("manifest", "--for", name, "--tier", "core", home=tmp_path).answer == formats.rendered(name, rows("core"))


def test_one_tier_is_printed(tmp_path: Path) -> None:
    done = run("manifest", "--tier", "core", home=tmp_path)
    assert done.answer == manifest("core")
    assert {tool["tier"] for tool in done.answer["tools"]} == {"primary", "core"}


def test_a_framework_that_is_not_known_is_code_2_and_tells_those_that_are(tmp_path: Path) -> None:
    done = run("manifest", "--for", "smoke-signals", home=tmp_path)
    assert done.code == 2
    assert all(name in done.err for name in formats.NAMES)


def test_a_framework_s_file_is_checked_too(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(formats.text("openai", rows("core")), encoding="utf-8")
    assert run("manifest", "--for", "openai", "--tier", "core", "--check", str(file), home=tmp_path).code == 0
    done = run("manifest", "--for", "openai", "--check", str(file), home=tmp_path)
    assert done.code == 2
    assert "commonplace manifest --for openai >" in done.err

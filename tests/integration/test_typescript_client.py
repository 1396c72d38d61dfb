"""The TypeScript client: generated from our OpenAPI, type-checked, and used against the local server by node."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commonplace.interfaces.http.tokens import TokenFile
from tests.integration.http_server import served

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "typescript"
needs_packages = pytest.mark.skipif(not (CLIENT / "node_modules").exists(), reason="make client installs what it needs")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client as JavaScript; whatever the types refuse fails here."""
    folder = CLIENT / "dist"
    done = subprocess.run([CLIENT / "node_modules" / ".bin" / "tsc"], cwd=CLIENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return folder


def talk(built: Path, *arguments: str) -> Any:
    return json.loads(subprocess.run(["node", built / "talk.js", *arguments], check=True, capture_output=True).stdout)


@pytest.mark.slow
@needs_packages
def test_the_generated_file_is_up_to_date() -> None:
    subprocess.run([sys.executable, "-m", "clients.typescript.generate", "--check"], cwd=ROOT, check=True)


@pytest.mark.slow
@needs_packages
def test_it_stores_and_finds_and_is_told_what_is_wrong(built: Path, memory_file: Path) -> None:
    with served(memory_file) as server:
        told = talk(built, f"http://127.0.0.1:{server.port}")
    assert told["found"] == ["My daughter Mia is allergic to peanuts."]
    assert told["stored"].startswith("mem_")
    assert (told["wrong"], told["nothing"]) == ("missing_field", 404)


@pytest.mark.slow
@needs_packages
def test_it_takes_a_token(built: Path, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    token = TokenFile(file).add("laptop", "ana")
    with served(tmp_path / "memory.db", "--tokens", str(file)) as server:
        url = f"http://127.0.0.1:{server.port}"
        assert talk(built, url, token)["found"] == ["My daughter Mia is allergic to peanuts."]
        assert talk(built, url)["wrong"] == "unauthorized"


def test_what_it_needs_is_pinned_by_content_and_names_no_address() -> None:
    package = json.loads((CLIENT / "package.json").read_text("utf-8"))
    named = {**package["dependencies"], **package["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in named.values())
    locked = json.loads((CLIENT / "package-lock.json").read_text("utf-8"))["packages"]
    assert all("integrity" in one and "resolved" not in one for name, one in locked.items() if name)
    assert {
        name.removeprefix("node_modules/"): locked[name]["version"] for name in map("node_modules/{}".format, named)
    } == named

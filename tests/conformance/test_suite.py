"""The protocol's own conformance suite, a release of it for each era, over our server and over one of the suite's own tools."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.conformance.packages import HERE, LOCK, node
from tests.integration.command_line import clean
from tests.integration.http_server import served

pytestmark = pytest.mark.integration

ROOT = HERE.parents[1]
VERSIONS = {"2025-11-25": ("--suite", "all"), "2026-07-28": ("--requirements", "2026-07-28")}
SERVERS = ("serve", "test_server")
Found = dict[str, dict[str, str]]
"""What came of each check of each scenario: the worst, where it was made several times."""
_WORST = ("FAILURE", "WARNING", "SUCCESS")


@contextmanager
def started(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.conformance.suite_server", str(folder / "memory.db")]
    quiet = clean(folder, {"PYTHONWARNINGS": "ignore"})  # that logging is deprecated in the newer version
    process = subprocess.Popen(command, cwd=ROOT, env=quiet, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def found(npm: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Found]:
    """What the suite of each version finds at each server."""
    with (
        served(tmp_path_factory.mktemp("serve") / "memory.db") as ours,
        started(tmp_path_factory.mktemp("test_server")) as other,
    ):
        urls = {"serve": f"http://127.0.0.1:{ours.port}", "test_server": other}
        return {
            (version, server): run(npm, version, f"{url}/mcp", tmp_path_factory.mktemp(f"{version}-{server}"))
            for version in VERSIONS
            for server, url in urls.items()
        }


def run(npm: Path, version: str, url: str, folder: Path) -> Found:
    suite = npm / f"conformance-{version}" / "dist" / "index.js"
    command: list[str | Path] = [node(), suite, "server", "--url", url, *VERSIONS[version], "--output-dir", folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert "=== SUMMARY ===" in done.stdout, done.stdout + done.stderr
    came: Found = {}
    for file in folder.glob("server-*/checks.json"):
        scenario = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[\dZ-]+", file.parent.name)
        assert scenario is not None
        checks = came.setdefault(scenario[1], {})
        for check in json.loads(file.read_text("utf-8")):
            if check["status"] in _WORST:
                checks[check["id"]] = min(checks.get(check["id"], "SUCCESS"), check["status"], key=_WORST.index)
    return came


def wrong(checks: dict[str, str]) -> list[str]:
    return [check for check, status in checks.items() if status != "SUCCESS"]


def for_this(version: str, server: str, came: Found) -> Found:
    """Of our own server only what asks for no tools of the suite's own."""
    others = listed(version)["of_the_suite"] if server == "serve" else []
    return {name: checks for name, checks in came.items() if not any(fnmatch(name, other) for other in others)}


def listed(version: str) -> dict[str, list[str]]:
    """What is expected to fail, by server; and the scenarios of the suite's own tools."""
    table = tomllib.loads((HERE / "expected" / f"{version}.toml").read_text("utf-8"))
    rows = {server: [*table.get("both", ()), *table.get(server, ())] for server in SERVERS}
    assert all(row["why"] for each in rows.values() for row in each)
    failing = {server: [check for row in each for check in row["checks"]] for server, each in rows.items()}
    return {"of_the_suite": table["of_the_suite"], **failing}


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("version", VERSIONS)
def test_what_fails_is_what_is_expected_to(version: str, server: str, found: dict[tuple[str, str], Found]) -> None:
    expected = listed(version)[server]
    failed = {
        name if name in expected else f"{name}:{check}"
        for name, checks in for_this(version, server, found[version, server]).items()
        for check in wrong(checks)
    }
    assert sorted(failed) == sorted(expected)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_scenario_of_a_version_is_run(version: str, found: dict[tuple[str, str], Found]) -> None:
    assert found[version, "serve"].keys() == found[version, "test_server"].keys()
    assert for_this(version, "serve", found[version, "serve"]).keys() < found[version, "serve"].keys()


def test_the_page_counts_them(found: dict[tuple[str, str], Found]) -> None:
    rows = []
    for (version, server), came in found.items():
        kept = for_this(version, server, came)
        failing = sum(bool(wrong(checks)) for checks in kept.values())
        empty = sum(not checks for checks in kept.values())
        title = "`commonplace serve`" if server == "serve" else "the test server"
        rows.append(f"| {version} | {title} | {len(kept)} | {len(kept) - failing - empty} | {failing} | {empty} |")
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    assert re.findall(r"^\| 202\d-.*\|$", page, re.MULTILINE) == rows


@pytest.mark.sample
def test_the_lock_has_no_addresses_and_a_digest_of_each_package() -> None:
    locked = json.loads(LOCK.read_text("utf-8"))
    wanted = json.loads((HERE / "package.json").read_text("utf-8"))["dependencies"]
    assert locked["packages"][""]["dependencies"] == wanted
    packages = [package for place, package in locked["packages"].items() if place]
    assert all(package["integrity"].startswith("sha512-") for package in packages)
    assert not [package for package in packages if "resolved" in package]

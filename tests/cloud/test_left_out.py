"""Tests that need a real server where there is none: left out and said in one line, or a failure where they must run."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TESTS = """
def test_a(opensearch_url): assert opensearch_url == "http://given:1"
def test_b(opensearch_url, dynamodb_url): pass
def test_c(dynamodb_url): pass
def test_d(): pass
"""


ANOTHER = """
from tests.real_servers import left_out
def test_e(): left_out("Node", "there is no Node here")
"""


def session(tmp_path: Path, *, tests: str = TESTS, **environment: str) -> tuple[int, list[str]]:
    """Runs tests where neither Java nor Maven is: exit code, and what was said."""
    (tmp_path / "test_them.py").write_text(tests, "utf-8")
    given = {"PATH": str(tmp_path), "PYTHONPATH": str(ROOT), "COMMONPLACE_CACHE": str(tmp_path), "HOME": str(tmp_path)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.real_servers",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
    ]
    done = subprocess.run(command, cwd=tmp_path, env=given | environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def test_they_are_left_out_and_one_line_says_so_and_what_to_do(tmp_path: Path) -> None:
    code, said = session(tmp_path)
    (line,) = [line for line in said if "left out" in line]
    assert code == 0
    assert line.startswith("3 tests were left out, those with a real DynamoDB and OpenSearch: ")
    assert "there is no Java 17 here" in line
    assert "apt-get install" in line
    assert "OPENSEARCH_URL" in line
    assert "1 passed, 3 skipped" in said[-1]


def test_what_is_left_out_for_another_reason_has_a_line_of_its_own(tmp_path: Path) -> None:
    code, said = session(tmp_path, tests=TESTS + ANOTHER)
    lines = [line for line in said if "left out" in line]
    assert code == 0
    assert [line.split(":")[0] for line in lines] == [
        "3 tests were left out, those with a real DynamoDB and OpenSearch",
        "1 tests were left out, those with a real Node",
    ]
    assert lines[1].endswith("there is no Node here")


@pytest.mark.parametrize("variable", [{"CI": "true"}, {"COMMONPLACE_REQUIRE_SERVERS": "1"}])
def test_where_they_must_run_leaving_them_out_is_a_failure(tmp_path: Path, variable: dict[str, str]) -> None:
    code, said = session(tmp_path, **variable)
    assert code == 1
    assert "1 passed, 3 errors" in said[-1]


def test_servers_that_run_already_are_taken(tmp_path: Path) -> None:
    code, said = session(tmp_path, OPENSEARCH_URL="http://given:1/", DYNAMODB_URL="http://given:2", CI="true")
    assert code == 0
    assert "4 passed" in said[-1]

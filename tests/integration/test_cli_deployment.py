"""`doctor` and `reindex` where nothing can be reached: what to look at, and never a memory file."""

import logging
from pathlib import Path

import pytest

from tests.integration.command_line import run

pytestmark = pytest.mark.integration

NOBODY = "http://127.0.0.1:1"
KEYS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
NO_AWS = {"AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "AWS_EC2_METADATA_DISABLED": "true"}
WRONG = {
    "no table answers": KEYS | {"AWS_ENDPOINT_URL_DYNAMODB": NOBODY},
    "an address that is none": KEYS | {"AWS_ENDPOINT_URL_DYNAMODB": "there"},
    "no credentials": {},
    "no such profile": {"AWS_PROFILE": "nobody"},
    "no such region": KEYS | {"AWS_REGION": "eu west"},
}


@pytest.fixture(autouse=True)
def as_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of the functions in this process leave Lambda's logger behind, which writes to stdout."""
    monkeypatch.setattr(logging.getLogger("commonplace"), "handlers", [])


@pytest.mark.parametrize("environment", WRONG.values(), ids=WRONG)
def test_without_a_table_the_line_tells_what_to_check(tmp_path: Path, environment: dict[str, str]) -> None:
    done = run("doctor", "--table", "t", "--endpoint", NOBODY, home=tmp_path, environment=NO_AWS | environment)
    assert (done.code, done.out) == (4, "")
    assert done.err.count("\n") == 1
    assert "--db" not in done.err
    assert all(name in done.err for name in ("--table", "AWS_REGION", "credentials", "AWS_ENDPOINT_URL_DYNAMODB"))


def test_no_credentials_for_a_domain_is_no_mistake_of_ours(tmp_path: Path) -> None:
    done = run("doctor", "--table", "t", "--endpoint", "https://127.0.0.1:1", home=tmp_path, environment=NO_AWS)
    assert done.code == 4
    assert "credentials" in done.err.lower()


def test_without_an_index_the_line_tells_what_to_check(tmp_path: Path) -> None:
    done = run("reindex", "--table", "t", "--endpoint", NOBODY, home=tmp_path, environment=NO_AWS | KEYS)
    assert (done.code, done.out) == (4, "")
    assert "--db" not in done.err
    assert "--endpoint" in done.err


def test_without_a_name_of_a_table_it_is_the_command_line(tmp_path: Path) -> None:
    done = run("doctor", "--endpoint", NOBODY, home=tmp_path, environment=NO_AWS)
    assert done.code == 2
    assert done.err.endswith('COMMONPLACE_TABLE: is needed here and is not set; see "commonplace doctor --help"\n')

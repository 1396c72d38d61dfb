"""`doctor` and `reindex` of a table: what to look at if nothing can be reached, and never a memory file."""

import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.bootstrap.cloud import open_cloud
from commonplace.ports.values import Caller
from commonplace.settings import Settings
from commonplace.use_cases.dispatch import answer
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


def test_a_table_without_an_index_is_embedded_again_if_it_is_meant(
    table_name: str, dynamodb_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = KEYS | {"AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url, "AWS_REGION": "eu-central-1"}
    for name, value in at.items():
        monkeypatch.setenv(name, value)
    open_, caller = open_cloud(Settings(table=table_name, region="eu-central-1")), Caller("iss|ana", datetime.now(UTC))
    with monkeypatch.context() as before:
        before.setattr(SentenceEncoder, "name", "another-model")
        answer("store_memory", {"content": "I work as a nurse in Leeds"}, caller, open_.ports)
    again = ("reindex", "--json", "--table", table_name)
    refused = run(*again, home=tmp_path, environment=NO_AWS | at)
    assert (refused.code, "COMMONPLACE_SEARCH_ENDPOINT" in refused.err) == (2, True)
    _, told = answer("search_memory", {"query": "nurse in Leeds"}, caller, open_.ports)
    assert "commonplace reindex" in told["notes"]["degraded"]
    done = run(*again, "--move-to-model", home=tmp_path, environment=NO_AWS | at)
    assert (done.code, done.answer) == (0, {"records": 1, "embedded": 1, "refused": {}})
    _, told = answer("search_memory", {"query": "who looks after patients?"}, caller, open_.ports)
    assert ([hit["content"] for hit in told["results"]], "notes" in told) == (["I work as a nurse in Leeds"], False)

"""Memories as a file: what is in it, who may have it made, and how it is fetched, on this machine and on AWS."""

import csv
import hashlib
import json
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from moto import mock_aws

from commonplace import Commonplace, ErrorCode
from commonplace.adapters.s3 import S3StoredFiles, connect
from commonplace.domain.transfer import ExportResult
from commonplace.interfaces.aws import container
from commonplace.ports.bundle import Ports
from commonplace.use_cases import dispatch
from tests.conftest import NOON, refusal
from tests.integration.cloud_functions import ports as ports
from tests.integration.command_line import run
from tests.integration.http_server import served
from tests.integration.lambda_calls import KINDS, Context, called, handler, http, token

pytestmark = pytest.mark.integration

CELLO, TEA = "I play the cello.", "=HYPERLINK is a word that I like, and so is tea."


@pytest.fixture
def lived(memory: Commonplace) -> Commonplace:
    """Two current memories and one that was replaced; another user has some, too."""
    memory.write_memory("home", "The user lives in Lisbon.", "personal_context", "durable")
    memory.update_memory("home", "The user lives in Porto.")
    memory.store_memory(TEA)
    return memory


def lines_of(memory: Commonplace, made: ExportResult) -> list[dict[str, Any]]:
    assert made.export_id is not None
    _, body = memory.export_file(made.export_id)
    form, *lines = body.decode().splitlines()
    assert form == '{"commonplace_export": 1}'
    return [json.loads(line) for line in lines]


def test_a_file_holds_what_is_current_and_tells_its_size_and_its_digest(lived: Commonplace) -> None:
    made = lived.export_memories()
    assert made.export_id is not None
    file, body = lived.export_file(made.export_id)
    assert (made.status, made.count) == ("done", 2)
    assert (made.bytes, made.sha256) == (len(body), hashlib.sha256(body).hexdigest())
    assert made.expires_at == NOON + timedelta(days=1) == file.expires_at
    assert lines_of(lived, made) == [one for one in lived.export() if one["status"] == "active"]


def test_with_history_closed_ones_are_there_and_what_was_done_to_each(lived: Commonplace) -> None:
    records = lines_of(lived, lived.export_memories(include_history=True))
    steps = {one["raw_text"]: [step["operation"] for step in one.pop("history")] for one in records}
    assert steps["The user lives in Lisbon."] == ["store", "supersede"]
    assert records == list(lived.export())


@pytest.mark.parametrize(
    ("filter", "count"),
    [
        ({"category": "personal_context"}, 1), ({"category": "system"}, 0), ({"collection": "other"}, 0),
        ({"after": NOON}, 2), ({"before": NOON}, 0), ({"after": "2026-05-20T12:00:01"}, 0), ({"type": "meta"}, 0),
    ],
)  # fmt: skip
def test_a_filter_lets_these_pass(filter: Any, count: int, lived: Commonplace) -> None:
    assert lived.export_memories(filter=filter).count == count


def test_what_other_users_and_agents_have_is_never_there(lived: Commonplace, open_memory: Callable[..., Commonplace]) -> None:
    other = open_memory(agent_id="coach")
    other.memory_store_personal("I fear dogs.", "The user fears dogs.", "other", ["dogs"], agent_id="coach")
    assert open_memory(user_id="ben").export_memories().count == 0
    assert (lived.export_memories().count, other.export_memories().count) == (2, 3)


def test_as_csv_and_as_pages(lived: Commonplace) -> None:
    made, pages = lived.export_memories("csv"), lived.export_memories("markdown")
    assert made.export_id is not None
    assert pages.export_id is not None
    rows = list(csv.DictReader(lived.export_file(made.export_id)[1].decode().splitlines()))
    assert {row["raw_text"] for row in rows} == {"The user lives in Porto.", f"'{TEA}"}
    text = lived.export_file(pages.export_id)[1].decode()
    assert "- **home**: The user lives in Porto." in text
    assert "Lisbon" not in text


def test_an_export_is_told_again_for_a_day_and_is_nobody_else_s(
    lived: Commonplace, open_memory: Callable[..., Commonplace]
) -> None:
    made = lived.export_memories()
    assert lived.export_memories(run_id=made.run_id) == made
    later = open_memory(now=lambda: NOON + timedelta(days=1))
    for other in (open_memory(user_id="ben"), later):
        assert refusal(partial(other.export_file, str(made.export_id))).code is ErrorCode.NOT_FOUND
    assert refusal(lambda: lived.export_file("../secret")).code is ErrorCode.NOT_FOUND


def test_what_is_erased_is_in_no_file(lived: Commonplace, memory_file: Path) -> None:
    made = lived.export_memories("csv")
    (tea,) = [one["memory_id"] for one in lived.export() if one["raw_text"] == TEA]
    lived.erase(tea)
    assert refusal(lambda: lived.export_file(str(made.export_id))).code is ErrorCode.NOT_FOUND
    lived.export_memories()
    lived.erasure().erase()
    lived.close()
    assert b"HYPERLINK" not in memory_file.read_bytes()
    assert b"Porto" not in memory_file.read_bytes()


def test_a_model_is_told_who_may_and_no_file_is_made(lived: Commonplace) -> None:
    asking = replace(lived._build_caller(), admin=False)
    told = dispatch.call("export_memories", {}, asking, lived._local.ports)
    assert isinstance(told, ExportResult)
    assert (told.status, told.count, told.export_id) == ("needs_review", 2, None)
    assert "commonplace/admin" in str(told.notes)
    files = lived._local.ports.files
    assert files is not None
    assert files.listed("local|ana", "export", NOON) == []


def test_on_the_command_line_into_a_new_file_of_one_s_own(lived: Commonplace, memory_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.csv"
    options = ("export", "--db", str(memory_file), "--user", "ana", "--format", "csv", "-o", str(file))
    assert run(*options, home=tmp_path).code == 0
    assert len(list(csv.DictReader(file.read_text("utf-8").splitlines()))) == 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = run(*options, home=tmp_path)
    assert again.code == 2
    assert "exists already" in again.err
    pages = run("export", "--db", str(memory_file), "--user", "ana", "--format", "markdown", home=tmp_path)
    assert "- **home**: The user lives in Porto." in pages.out


def test_the_local_server_hands_the_file_over(memory_file: Path) -> None:
    with served(memory_file, "--user", "ana") as server:
        server.call("store_memory", content=CELLO)
        made = server.call("export_memories")
        answer = server.ask("GET", f"/exports/{made['export_id']}")
        assert answer.body is not None
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{made["export_id"]}.jsonl"'
        assert server.ask("GET", "/exports/export_1").status == 404


@pytest.fixture
def bucket(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ports]:
    for name, value in {"ACCESS_KEY_ID": "x", "SECRET_ACCESS_KEY": "x", "DEFAULT_REGION": "eu-central-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    with mock_aws():
        client = connect("eu-central-1")
        client.create_bucket(Bucket="pages", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        kept = replace(ports, files=S3StoredFiles(client, "pages"))
        monkeypatch.setattr(container, "ports", lambda: kept)
        yield kept


def test_on_aws_an_admin_is_led_to_the_file_for_a_minute_and_others_are_not(bucket: Ports) -> None:
    (by_admin,) = [kind for kind in KINDS if kind.name == "http-admin"]
    dispatch.call("store_memory", {"content": CELLO}, _caller(bucket), bucket)
    status, made = called(by_admin, "export_memories", {})
    assert (status, made["count"]) == (200, 1)
    path = f"/exports/{made['export_id']}"
    led = handler("transfer")(http(path, method="GET", authorizer=token()), Context())
    assert (led["statusCode"], led["headers"]["Cache-Control"]) == (302, "no-store")
    assert "X-Amz-Expires=60" in led["headers"]["Location"]
    assert handler("transfer")(http(path, method="GET", authorizer=token("ben")), Context())["statusCode"] == 404
    for kind in KINDS:
        _, told = called(kind, "export_memories", {})
        assert ("export_id" in told) == kind.admin


def _caller(ports: Ports) -> Any:
    from commonplace.ports.values import Caller

    assert ports.files is not None
    return Caller(next(kind.user_id for kind in KINDS if kind.name == "http-admin"), NOON)

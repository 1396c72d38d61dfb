"""The functions over the real servers: a store is found at once, and what the stream has missed is indexed by schedule."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from opensearchpy import OpenSearch

from commonplace.bootstrap import maintenance
from commonplace.bootstrap.local import local_clock
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.indexing.rebuild import EmbeddingRenewal, reindex
from commonplace.indexing.stream import project
from commonplace.interfaces.aws import container, index_functions
from commonplace.ports.values import DeadLetter, IndexChange, IndexOutcome
from commonplace.settings import Settings
from tests.integration.lambda_calls import ISSUER, Context, handler, http

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.integration

USER = f"{ISSUER}|ana"


@pytest.fixture
def cloud(
    dynamodb_client: "DynamoDBClient", dynamodb_url: str, opensearch_url: str, table_name: str, new_index: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Settings]:  # fmt: skip
    """The containers as they are in AWS, by settings alone."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_url)
    settings = Settings(table=table_name, search_endpoint=opensearch_url, index_alias=new_index, region="eu-central-1")
    for opened in (container.store, container.projector):
        opened.cache_clear()
    monkeypatch.setattr(container, "settings", lambda: settings)
    yield settings
    for opened in (container.store, container.projector):
        opened.cache_clear()


def called(tool: str, function: str, **arguments: Any) -> Any:
    response = handler(function)(http(f"/tools/{tool}", arguments), Context())
    assert response["statusCode"] == 200, response["body"]
    return json.loads(response["body"])


def indexed(client: OpenSearch, alias: str) -> int:
    client.indices.refresh(index=alias)
    return int(client.count(index=alias)["count"])


def test_what_is_stored_is_found_at_once_and_indexed_by_schedule(
    cloud: Settings, opensearch_client: OpenSearch, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = called("store_memory", "store", content="My daughter Mia is allergic to peanuts.")["memory_id"]
    hits = called("search_memory", "search", query="Is anybody allergic to something?")
    assert [hit["id"] for hit in hits["results"]] == [stored]
    assert "notes" not in hits
    assert indexed(opensearch_client, cloud.index_alias) == 0
    monkeypatch.setattr(index_functions, "_TO_FOLD", timedelta(seconds=-60))
    assert index_functions.reconcile({"id": "schedule-1"}, Context()) == {"folded": 1}  # ten minutes have not passed
    monkeypatch.setattr(index_functions, "_TOO_LONG", timedelta(seconds=-60))
    capsys.readouterr()
    assert index_functions.reconcile({"id": "schedule-2"}, Context()) == {"done": 1, "folded": 0}
    told = next(json.loads(line) for line in capsys.readouterr().out.splitlines() if "_aws" in line)
    assert (told["service"], told["Reconciled"], told["PendingAge"]) == ("reconcile", [1], [0])
    assert indexed(opensearch_client, cloud.index_alias) == 1
    assert maintenance.open_projector(cloud).pending.pending(USER)[0] == []
    again = called("search_memory", "search", query="Is anybody allergic to something?")
    assert [hit["id"] for hit in again["results"]] == [stored]


def test_without_a_domain_the_schedule_folds_and_nothing_waits(cloud: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    called("store_memory", "store", content="My daughter Mia is allergic to peanuts.")  # while there was a domain
    bare = cloud.model_copy(update={"search_endpoint": None})
    monkeypatch.setattr(container, "settings", lambda: bare)
    for opened in (container.store, container.projector):
        opened.cache_clear()
    assert called("search_memory", "search", query="Is anybody allergic to something?")["results"]
    for limit in ("_TO_FOLD", "_TOO_LONG"):
        monkeypatch.setattr(index_functions, limit, timedelta(seconds=-60))
    assert index_functions.reconcile({}, Context()) == {"done": 1, "folded": 1}
    assert maintenance.open_projector(bare).pending.pending(USER)[0] == []


def test_a_schedule_that_finds_the_table_gone_is_an_error(cloud: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = cloud.model_copy(update={"table": "not-there"})
    monkeypatch.setattr(container, "settings", lambda: gone)
    container.projector.cache_clear()
    with pytest.raises(RuntimeError, match="record store"):
        index_functions.reconcile({}, Context())


def test_more_users_than_there_is_time_for_are_left_to_the_next_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    context, folded = Context(milliseconds=60_000), list[str]()

    def fold(user_id: str) -> None:
        folded.append(user_id)
        context.milliseconds -= 20_000

    usage = SimpleNamespace(unfolded=lambda _before: iter(["ana", "ben", "cleo", "dan"]), fold=fold)
    pending = SimpleNamespace(pending_since=lambda _before: iter(()), oldest_pending=lambda: None)
    monkeypatch.setattr(container, "projector", lambda: SimpleNamespace(usage=usage, pending=pending, writer=None))
    assert index_functions.reconcile({}, context) == {"folded": 3}
    assert folded == ["ana", "ben", "cleo"]
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert [("PendingAge" in line, "Folded" in line) for line in told] == [(True, False), (False, True)]


def test_setup_can_be_run_at_every_deploy(cloud: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    from commonplace.interfaces.aws import index_functions

    told: list[Any] = []
    monkeypatch.setattr(index_functions, "_put_body", lambda _url, text: told.append(json.loads(text)))
    event = {"RequestType": "Update", "ResponseURL": "-", "StackId": "s", "RequestId": "r", "LogicalResourceId": "Index"}
    index_functions.setup(event, Context(milliseconds=60_000))
    assert told[0]["Status"] == "SUCCESS", told


def test_no_index_is_asked_before_it_holds_what_was_there(
    cloud: Settings, opensearch_client: OpenSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A domain that came later, or one whose index is gone: an empty index would answer at once, and find nothing old."""

    def searched() -> tuple[list[str], list[str]]:
        found = called("search_memory", "search", query="Is anybody allergic to something?")
        return [hit["id"] for hit in found["results"]], list(found.get("notes", ()))

    upkeep_of, made = maintenance.open_projector(cloud), f"{cloud.index_alias}-v1"
    opensearch_client.indices.delete(index=made)
    assert upkeep_of.set_up()
    assert list(opensearch_client.indices.get_alias(name=cloud.index_alias)) == [made]  # nothing was there
    opensearch_client.indices.delete(index=made)
    with monkeypatch.context() as before:
        before.setattr(container, "settings", lambda: cloud.model_copy(update={"search_endpoint": None}))
        container.store.cache_clear()
        stored = called("store_memory", "store", content="My daughter Mia is allergic to peanuts.")["memory_id"]
    container.store.cache_clear()
    assert not upkeep_of.set_up()
    assert not upkeep_of.set_up()  # the next deploy doesn't make one either
    assert searched() == ([stored], ["degraded"])
    open_ = maintenance.open_maintenance(cloud)
    reindex(
        open_.everything,
        open_.rebuild,
        EmbeddingRenewal(open_.records, open_.embedder, local_clock("UTC")),
        lambda _done: None,
    )
    assert upkeep_of.set_up()
    assert searched() == ([stored], [])


def test_an_empty_index_over_memories_that_are_there_needs_a_reindex(cloud: Settings, opensearch_client: OpenSearch) -> None:
    upkeep_of = maintenance.open_projector(cloud)
    assert upkeep_of.set_up()
    called("store_memory", "store", content="My daughter Mia is allergic to peanuts.")
    assert not upkeep_of.set_up()
    (waiting, _) = upkeep_of.pending.pending(USER)
    project(waiting, upkeep_of.writer, upkeep_of.pending)
    assert indexed(opensearch_client, cloud.index_alias) == 1
    assert upkeep_of.set_up()


def test_a_record_that_is_poison_is_told_of_once(cloud: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    called("store_memory", "store", content="My daughter Mia is allergic to peanuts.")
    opened, letters = maintenance.open_projector(cloud), list[DeadLetter]()

    class Refuses:
        def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
            return [IndexOutcome("failed", "400 mapper_parsing_exception")] * len(changes)

    class Letters:
        broken = True

        def send(self, sent: Sequence[DeadLetter]) -> None:
            if self.broken:
                raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the queue is away")
            letters.extend(sent)

    queue = Letters()
    monkeypatch.setattr(index_functions, "_TOO_LONG", timedelta(seconds=-60))
    with monkeypatch.context() as poisoned:
        poisoned.setattr(container, "projector", lambda: replace(opened, writer=Refuses(), letters=queue))
        index_functions.reconcile({}, Context())
        queue.broken = False
        for _ in range(3):
            assert index_functions.reconcile({}, Context())["failed"] == 1
    assert [letter.reason for letter in letters] == ["400 mapper_parsing_exception"]
    assert called("search_memory", "search", query="Is anybody allergic to something?")["results"]

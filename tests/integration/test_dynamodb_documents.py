"""Documents of a table whose rows go one by one, by their time to live or by an erasure that died; and heavy ones."""

from collections.abc import Iterable
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from commonplace.adapters.dynamodb.calls import Table, key_of
from commonplace.adapters.dynamodb.documents import DynamoDocuments
from commonplace.adapters.dynamodb.table import DOCUMENT, DOCUMENT_VERSION
from commonplace.domain.documents import MOST_BYTES, Document, PassageOf
from tests.conftest import NOON
from tests.contract.changes import ANA
from tests.contract.test_documents import NOTES, put_all, version

pytestmark = [pytest.mark.integration, pytest.mark.dynamodb]

PATH = "memories/notes/a.md"
HEAD = f"{DOCUMENT}{PATH}"
MONTH = NOON + timedelta(days=30)


@pytest.fixture
def documents(dynamodb_table: Table) -> DynamoDocuments:
    return DynamoDocuments(dynamodb_table)


def row(number: int) -> str:
    return f"{DOCUMENT_VERSION}{PATH}#{number:010d}"


def item(table: Table, name: str) -> dict[str, Any] | None:
    found = table.calls().get_item(ANA, name)
    return None if found is None else dict(found)


def expire(table: Table, names: Iterable[str]) -> None:
    """What the time to live does, sooner or later and to each row for itself."""
    table.calls().delete_all([key_of(ANA, name) for name in names])


def gone(number: int) -> Document:
    return version(number, "", deleted=True, purge_at=MONTH)


def test_a_version_that_is_rewritten_still_goes_with_its_document(dynamodb_table: Table, documents: DynamoDocuments) -> None:
    put_all(documents, (version(1), gone(2)))
    for one in documents.versions(ANA, NOTES, "a.md"):
        documents.rewrite(ANA, one.model_copy(update={"body": one.body and "[erased]"}), one)
    assert [one.body for one in documents.versions(ANA, NOTES, "a.md")] == ["", "[erased]"]
    kept = [item(dynamodb_table, name) or {} for name in (HEAD, row(1), row(2))]
    assert [one.get("purge_at") for one in kept] == [{"N": str(int(MONTH.timestamp()))}] * 3


@pytest.mark.parametrize("expired", [(HEAD,), (HEAD, row(3)), (HEAD, row(1)), (row(3),), (row(1), row(3)), (row(1), row(2))])
def test_whichever_row_expires_first_it_stays_deleted_and_can_be_written_anew(
    dynamodb_table: Table, documents: DynamoDocuments, expired: tuple[str, ...]
) -> None:
    put_all(documents, (version(1), version(2), gone(3)))
    expire(dynamodb_table, expired)
    before = documents.get(ANA, NOTES, "a.md")
    assert (before is None) is (HEAD in expired)
    assert before is None or before == gone(3)
    assert documents.versions(ANA, NOTES, "a.md")[:1] == ([] if before is None else [before])
    number = 1 if before is None else 4
    documents.put(ANA, version(number, "new"))
    bodies = [(one.version, one.body) for one in documents.versions(ANA, NOTES, "a.md")]
    assert bodies[0] == (number, "new")
    assert before is not None or bodies == [(1, "new")]
    assert "purge_at" not in (item(dynamodb_table, row(number)) or {})


def test_the_heaviest_document_is_written_and_read(documents: DynamoDocuments) -> None:
    chance = Random(1)
    body = "".join(chr(chance.randrange(33, 127)) for _ in range(MOST_BYTES))
    places = tuple((number * 2, number * 2 + 1) for number in range(15_000))
    told = tuple(
        PassageOf(
            memory_id=f"mem_{chance.randbytes(13).hex()}", digest=chance.randbytes(16).hex(), places=((at * 250, at * 251),)
        )
        for at in range(1_000)
    )
    heaviest = version(1, body, passages=(*told, PassageOf(memory_id="mem_1", digest="d", places=places)))
    documents.put(ANA, heaviest)
    assert documents.get(ANA, NOTES, "a.md") == heaviest
    assert list(documents.listed(ANA)) == [heaviest.head]

"""The documents of the table: a row for the head of each, and one for each version that is kept."""

import json
import math
from collections.abc import Iterator, Sequence
from datetime import datetime

from commonplace.adapters.dynamodb.calls import Calls, key_of, partition_condition
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.long_texts import names_from, packed, unpacked
from commonplace.adapters.dynamodb.table import (
    ABSENT,
    DOCUMENT,
    DOCUMENT_VERSION,
    PRESENT,
    PURGE_AT,
    Action,
    Item,
)
from commonplace.domain.documents import MOST_VERSIONS, Document, DocumentHead, path_of
from commonplace.domain.errors import CommonplaceError, ErrorCode

_HEAD, _BODY, _VERSION = "head", "body", "version"


class DynamoDocuments:
    """The documents of the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def put(self, user_id: str, document: Document) -> None:
        calls = self._table.calls()
        before = document.version - 1
        condition, values = (f"#{_VERSION} = :before", {":before": {"N": str(before)}}) if before else (ABSENT, None)
        own = Action("Put", _head_item(user_id, document), condition, values)
        kept = [Action("Put", _version_item(user_id, document)), *_purging(calls, user_id, document)]
        surplus = key_of(user_id, _version_name(document.path, document.version - MOST_VERSIONS))
        if calls.transact([own, *kept, *([Action("Delete", surplus)] if document.version > MOST_VERSIONS else [])]):
            raise CommonplaceError(ErrorCode.CONFLICT, "the document was changed meanwhile; read it again")

    def get(self, user_id: str, namespace: Sequence[str], key: str) -> Document | None:
        return next(iter(self._versions(user_id, path_of(namespace, key), 1)), None)

    def versions(self, user_id: str, namespace: Sequence[str], key: str) -> list[Document]:
        return self._versions(user_id, path_of(namespace, key), MOST_VERSIONS)

    def listed(self, user_id: str, namespace: Sequence[str] = ()) -> Iterator[DocumentHead]:
        pages = self._table.calls().pages(
            *partition_condition(user_id, f"{DOCUMENT}{path_of(namespace)}"), ConsistentRead=True
        )
        for page in pages:
            yield from (DocumentHead.model_validate_json(item[_HEAD]["S"], extra="ignore") for item in page)

    def rewrite(self, user_id: str, document: Document) -> None:
        calls, head = self._table.calls(), _head_item(user_id, document)
        calls.transact([Action("Put", _version_item(user_id, document), PRESENT)])
        calls.transact([Action("Put", head, f"#{_VERSION} = :own", {":own": {"N": str(document.version)}})])

    def erase(self, user_id: str, namespace: Sequence[str], key: str) -> None:
        calls, path = self._table.calls(), path_of(namespace, key)
        calls.transact([Action("Delete", key_of(user_id, f"{DOCUMENT}{path}"))])  # first: without it there is none
        calls.delete_all(key_of(user_id, name) for name in names_from(calls, user_id, f"{DOCUMENT_VERSION}{path}#"))

    def _versions(self, user_id: str, path: str, most: int) -> list[Document]:
        calls, found = self._table.calls(), list[Document]()
        condition, values = partition_condition(user_id, f"{DOCUMENT_VERSION}{path}#")
        for page in calls.pages(condition, values, ScanIndexForward=False, ConsistentRead=True, Limit=most):
            found += map(_document, page)
            if len(found) >= most:
                break
        return found[:most]


def _purging(calls: Calls, user_id: str, document: Document) -> list[Action]:
    """When the older versions go: with a document that is deleted, and not any more with one that is back."""
    if document.purge_at is None and PURGE_AT not in (calls.one(user_id, f"{DOCUMENT}{document.path}") or {}):
        return []
    names = names_from(calls, user_id, f"{DOCUMENT_VERSION}{document.path}#")
    kept = [name for name in names if name > _version_name(document.path, document.version - MOST_VERSIONS)]
    change, values = (
        (f"REMOVE #{PURGE_AT}", None) if document.purge_at is None else (f"SET #{PURGE_AT} = :at", _purge(document.purge_at))
    )
    return [Action("Update", key_of(user_id, name), change=change, values=values) for name in kept]


def _purge(moment: datetime) -> Item:
    return {":at": {"N": str(math.ceil(moment.timestamp()))}}


def _version_name(path: str, version: int) -> str:
    return f"{DOCUMENT_VERSION}{path}#{max(version, 0):010d}"


def _head_item(user_id: str, document: Document) -> Item:
    item = {_HEAD: {"S": document.model_dump_json(exclude={"body"})}, _VERSION: {"N": str(document.version)}}
    return {**key_of(user_id, f"{DOCUMENT}{document.path}"), **item, **_purge_attribute(document)}


def _version_item(user_id: str, document: Document) -> Item:
    item = {_HEAD: {"S": document.model_dump_json(exclude={"body"})}, _BODY: packed(document.body)}
    return {**key_of(user_id, _version_name(document.path, document.version)), **item, **_purge_attribute(document)}


def _purge_attribute(document: Document) -> Item:
    return {} if document.purge_at is None else {PURGE_AT: _purge(document.purge_at)[":at"]}


def _document(item: Item) -> Document:
    return Document.model_validate({**json.loads(item[_HEAD]["S"]), "body": unpacked(item[_BODY])}, extra="ignore")

"""Stores documents as rows in the table. Each document has one row for its head and one row for each stored version."""

import json
from collections.abc import Iterator, Sequence

from commonplace.adapters.dynamodb.calls import Calls, TableAdapter, key_of, partition_condition
from commonplace.adapters.dynamodb.long_texts import names_from, packed, unpacked
from commonplace.adapters.dynamodb.rows import purge_at
from commonplace.adapters.dynamodb.table import ABSENT, DOCUMENT, DOCUMENT_VERSION, PRESENT, PURGE_AT, Action, Item
from commonplace.domain.batching import in_batches
from commonplace.domain.documents import MOST_VERSIONS, Document, DocumentHead, path_of
from commonplace.domain.errors import CommonplaceError, ErrorCode

_HEAD, _BODY, _VERSION = "head", "body", "version"
_CLEAR_BATCH = 10  # versions per transaction, which is limited to 4 MB


class DynamoDocuments(TableAdapter):
    def put(self, user_id: str, document: Document) -> None:
        """Write a version and delete the oldest surplus one. Raises `CONFLICT` unless the stored version is one lower."""
        calls = self._table.calls()
        before = document.version - 1
        condition, values = (f"#{_VERSION} = :before", {":before": {"N": str(before)}}) if before else (ABSENT, None)
        if not before:
            _delete_remaining_rows(calls, user_id, document.path)
        own = Action("Put", _build_head_item(user_id, document), condition, values)
        rows = [Action("Put", _build_version_item(user_id, document)), *_build_expiry_actions(calls, user_id, document)]
        surplus = key_of(user_id, _build_version_name(document.path, document.version - MOST_VERSIONS))
        if calls.transact([own, *rows, *([Action("Delete", surplus)] if document.version > MOST_VERSIONS else [])]):
            raise CommonplaceError(ErrorCode.CONFLICT, "the document was changed meanwhile; read it again")

    def get(self, user_id: str, namespace: Sequence[str], key: str) -> Document | None:
        """Return the newest version, which may be a deletion marker, or None."""
        calls, path = self._table.calls(), path_of(namespace, key)
        head = _load_head(calls, user_id, path)
        if head is None or head.deleted:
            return _build_deletion_marker(head)
        item = calls.get_item(user_id, _build_version_name(path, head.version))
        return None if item is None else _parse_document(item)

    def versions(self, user_id: str, namespace: Sequence[str], key: str) -> list[Document]:
        calls, path = self._table.calls(), path_of(namespace, key)
        head = _load_head(calls, user_id, path)
        if head is None:  # any remaining rows are being deleted
            return []
        condition, values = partition_condition(user_id, f"{DOCUMENT_VERSION}{path}#")
        rows = calls.rows(condition, values, ScanIndexForward=False, ConsistentRead=True)
        documents = [_parse_document(row) for row in rows]
        newest = _build_deletion_marker(head)
        if newest is not None and [document.version for document in documents[:1]] != [newest.version]:
            documents.insert(0, newest)
        return documents[:MOST_VERSIONS]

    def listed(self, user_id: str, namespace: Sequence[str] = ()) -> Iterator[DocumentHead]:
        condition = partition_condition(user_id, f"{DOCUMENT}{path_of(namespace)}")
        yield from map(_parse_head, self._table.calls().rows(*condition, ConsistentRead=True))

    def rewrite(self, user_id: str, document: Document, before: Document) -> bool:
        """Replace a stored version's text. Returns False if that text differs from `before`, but True if it is missing."""
        calls, name = self._table.calls(), _build_version_name(document.path, document.version)
        newest, item = _load_head(calls, user_id, document.path), calls.get_item(user_id, name)
        if item is None or not _parse_document(item).has_text_of(before):
            return item is None
        head, as_read = {":head": _compress_head(document)}, {":read_head": item[_HEAD], ":read_body": item[_BODY]}
        condition, change = f"#{_HEAD} = :read_head AND #{_BODY} = :read_body", f"SET #{_HEAD} = :head, #{_BODY} = :body"
        values = {**head, ":body": packed(document.body), **as_read}
        actions = [Action("Update", key_of(user_id, name), condition, values, change)]
        if newest is not None and newest.version == document.version:
            condition, values = f"#{_VERSION} = :own", {**head, ":own": {"N": str(document.version)}}
            own = key_of(user_id, f"{DOCUMENT}{document.path}")
            actions.append(Action("Update", own, condition, values, f"SET #{_HEAD} = :head"))
        return not calls.transact(actions)

    def erase(self, user_id: str, namespace: Sequence[str], key: str) -> None:
        calls, path = self._table.calls(), path_of(namespace, key)
        calls.transact([Action("Delete", key_of(user_id, f"{DOCUMENT}{path}"))])
        calls.delete_all(key_of(user_id, name) for name in names_from(calls, user_id, f"{DOCUMENT_VERSION}{path}#"))


def _delete_remaining_rows(calls: Calls, user_id: str, path: str) -> None:
    """Delete rows of an earlier document that are left because rows expire separately or because an erasure crashed."""
    absent = Action("ConditionCheck", key_of(user_id, f"{DOCUMENT}{path}"), ABSENT)
    for names in in_batches(names_from(calls, user_id, f"{DOCUMENT_VERSION}{path}#"), _CLEAR_BATCH):
        calls.transact([absent, *(Action("Delete", key_of(user_id, name)) for name in names)])


def _build_expiry_actions(calls: Calls, user_id: str, document: Document) -> list[Action]:
    """Return updates that make the older versions of a deleted document expire, or keep those of a restored document."""
    if document.purge_at is None and PURGE_AT not in (calls.get_item(user_id, f"{DOCUMENT}{document.path}") or {}):
        return []
    names = names_from(calls, user_id, f"{DOCUMENT_VERSION}{document.path}#")
    expired = [name for name in names if name > _build_version_name(document.path, document.version - MOST_VERSIONS)]
    purge = purge_at(document)
    change = f"SET #{PURGE_AT} = :at" if purge else f"REMOVE #{PURGE_AT}"
    values = {":at": purge[PURGE_AT]} if purge else None
    return [Action("Update", key_of(user_id, name), PRESENT, values, change) for name in expired]


def _build_version_name(path: str, version: int) -> str:
    return f"{DOCUMENT_VERSION}{path}#{max(version, 0):010d}"


def _build_head_item(user_id: str, document: Document) -> Item:
    item = {_HEAD: _compress_head(document), _VERSION: {"N": str(document.version)}}
    return {**key_of(user_id, f"{DOCUMENT}{document.path}"), **item, **purge_at(document)}


def _build_version_item(user_id: str, document: Document) -> Item:
    item = {_HEAD: _compress_head(document), _BODY: packed(document.body), **purge_at(document)}
    return {**key_of(user_id, _build_version_name(document.path, document.version)), **item}


def _compress_head(document: Document) -> Item:
    """Return a document's compressed head. Uncompressed, a head with a thousand passages would not fit into an item."""
    return packed(document.model_dump_json(exclude={"body"}))


def _load_head(calls: Calls, user_id: str, path: str) -> DocumentHead | None:
    item = calls.get_item(user_id, f"{DOCUMENT}{path}")
    return None if item is None else _parse_head(item)


def _parse_head(item: Item) -> DocumentHead:
    return DocumentHead.model_validate_json(unpacked(item[_HEAD]), extra="ignore")


def _build_deletion_marker(head: DocumentHead | None) -> Document | None:
    """Return the marker for a deleted document, or None. The body is empty, because the row that held it may have expired."""
    return Document(**dict(head), body="") if head is not None and head.deleted else None


def _parse_document(item: Item) -> Document:
    return Document.model_validate({**json.loads(unpacked(item[_HEAD])), "body": unpacked(item[_BODY])}, extra="ignore")

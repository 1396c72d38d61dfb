"""Write, read and undo documents. The passages of a document are searchable like memories."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from pydantic_core import PydanticCustomError

from commonplace.contract.validate import redaction_under_key
from commonplace.domain.documents import MOST_BYTES, Document, DocumentHead, Form, check_place
from commonplace.domain.errors import CommonplaceError, ErrorCode, list_of, of_type
from commonplace.domain.fields import printable
from commonplace.domain.memory import DOCUMENTS
from commonplace.domain.strict_json import read_object
from commonplace.memories.documents import changed_meanwhile, close_former, derived, settle
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Filter
from commonplace.retrieval.engine import find
from commonplace.text.redaction import redact

_DEEPEST = 100
_MOST_OF_PATH = 200
"""How many characters of a value's path are checked for secrets. A longer path is cut off at the start."""
_ATTEMPTS, _MOST_HITS = 20, 200


@dataclass(frozen=True)
class Writing:
    """A text to write. `fields` are the searchable JSON paths, or None for all. `version` is the expected one, 0 if new."""

    namespace: tuple[str, ...]
    key: str
    body: str
    form: Form = "text"
    fields: tuple[str, ...] | None = None
    version: int | None = None


def write_document(writing: Writing, caller: Caller, ports: Ports) -> Document:
    """Write the next version, without secrets. Raises `CONFLICT` if `writing.version` is set and isn't the stored version."""
    _refuse_secret_names(writing)
    body, kinds = clean_body(writing.body, writing.form)
    for attempt in range(_ATTEMPTS):
        before = ports.documents.get(caller.user_id, writing.namespace, writing.key)
        if writing.version not in (None, 0 if before is None or before.deleted else before.version):
            raise changed_meanwhile()
        document = _build_next(
            writing.namespace, writing.key, before, caller, body=body, size=len(body.encode()), form=writing.form
        )
        document = document.model_copy(update={"fields": writing.fields, "redacted": kinds})
        former = before
        if before is not None and before.deleted:  # so that erasing a passage also erases its former text
            versions = ports.documents.versions(caller.user_id, writing.namespace, writing.key)
            former = next((version for version in versions if not version.deleted), None)
        document, entries = derived(document, former, caller, ports)
        try:
            ports.documents.put(caller.user_id, document)
        except CommonplaceError as error:
            if error.code is not ErrorCode.CONFLICT or writing.version is not None or attempt == _ATTEMPTS - 1:
                raise
            continue
        return settle(document, entries, caller, ports)
    raise AssertionError("each attempt ends in an answer or an error")


def read_document(namespace: Sequence[str], key: str, caller: Caller, ports: Ports, version: int | None = None) -> Document:
    """Return a document, or one of its stored versions. Raises `NOT_FOUND` if it is missing or deleted."""
    check_place(namespace, key)
    if version is None:
        document = ports.documents.get(caller.user_id, namespace, key)
    else:
        documents = ports.documents.versions(caller.user_id, namespace, key)
        document = next((stored for stored in documents if stored.version == version), None)
    if document is None or document.deleted:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "key: there is no such document, or no such version of it", "key")
    return document


def list_documents(namespace: Sequence[str], caller: Caller, ports: Ports) -> list[DocumentHead]:
    """Return the documents in a namespace and below it, ordered by path."""
    names = [of_type(str, name, "namespace") for name in list_of(namespace, "namespace")]
    return [head for head in ports.documents.listed(caller.user_id, names) if not head.deleted]


def score_documents(query: str, namespace: Sequence[str], caller: Caller, ports: Ports) -> dict[str, float]:
    """Map the paths of matching documents to scores. A document gets the score of its best passage in the top 200 hits."""
    heads = list_documents(namespace, caller, ports)
    of_type(str, query, "query")
    paths = {passage.memory_id: head.path for head in heads for passage in head.passages}
    result = find(query, caller, ports, Filter(collection=DOCUMENTS), _MOST_HITS, 0.0)
    scores: dict[str, float] = {}
    for memory, relevance in zip(result.memories, result.relevance, strict=True):
        if memory.memory_id in paths:
            path = paths[memory.memory_id]
            scores[path] = max(relevance, scores.get(path, 0.0))
    return scores


def delete_document(namespace: Sequence[str], key: str, caller: Caller, ports: Ports, version: int | None = None) -> Document:
    """Delete a document and close its memories. The document can be restored for 30 days."""
    try:
        before = read_document(namespace, key, caller, ports)
    except CommonplaceError as error:
        if error.code is ErrorCode.NOT_FOUND:  # an earlier deletion may have failed before it closed the memories
            close_former(namespace, key, caller, ports)
        raise
    if version not in (None, before.version):
        raise changed_meanwhile()
    at = caller.now + PURGE_DELAY
    gone = _build_next(tuple(namespace), key, before, caller, body="", size=0, deleted=True, purge_at=at)
    ports.documents.put(caller.user_id, gone)
    close_former(namespace, key, caller, ports)
    return gone


def undo_document(namespace: Sequence[str], key: str, caller: Caller, ports: Ports, version: int | None = None) -> Document:
    """Write an older version as a new one, or delete a document's first version. Raises `NOT_FOUND` for a missing version."""
    check_place(namespace, key)
    versions = ports.documents.versions(caller.user_id, namespace, key)
    newest, older = next(iter(versions), None), versions[1:]
    wanted = next((item for item in older if item.version == version), None) if version else next(iter(older), None)
    if newest is None or (wanted is None and (version is not None or newest.version > 1)):
        raise CommonplaceError(ErrorCode.NOT_FOUND, "key: there is no such version of this document any more", "key")
    if wanted is None or wanted.deleted:
        return newest if newest.deleted else delete_document(namespace, key, caller, ports, newest.version)
    current = 0 if newest.deleted else newest.version
    return write_document(Writing(tuple(namespace), key, wanted.body, wanted.form, wanted.fields, current), caller, ports)


def _build_next(namespace: tuple[str, ...], key: str, before: DocumentHead | None, caller: Caller, **fields: Any) -> Document:
    """Return the next version of a document. After a deletion, the version numbers continue, but `created_at` is reset."""
    return Document(
        namespace=namespace,
        key=key,
        version=before.version + 1 if before else 1,
        created_at=caller.now if before is None or before.deleted else before.created_at,
        updated_at=caller.now,
        **fields,
    )


def _refuse_secret_names(writing: Writing) -> None:
    check_place(writing.namespace, writing.key)
    for name in (*writing.namespace, writing.key):
        if redact(name).kinds:
            why = "namespace and key: must not contain a secret: secrets are never stored"
            raise CommonplaceError(ErrorCode.SECRET_ONLY, why, "key")


def clean_body(body: str, form: Form) -> tuple[str, tuple[str, ...]]:
    """Return the body without secrets, and the kinds of secrets removed. Errors never quote the body."""
    _check_printable(body)
    _check_size(body)
    if form == "text":
        redaction = redact(body)
        clean, kinds = redaction.text, list(redaction.kinds)
    else:
        kinds = []
        try:
            parsed = read_object(body)
        except CommonplaceError as error:
            _refuse(error.code, error.message)
        clean = json.dumps(_redact_value(parsed, "", kinds, 0), ensure_ascii=False)
    _check_size(clean)
    return clean, tuple(dict.fromkeys(kinds))


def _redact_value(value: Any, path: str, kinds: list[str], depth: int) -> Any:
    """Redact the value and all values nested in it. `path` lists the names that lead to the value, outermost first."""
    if depth > _DEEPEST:
        _refuse(ErrorCode.INVALID_JSON, f"is nested deeper than {_DEEPEST} levels")
    if isinstance(value, dict):
        return {
            _redact_value(name, "", kinds, depth): _redact_value(inner, f"{path} {name}"[-_MOST_OF_PATH:], kinds, depth + 1)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_redact_value(inner, path, kinds, depth + 1) for inner in value]
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return value
    _check_printable(str(value))
    redaction = redaction_under_key(str(value), path) if path else redact(str(value))
    kinds += redaction.kinds
    return redaction.text if redaction.kinds else value


def _check_printable(text: str) -> None:
    try:
        printable(text)
    except PydanticCustomError as error:
        _refuse(ErrorCode.INVALID_ARGUMENT, str(error))


def _check_size(body: str) -> None:
    if len(body.encode()) > MOST_BYTES:
        _refuse(ErrorCode.TEXT_TOO_LONG, f"must have {MOST_BYTES // 1024} KB at the most")


def _refuse(code: ErrorCode, why: str) -> NoReturn:
    raise CommonplaceError(code, f"body: {why}", "body") from None

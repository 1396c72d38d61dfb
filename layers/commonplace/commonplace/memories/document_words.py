"""Takes the words of forgotten memories out of the documents that these were derived from."""

from collections.abc import Collection, Iterable
from datetime import datetime

from commonplace.domain.documents import Document, DocumentHead
from commonplace.domain.memory import Memory
from commonplace.memories.passages import without_passages
from commonplace.ports.documents import Documents


def forget_in_documents(memories: Iterable[Memory], user_id: str, now: datetime, documents: Documents) -> None:
    """Cuts out of documents, and of all their versions, the passages of which memories are forgotten. Safe to repeat.

    A next version is written first, so that nobody who read the one before it writes its words again.
    """
    forgotten: dict[str, set[str]] = {}
    for one in memories:
        if one.is_passage and one.session_id is not None:
            forgotten.setdefault(one.session_id, set()).add(one.memory_id)
    heads = documents.listed(user_id) if forgotten else ()
    for head in [one for one in heads if one.reference in forgotten]:
        _forget(head, forgotten[head.reference], user_id, now, documents)


def _forget(head: DocumentHead, memory_ids: Collection[str], user_id: str, now: datetime, documents: Documents) -> None:
    newest = documents.get(user_id, head.namespace, head.key)
    if newest is not None and _digests(newest, memory_ids):
        following = {"version": newest.version + 1, "updated_at": now}
        documents.put(user_id, _without(newest, memory_ids).model_copy(update=following))
    for version in documents.versions(user_id, head.namespace, head.key):
        if _digests(version, memory_ids):
            documents.rewrite(user_id, _without(version, memory_ids))


def _digests(document: Document, memory_ids: Collection[str]) -> list[str]:
    return [one.digest for one in document.passages if one.memory_id in memory_ids]


def _without(document: Document, memory_ids: Collection[str]) -> Document:
    body = without_passages(document, _digests(document, memory_ids))
    left = tuple(one for one in document.passages if one.memory_id not in memory_ids)
    return document.model_copy(update={"body": body, "size": len(body.encode()), "passages": left})

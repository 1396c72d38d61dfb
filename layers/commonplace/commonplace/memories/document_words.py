"""Takes the words of forgotten memories out of the documents that these were derived from."""

from collections.abc import Collection, Iterable
from datetime import datetime

from commonplace.domain.documents import DocumentHead
from commonplace.domain.memory import Memory
from commonplace.memories.passages import without_passages
from commonplace.ports.documents import Documents


def forget_in_documents(
    forgotten: Collection[str], found: Iterable[Memory], user_id: str, now: datetime, documents: Documents
) -> None:
    """Cuts out of documents, and of all their versions, the passages of which memories are forgotten. Safe to repeat.

    `found`: the records that there are of the forgotten ids. Where one has none, or none that can be read, any document may
    have its words, and all are read. A next version is written first, so that nobody who read the one before it writes
    its words again.
    """
    known = {one.memory_id: one.session_id if one.is_passage else None for one in found}
    is_anywhere = not known.keys() >= set(forgotten)
    references = set(known.values()) - {None}
    heads = list(documents.listed(user_id)) if is_anywhere or references else []
    for head in heads:
        if is_anywhere or head.reference in references:
            _forget(head, forgotten, user_id, now, documents)


def _forget(head: DocumentHead, forgotten: Collection[str], user_id: str, now: datetime, documents: Documents) -> None:
    versions = documents.versions(user_id, head.namespace, head.key)
    told = [one for version in versions for one in version.passages]
    digests = {one.digest for one in told if one.memory_id in forgotten}
    # The same words may have been another memory's, in a version before they were taken out and put in again.
    memory_ids = {one.memory_id for one in told if one.digest in digests}
    if versions and _tells(versions[0], memory_ids):
        following = {"version": versions[0].version + 1, "updated_at": now}
        documents.put(user_id, without_passages(versions[0], memory_ids).model_copy(update=following))
    for version in versions:
        if _tells(version, memory_ids):
            documents.rewrite(user_id, without_passages(version, memory_ids))


def _tells(head: DocumentHead, memory_ids: Collection[str]) -> bool:
    return any(one.memory_id in memory_ids for one in head.passages)

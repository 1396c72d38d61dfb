"""Provides the document methods of `Commonplace`. A document is a whole text under a namespace and a key."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from commonplace.domain.documents import Document, DocumentHead, Form, check_place
from commonplace.domain.errors import invalid, list_of, of_type

if TYPE_CHECKING:
    from commonplace.domain.interactions import Erased
    from commonplace.nightly.user_erasure import ErasableUser
    from commonplace.ports.bundle import Ports
    from commonplace.ports.values import Caller


@dataclass(frozen=True)
class Documents:
    """A user's documents. Each has a namespace (list of texts) and a key. Most methods raise `NOT_FOUND` for unknown keys."""

    _caller: "Callable[[], Caller]"
    _ports: "Callable[[], Ports]"
    _erasure: "Callable[[], ErasableUser]"

    def write(
        self, namespace: Sequence[str], key: str, body: str, *, version: int | None = None, form: Form = "text",
        fields: Sequence[str] | None = None,
    ) -> Document:  # fmt: skip
        """Write a document of at most 256 KB. In the result, `redacted` lists the kinds of secrets that were removed.

        `version` is the version that you read, or 0 for a new document. Raises `CONFLICT` if that version is outdated. If
        `form="json"`, the body is a JSON object. `fields` lists the paths of its searchable texts, or is `()` for none.
        """
        from commonplace.use_cases.documents import Writing, write_document

        paths = None if fields is None else tuple(of_type(str, field, "fields") for field in list_of(fields, "fields"))
        if form not in get_args(Form):
            raise invalid("form", f"must be {' or '.join(get_args(Form))}")
        writing = Writing(tuple(list_of(namespace, "namespace")), key, of_type(str, body, "body"), form, paths, version)
        return write_document(writing, self._caller(), self._ports())

    def read(self, namespace: Sequence[str], key: str, *, version: int | None = None) -> Document:
        """Return the current version of a document, or an older `version`."""
        from commonplace.use_cases.documents import read_document

        return read_document(namespace, key, self._caller(), self._ports(), version)

    def listed(self, namespace: Sequence[str] = ()) -> list[DocumentHead]:
        """Return the documents in a namespace and below it, without their bodies."""
        from commonplace.use_cases.documents import list_documents

        return list_documents(namespace, self._caller(), self._ports())

    def scores(self, query: str, namespace: Sequence[str] = ()) -> dict[str, float]:
        """Return the scores (0 to 1) of the documents that match a query, by path. Only the best 200 passages count."""
        from commonplace.use_cases.documents import score_documents

        return score_documents(query, namespace, self._caller(), self._ports())

    def versions(self, namespace: Sequence[str], key: str) -> list[Document]:
        """Return the newest 20 versions, newest first, including recorded deletions. The list is empty for an unknown key."""
        check_place(namespace, key)
        return self._ports().documents.versions(self._caller().user_id, namespace, key)

    def delete(self, namespace: Sequence[str], key: str, *, version: int | None = None) -> Document:
        """Delete a document. `undo` can restore the document for 30 days."""
        from commonplace.use_cases.documents import delete_document

        return delete_document(namespace, key, self._caller(), self._ports(), version)

    def undo(self, namespace: Sequence[str], key: str, *, version: int | None = None) -> Document:
        """Restore the text of a version as a new version. By default, restore the version before the newest."""
        from commonplace.use_cases.documents import undo_document

        return undo_document(namespace, key, self._caller(), self._ports(), version)

    def erase(self, namespace: Sequence[str], key: str) -> "Erased":
        """Permanently erase all versions of a document, and all memories derived from them."""
        return self._erasure().erase_document(namespace, key)

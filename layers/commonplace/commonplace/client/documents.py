"""What `Commonplace` can do with documents: whole texts under a namespace and a key."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from commonplace.domain.documents import Document, DocumentHead, Form, check_place
from commonplace.domain.errors import CommonplaceError, ErrorCode, list_of, of_type

if TYPE_CHECKING:
    from commonplace.domain.interactions import Erased
    from commonplace.nightly.user_erasure import ErasableUser
    from commonplace.ports.bundle import Ports
    from commonplace.ports.values import Caller


@dataclass(frozen=True)
class Documents:
    """A user's documents. Each is named by a namespace, some texts, and a key; `NOT_FOUND` where there is none."""

    _caller: "Callable[[], Caller]"
    _ports: "Callable[[], Ports]"
    _leaving: "Callable[[], ErasableUser]"

    def write(
        self, namespace: Sequence[str], key: str, body: str, *, version: int | None = None, form: Form = "text",
        fields: Sequence[str] | None = None,
    ) -> Document:  # fmt: skip
        """Writes a body of at most 256 KB; `redacted` of the answer tells which secrets were taken out of it.

        `version`: the one that was read, 0 where there was none: `CONFLICT` where another is there by now. `form="json"`:
        the body is a JSON object; `fields`: the paths in it whose texts are found by searches, `()` for none.
        """
        from commonplace.use_cases.documents import Writing, write_document

        paths = None if fields is None else tuple(of_type(str, one, "fields") for one in list_of(fields, "fields"))
        if form not in get_args(Form):
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"form: must be {' or '.join(get_args(Form))}", "form")
        given = Writing(tuple(list_of(namespace, "namespace")), key, of_type(str, body, "body"), form, paths, version)
        return write_document(given, self._caller(), self._ports())

    def read(self, namespace: Sequence[str], key: str, *, version: int | None = None) -> Document:
        """A document as it is, or one of its versions."""
        from commonplace.use_cases.documents import read_document

        return read_document(namespace, key, self._caller(), self._ports(), version)

    def listed(self, namespace: Sequence[str] = ()) -> list[DocumentHead]:
        """The documents in a namespace and in those below it, without their bodies."""
        from commonplace.use_cases.documents import list_documents

        return list_documents(namespace, self._caller(), self._ports())

    def scores(self, query: str, namespace: Sequence[str] = ()) -> dict[str, float]:
        """How well documents there match a query, 0 to 1, by path: each by its best passage, of the best 200 of all."""
        from commonplace.use_cases.documents import score_documents

        return score_documents(query, namespace, self._caller(), self._ports())

    def versions(self, namespace: Sequence[str], key: str) -> list[Document]:
        """The newest 20 versions, newest first, and those that say that it was deleted."""
        check_place(namespace, key)
        return self._ports().documents.versions(self._caller().user_id, namespace, key)

    def delete(self, namespace: Sequence[str], key: str, *, version: int | None = None) -> Document:
        """Deletes a document; `undo` brings it back for 30 days."""
        from commonplace.use_cases.documents import delete_document

        return delete_document(namespace, key, self._caller(), self._ports(), version)

    def undo(self, namespace: Sequence[str], key: str, *, version: int | None = None) -> Document:
        """Brings back what the version before the newest said, or the one that is named, as a new version."""
        from commonplace.use_cases.documents import undo_document

        return undo_document(namespace, key, self._caller(), self._ports(), version)

    def erase(self, namespace: Sequence[str], key: str) -> "Erased":
        """Erases a document for good, with all its versions and all memories that were derived from any of them."""
        return self._leaving().erase_document(namespace, key)

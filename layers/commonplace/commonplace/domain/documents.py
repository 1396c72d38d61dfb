"""Versioned documents, which are stored under a namespace and a key, separately from memories."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from commonplace.domain.errors import CommonplaceError, ErrorCode, list_of, refuse_half_characters
from commonplace.domain.fields import FrozenPart

MOST_BYTES = 256 * 1024
"""The maximum size of a document's body, in bytes of UTF-8."""
MOST_VERSIONS = 20
"""How many versions of each document are kept. Older versions are deleted."""
_MOST_PATH_BYTES = 900  # DynamoDB allows 1,024 in a sort key
_ESCAPES = str.maketrans({"%": "%25", "/": "%2F", "#": "%23"})

Form = Literal["text", "json"]


class PassageOf(FrozenPart):
    """A memory derived from a document, and a digest of the piece of text that it was derived from.

    `places` has the ranges of that text. A range counts characters, or values of a JSON document. Its end is exclusive.
    """

    memory_id: str
    digest: str
    places: tuple[tuple[int, int], ...] = ()


class DocumentHead(FrozenPart):
    """A version of a document without its body. `size` is the size of the body in bytes of UTF-8.

    `fields` has the paths of a JSON document whose texts are searchable. None means all paths. `redacted` has the kinds of
    secrets that were removed from this version. `deleted` is True if this version records a deletion. A deleted document may
    be removed at `purge_at`.
    """

    namespace: tuple[str, ...]
    key: str
    version: int
    size: int
    created_at: datetime
    updated_at: datetime
    form: Form = "text"
    fields: tuple[str, ...] | None = None
    redacted: tuple[str, ...] = ()
    passages: tuple[PassageOf, ...] = ()
    deleted: bool = False
    purge_at: datetime | None = None

    @property
    def path(self) -> str:
        """The escaped namespace and key, joined with `/`."""
        return path_of(self.namespace, self.key)

    @property
    def reference(self) -> str:
        """The `session_id` of the memories that are derived from this document."""
        return reference_of(self.namespace, self.key)


class Document(DocumentHead):
    """A version of a document."""

    body: str

    @property
    def head(self) -> DocumentHead:
        """A copy of this version without its body."""
        return DocumentHead.model_validate(self.model_dump(exclude={"body"}))

    def has_text_of(self, other: "Document") -> bool:
        """Return whether `other` has the same body and passages, including the ids of the memories."""
        return (self.body, self.passages) == (other.body, other.passages)


def path_of(namespace: Sequence[str], key: str = "") -> str:
    """Return the path of a document, which joins its escaped namespace and key with `/`.

    If `key` is empty, return the prefix that the paths of all documents in or below the namespace share.
    """
    return "/".join(name.translate(_ESCAPES) for name in (*namespace, key))


def reference_of(namespace: Sequence[str], key: str) -> str:
    """Return a document's reference, which is a hash of its path and reveals no words."""
    return f"document_{hashlib.sha256(path_of(namespace, key).encode()).hexdigest()[:40]}"


def check_place(namespace: Sequence[str], key: str) -> None:
    """Raise `INVALID_ARGUMENT` if the namespace or key is invalid."""
    for name in (*list_of(namespace, "namespace"), key):
        if not isinstance(name, str) or not name:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "namespace and key: must be texts, and not empty", "key")
        refuse_half_characters(name, "key")
        if not name.isprintable():
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "namespace and key: must be printable", "key")
    if len(path_of(namespace, key).encode()) > _MOST_PATH_BYTES:
        why = f"namespace and key: must have {_MOST_PATH_BYTES} bytes together at the most"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, "key")

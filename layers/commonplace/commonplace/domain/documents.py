"""Documents: whole texts under a namespace and a key, kept beside the memories, each version for itself."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from commonplace.domain.errors import CommonplaceError, ErrorCode, list_of, refuse_half_characters
from commonplace.domain.fields import FrozenPart

MOST_BYTES = 256 * 1024
"""Of a body, as UTF-8."""
MOST_VERSIONS = 20
"""How many versions of a document are kept, the newest ones."""
_MOST_PATH_BYTES = 900  # DynamoDB takes 1,024 in a sort key
_ESCAPES = (("%", "%25"), ("/", "%2F"), ("#", "%23"))

Form = Literal["text", "json"]


class PassageOf(FrozenPart):
    """A memory that was derived from a document, and a digest of the piece of text that it was derived from.

    `places`: where that stands, each from a character to another one; of a JSON document from a value to another one, as
    they are counted in their order.
    """

    memory_id: str
    digest: str
    places: tuple[tuple[int, int], ...] = ()


class DocumentHead(FrozenPart):
    """A version of a document without its body. `size`: of the body, in bytes of UTF-8.

    `fields`: of a JSON document the paths whose texts are found by searches; None: all of them. `redacted`: the kinds of
    secrets that were taken out of this version when it was written. `deleted`: this version says that there is none; the
    document may be taken out at `purge_at`.
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
        """Namespace and key as one text."""
        return path_of(self.namespace, self.key)

    @property
    def reference(self) -> str:
        """What its derived memories name it by, as their `session_id`."""
        return reference_of(self.namespace, self.key)


class Document(DocumentHead):
    """A version of a document."""

    body: str

    @property
    def head(self) -> DocumentHead:
        """The same without the body."""
        return DocumentHead.model_validate(self.model_dump(exclude={"body"}))


def path_of(namespace: Sequence[str], key: str = "") -> str:
    """Labels and key, joined by `/`; what would be read as another character stands as its escape.

    Without a key it is what the paths of all documents in the namespace, and in those below it, begin with.
    """
    return "/".join(map(_escaped, (*namespace, key)))


def reference_of(namespace: Sequence[str], key: str) -> str:
    """The reference of a document, by its path; no word of the path can be read out of it."""
    return f"document_{hashlib.sha256(path_of(namespace, key).encode()).hexdigest()[:40]}"


def check_place(namespace: Sequence[str], key: str) -> None:
    """Raises `INVALID_ARGUMENT` for a namespace or key that no document can have."""
    for name in (*list_of(namespace, "namespace"), key):
        if not isinstance(name, str) or not name:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "namespace and key: must be texts, and not empty", "key")
        refuse_half_characters(name, "key")
        if not name.isprintable():
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "namespace and key: must be printable", "key")
    if len(path_of(namespace, key).encode()) > _MOST_PATH_BYTES:
        why = f"namespace and key: must have {_MOST_PATH_BYTES} bytes together at the most"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, "key")


def _escaped(name: str) -> str:
    for character, escape in _ESCAPES:
        name = name.replace(character, escape)
    return name

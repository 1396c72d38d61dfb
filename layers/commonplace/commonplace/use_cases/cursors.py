"""Where an answer goes on: a signed place in it, which names no user and says so when it was changed."""

import base64
import binascii
import hashlib
import hmac

from commonplace.domain.errors import CommonplaceError, ErrorCode

_SIGNATURE = 15  # bytes


def cursor_of(place: str, user_id: str, question: str) -> str:
    """The cursor of a place in the answer to a user's question.

    The signature binds it to both; it guards no secret, for what a cursor opens is the user's own anyway.
    """
    return base64.urlsafe_b64encode(_signature(place, user_id, question) + place.encode()).decode()


def place_of(cursor: str, user_id: str, question: str) -> str:
    """The place of a cursor; a 400 for one that was changed, or that is of another user or question."""
    try:
        whole = base64.b64decode(cursor.encode("ascii"), b"-_", validate=True)
        place = whole[_SIGNATURE:].decode()
    except (UnicodeError, binascii.Error):
        raise _refused() from None
    if not hmac.compare_digest(cursor, cursor_of(place, user_id, question)):
        raise _refused()
    return place


def _signature(place: str, user_id: str, question: str) -> bytes:
    return hmac.digest(user_id.encode(), f"{place}\n{question}".encode(), hashlib.sha256)[:_SIGNATURE]


def _refused() -> CommonplaceError:
    return CommonplaceError(ErrorCode.INVALID_ARGUMENT, "cursor: is none that this question was answered with", "cursor")

"""Create and check signed cursors, which mark where the next page of a result starts and contain no user id."""

import base64
import binascii
import hashlib
import hmac

from commonplace.domain.errors import invalid

_SIGNATURE = 15  # bytes


def cursor_of(place: str, user_id: str, question: str) -> str:
    """Return the cursor for a position in the result of a user's query. The cursor is signed but not secret."""
    signature = hmac.digest(user_id.encode(), f"{place}\n{question}".encode(), hashlib.sha256)[:_SIGNATURE]
    return base64.urlsafe_b64encode(signature + place.encode()).decode()


def place_of(cursor: str, user_id: str, question: str) -> str:
    """Return a cursor's position. Raises `INVALID_ARGUMENT` if the cursor was altered or is for another user or query."""
    try:
        whole = base64.b64decode(cursor.encode("ascii"), b"-_", validate=True)
        place = whole[_SIGNATURE:].decode()
    except (UnicodeError, binascii.Error):
        raise invalid("cursor", "does not belong to this request") from None
    if not hmac.compare_digest(cursor, cursor_of(place, user_id, question)):
        raise invalid("cursor", "does not belong to this request")
    return place

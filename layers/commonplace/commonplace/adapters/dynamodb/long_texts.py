"""Texts that may exceed an item: compressed, and split into further rows where they are too long."""

import gzip
import logging
import zlib

from ulid import ULID

from commonplace.adapters.dynamodb.calls import Calls, key_of, partition_condition
from commonplace.adapters.dynamodb.table import ITEM, USER, Action, Item

ROWS = "rows"
_BODY = "body"
_log = logging.getLogger("commonplace")
_MOST_BYTES = 350_000  # of the 400 KB that an item may have


def packed(text: str) -> Item:
    """A text as an attribute."""
    return {"B": gzip.compress(text.encode(), mtime=0)}


def unpacked(attribute: Item) -> str:
    """The text of an attribute; of one that is damaged no word, which is no JSON of anything."""
    try:
        return gzip.decompress(bytes(attribute["B"])).decode()
    except (OSError, EOFError, ValueError, KeyError, zlib.error) as error:
        _log.error("a text of the table can't be read: %s", type(error).__name__)
        return ""


def row_text(text: str, user_id: str, prefix: str) -> tuple[Item, list[Action]]:
    """The attributes of a text's own row, and the further rows to be written first, each in its own transaction.

    `prefix`: how the names of such rows begin.
    """
    body = packed(text)
    whole: bytes = body["B"]
    if len(whole) <= _MOST_BYTES:
        return {_BODY: body}, []
    pieces = [whole[start : start + _MOST_BYTES] for start in range(0, len(whole), _MOST_BYTES)]
    rows = [Action("Put", {**key_of(user_id, f"{prefix}{ULID()}"), _BODY: {"B": piece}}) for piece in pieces]
    return {ROWS: {"L": [{"S": row.name} for row in rows]}}, rows


def text_of(calls: Calls, row: Item | None) -> str | None:
    """The text of a row. Where it is written anew or let go of meanwhile, the row is read once more."""
    attempt = 0
    while row is not None:
        if _BODY in row:
            return unpacked(row[_BODY])
        keys = [(row[USER]["S"], name) for name in named(row)]
        found = calls.get(keys)
        if len(found) == len(keys):
            return unpacked({"B": b"".join(bytes(found[key][_BODY]["B"]) for key in keys)})
        calls.wait(attempt)
        attempt += 1
        row = calls.one(row[USER]["S"], row[ITEM]["S"])
    return None


def named(row: Item) -> list[str]:
    """The names of the rows in which the text of a row stands, in their order; none where it has the text itself."""
    return [name["S"] for name in row[ROWS]["L"]] if ROWS in row else []


def names_from(calls: Calls, user_id: str, prefix: str) -> list[str]:
    """The names of the rows that begin so."""
    pages = calls.pages(*partition_condition(user_id, prefix), ConsistentRead=True, ProjectionExpression=f"#{ITEM}")
    return [row[ITEM]["S"] for page in pages for row in page]

"""Stores texts that may be too large for one item. They are compressed and, if necessary, split over several rows."""

import gzip
import logging
import zlib

from ulid import ULID

from commonplace.adapters.dynamodb.calls import Calls, key_of, partition_condition
from commonplace.adapters.dynamodb.table import ITEM, USER, Action, Item

ROWS = "rows"
_BODY = "body"
_log = logging.getLogger("commonplace")
_MOST_BYTES = 350_000  # an item is limited to 400 KB


def packed(text: str) -> Item:
    """Return a text as a compressed attribute."""
    return {"B": gzip.compress(text.encode(), mtime=0)}


def unpacked(attribute: Item) -> str:
    """Return the text of an attribute, or "" if the attribute is damaged."""
    try:
        return gzip.decompress(bytes(attribute["B"])).decode()
    except (OSError, EOFError, ValueError, KeyError, zlib.error) as error:
        _log.error("a text of the table can't be read: %s", type(error).__name__)
        return ""


def row_text(text: str, user_id: str, prefix: str) -> tuple[Item, list[Action]]:
    """Return a text's attributes, and the actions that must first write any further rows. Their names begin with `prefix`."""
    body = packed(text)
    whole: bytes = body["B"]
    if len(whole) <= _MOST_BYTES:
        return {_BODY: body}, []
    pieces = [whole[start : start + _MOST_BYTES] for start in range(0, len(whole), _MOST_BYTES)]
    rows = [Action("Put", {**key_of(user_id, f"{prefix}{ULID()}"), _BODY: {"B": piece}}) for piece in pieces]
    return {ROWS: {"L": [{"S": row.name} for row in rows]}}, rows


def text_of(calls: Calls, row: Item | None) -> str | None:
    """Return a row's text, or None without a row. Reads the row again if another call rewrites or deletes it meanwhile."""
    attempt = 0
    while row is not None:
        if _BODY in row:
            return unpacked(row[_BODY])
        keys = [(row[USER]["S"], name) for name in named(row)]
        items_by_key = calls.get(keys)
        if len(items_by_key) == len(keys):
            return unpacked({"B": b"".join(bytes(items_by_key[key][_BODY]["B"]) for key in keys)})
        calls.wait(attempt)
        attempt += 1
        row = calls.get_item(row[USER]["S"], row[ITEM]["S"])
    return None


def named(row: Item) -> list[str]:
    """Return the sort keys of the rows that contain the text, in order, or an empty list if `row` itself contains it."""
    return [name["S"] for name in row[ROWS]["L"]] if ROWS in row else []


def names_from(calls: Calls, user_id: str, prefix: str) -> list[str]:
    """Return the sort keys that start with `prefix`."""
    rows = calls.rows(*partition_condition(user_id, prefix), ConsistentRead=True, ProjectionExpression=f"#{ITEM}")
    return [row[ITEM]["S"] for row in rows]

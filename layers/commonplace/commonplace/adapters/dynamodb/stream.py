"""Records of the table's stream as Lambda hands them over: new and old image, binaries in base64."""

import base64
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from commonplace.adapters.dynamodb.rows import VERSION, stored_of
from commonplace.adapters.dynamodb.table import ITEM, MEMORY, USER
from commonplace.index_ports import Change, Purged
from commonplace.stream import Streamed


def streamed(event: Mapping[str, Any]) -> Iterator[Streamed]:
    """The changes of memories in an event, in its order; other rows of the table are left out."""
    for record in event["Records"]:
        what = record["dynamodb"]
        user, item = what["Keys"][USER]["S"], what["Keys"][ITEM]["S"]
        if not item.startswith(MEMORY):
            continue
        at = datetime.fromtimestamp(float(what["ApproximateCreationDateTime"]), UTC)
        try:
            change, trouble = _change(what, user, item), ""
        except (ValueError, KeyError, TypeError) as error:  # ValueError: pydantic's, numpy's and base64's too
            change, trouble = None, f"unreadable: {type(error).__name__}"
        yield Streamed(what["SequenceNumber"], user, item, at, change, trouble)


def _change(what: Mapping[str, Any], user: str, item: str) -> Change:
    if "NewImage" not in what:
        return Purged(user, item.removeprefix(MEMORY), int(what["OldImage"][VERSION]["N"]))
    stored = stored_of({name: _value(value) for name, value in what["NewImage"].items()})
    if (stored.memory.user_id, f"{MEMORY}{stored.memory.memory_id}") != (user, item):
        raise ValueError("another memory's key")
    return stored


def _value(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"B": base64.b64decode(value["B"])} if "B" in value else value

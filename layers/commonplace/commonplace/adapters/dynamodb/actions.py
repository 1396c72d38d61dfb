"""The actions of a transaction. Attributes are named `#name` in expressions, for some names are reserved words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from commonplace.adapters.dynamodb.table import ITEM, USER

Item = Mapping[str, Any]
"""Attributes in DynamoDB's own form, `{"version": {"N": "1"}}`."""

ABSENT = f"attribute_not_exists(#{ITEM})"
PRESENT = f"attribute_exists(#{ITEM})"
_NAME = re.compile(r"#(\w+)")


@dataclass(frozen=True)
class Action:
    """One part of a transaction: a whole item put, or the item of a key updated, deleted or only checked."""

    kind: Literal["Put", "Update", "Delete", "ConditionCheck"]
    item: Item
    condition: str | None = None
    values: Item | None = None
    change: str | None = None
    """The update expression."""

    @property
    def name(self) -> str:
        """The sort key of the item that is written."""
        return str(self.item[ITEM]["S"])

    @property
    def size(self) -> int:
        """Bytes of texts and binaries, by and large."""
        return sum(len(name) + _size(value) for name, value in self.item.items()) + 100

    def on(self, table: str) -> dict[str, Any]:
        """The action as an entry of `TransactItems`."""
        what: dict[str, Any] = {"TableName": table}
        if self.kind == "Put":
            what["Item"] = self.item
        else:
            what["Key"] = {USER: self.item[USER], ITEM: self.item[ITEM]}
        if self.change is not None:
            what["UpdateExpression"] = self.change
        if self.condition is not None:
            what["ConditionExpression"] = self.condition
            what["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        names = names_in(f"{self.change or ''} {self.condition or ''}")
        if names:
            what["ExpressionAttributeNames"] = names
        if self.values:
            what["ExpressionAttributeValues"] = self.values
        return {self.kind: what}


def names_in(expression: str) -> dict[str, str]:
    """The attribute names that an expression mentions, as DynamoDB wants to be told them."""
    return {f"#{name}": name for name in _NAME.findall(expression)}


def _size(value: Mapping[str, Any]) -> int:
    ((_, held),) = value.items()
    return len(held.encode()) if isinstance(held, str) else len(held)

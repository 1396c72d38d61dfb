"""Which Lambda function serves which tools: Bedrock Agents and AgentCore call one function per group of tools."""

from collections.abc import Sequence

from commonplace.formats import Row
from commonplace.tools import tool_named


def by_function(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows under the names of their functions, in the order of the manifest."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(tool_named(row["name"]).function, []).append(row)
    return groups

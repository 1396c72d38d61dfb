"""The function `index`: brings the table's stream into OpenSearch."""

from commonplace.interfaces.aws import upkeep

handler = upkeep.index

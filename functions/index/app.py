"""The function `index`: brings the table's stream into OpenSearch."""

from commonplace.invocation import upkeep

handler = upkeep.index

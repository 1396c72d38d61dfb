"""The function `index`: brings the table's stream into OpenSearch."""

from commonplace.interfaces.aws import index_functions

handler = index_functions.index

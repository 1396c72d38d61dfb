"""Records, PENDING rows and usage in one DynamoDB table."""

from commonplace.adapters.dynamodb.client import Table, connect
from commonplace.adapters.dynamodb.everything import DynamoEverything
from commonplace.adapters.dynamodb.pending import DynamoPending
from commonplace.adapters.dynamodb.records import DynamoRecords
from commonplace.adapters.dynamodb.table import create_table
from commonplace.adapters.dynamodb.usage import DynamoUsage

__all__ = ["DynamoEverything", "DynamoPending", "DynamoRecords", "DynamoUsage", "Table", "connect", "create_table"]

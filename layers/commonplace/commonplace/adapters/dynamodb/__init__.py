"""Records, PENDING rows and usage in one DynamoDB table."""

from commonplace.adapters.dynamodb.budget import DynamoBudget
from commonplace.adapters.dynamodb.client import Table, connect
from commonplace.adapters.dynamodb.erasing import DynamoErasure
from commonplace.adapters.dynamodb.everything import DynamoEverything
from commonplace.adapters.dynamodb.ledger import DynamoLedger
from commonplace.adapters.dynamodb.operations import DynamoOperations
from commonplace.adapters.dynamodb.pending import DynamoPending
from commonplace.adapters.dynamodb.records import DynamoRecords
from commonplace.adapters.dynamodb.runs import DynamoRuns
from commonplace.adapters.dynamodb.table import create_table
from commonplace.adapters.dynamodb.usage import DynamoUsage

__all__ = [
    "DynamoBudget",
    "DynamoErasure",
    "DynamoEverything",
    "DynamoLedger",
    "DynamoOperations",
    "DynamoPending",
    "DynamoRecords",
    "DynamoRuns",
    "DynamoUsage",
    "Table",
    "connect",
    "create_table",
]

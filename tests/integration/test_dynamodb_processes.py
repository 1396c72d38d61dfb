"""Two processes at the same table at the same moment."""

import pytest

from commonplace.adapters.dynamodb.calls import Table
from commonplace.adapters.dynamodb.records import DynamoRecords
from tests.dynamodb_entries import USER
from tests.two_processes import at_once

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("dynamodb_client")]

STORE = """
import json, sys
from commonplace.adapters.dynamodb.calls import Table, connect
from commonplace.adapters.dynamodb.records import DynamoRecords
from tests.dynamodb_entries import entry

url, name, who = sys.argv[1:]
records = DynamoRecords(Table(connect("eu-central-1", url, 30), name, lambda: 30))
entries = [entry(f"memory {number}", memory_id=f"mem_{who}{number:025d}") for number in range(12)]
list(records.all("local|ana"))
print("ready", flush=True)
sys.stdin.readline()
done = [records.add([each])[0] for each in entries]
print(json.dumps([(memory.memory_id, created) for memory, created in done]))
"""


def test_the_same_texts_from_two_processes_are_one_memory_each(
    dynamodb_url: str, table_name: str, dynamodb_table: Table
) -> None:
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    answers = at_once(STORE, [[dynamodb_url, table_name, who] for who in ("a", "b")], keys)
    for (one, one_is_new), (other, other_is_new) in zip(*answers, strict=True):
        assert one == other
        assert one_is_new != other_is_new
    assert len(list(DynamoRecords(dynamodb_table).all(USER))) == 12

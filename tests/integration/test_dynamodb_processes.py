"""Two processes at the same table at the same moment."""

import json
import os
import subprocess
import sys

import pytest

from commonplace.adapters.dynamodb import DynamoRecords, Table
from tests.dynamodb_entries import USER

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("dynamodb_client")]

STORE = """
import json, sys
from commonplace.adapters.dynamodb import DynamoRecords, Table, connect
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
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", STORE, dynamodb_url, table_name, who],
            env=os.environ | keys,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in ("a", "b")
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [json.loads(process.communicate(timeout=120)[0]) for process in processes]
    for (one, one_is_new), (other, other_is_new) in zip(*answers, strict=True):
        assert one == other
        assert one_is_new != other_is_new
    assert len(list(DynamoRecords(dynamodb_table).all(USER))) == 12

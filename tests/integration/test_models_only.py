"""The normalize function opens no table and no index."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ASKED = {"tool": "memory_normalize", "arguments": {"text": "I like tea."}, "identity": {"user_id": "ana"}}


def test_normalize_opens_neither_table_nor_index() -> None:
    code = f"""
import json, os, sys
os.environ |= {{"COMMONPLACE_TABLE": "t", "COMMONPLACE_SEARCH_ENDPOINT": "https://search.example", "AWS_REGION": "eu-west-1"}}
from types import SimpleNamespace
from functions.normalize.app import handler
context = SimpleNamespace(client_context=None, aws_request_id="1", function_name="f", get_remaining_time_in_millis=lambda: 9000)
answer = handler({ASKED!r}, context)
print(json.dumps([answer, sorted({{"boto3", "opensearchpy", "commonplace.adapters.dynamodb"}} & set(sys.modules))]))
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    answer, loaded = json.loads(done.stdout.splitlines()[-1])
    assert "The user likes tea." in json.dumps(answer)
    assert loaded == []

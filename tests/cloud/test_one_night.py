"""`make cloud-night` as its reader runs it, on real servers."""

import os
import re
import subprocess
import sys
import uuid

import pytest

pytestmark = pytest.mark.integration


def test_a_night_is_run_end_to_end_and_shown(opensearch_url: str, dynamodb_url: str) -> None:
    name = f"night-{uuid.uuid4().hex}"
    servers = {"OPENSEARCH_URL": opensearch_url, "DYNAMODB_URL": dynamodb_url}
    environment = os.environ | servers | {"COMMONPLACE_TABLE": name, "COMMONPLACE_INDEX_ALIAS": name}
    command = [sys.executable, "-m", "cloud.one_night", "--users", "2"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"user-(\d): 5 interactions recorded, 0 known", done.stdout) == ["1", "2"]
    assert "2 nights planned, and read in" in done.stdout
    assert len(set(re.findall(r"run_[0-9A-Z]{26}", done.stdout))) == 2
    assert re.findall(r"│ user-(\d) │ run_\w+ │ done +│ rules │ 5 ", done.stdout) == ["1", "2"]
    assert "allergic" in done.stdout

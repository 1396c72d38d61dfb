"""What works without what it does not need: normalize without a table, and a search without its embedding model."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.bootstrap.local import open_local
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.ports.values import Caller, Vector
from commonplace.settings import Settings
from commonplace.use_cases import dispatch
from tests.conftest import NOON

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


class Away:
    """An embedding model that doesn't answer."""

    name = "away"

    def embed(self, text: str) -> Vector | None:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the embedding model doesn't answer ({len(text)})")

    def features(self, text: str) -> None:  # noqa: ARG002
        return None

    def embed_question(self, text: str) -> Vector | None:
        return self.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self.embed(text) for text in texts]


def test_a_search_without_its_embedding_model_finds_by_words_and_says_so(tmp_path: Path) -> None:
    local = open_local(Settings(db=tmp_path / "memory.db"))
    caller = Caller("local|ana", NOON)
    dispatch.call("store_memory", {"content": "Mia is allergic to peanuts."}, caller, local.ports)
    answer = dispatch.call("search_memory", {"query": "peanuts"}, caller, replace(local.ports, embedder=Away()))
    local.close()
    found = answer.model_dump(mode="json")
    assert [hit["content"] for hit in found["results"]] == ["Mia is allergic to peanuts."]
    assert found["notes"]["degraded"] == "the embedding model can't be asked just now; this was found by words alone"

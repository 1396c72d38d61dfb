"""What an earlier commit stored is read as it was: columns, keys of rows, lines of files and names of attributes."""

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commonplace import Commonplace
from commonplace.settings import Settings
from tests import stored_forms

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.integration


def read(path: Path) -> Any:
    times = stored_forms.clock()
    with Commonplace(path, user_id="ana", now=lambda: next(times), settings=Settings(db=path)) as memory:
        return stored_forms.everything(memory)


@pytest.mark.usefixtures("word_vectors")
def test_a_file_of_an_earlier_commit_is_read(memory_file: Path) -> None:
    memory_file.write_bytes(gzip.decompress(stored_forms.FILE.read_bytes()))
    expected = json.loads(stored_forms.expected("sqlite").read_text("utf-8"))
    assert all(expected.values())
    assert read(memory_file) == expected


def test_a_table_of_an_earlier_commit_is_read(
    table_name: str, dynamodb_client: "DynamoDBClient", dynamodb_url: str, memory_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_url)
    stored_forms.put(dynamodb_client, table_name, json.loads(gzip.decompress(stored_forms.TABLE.read_bytes())))
    stored_forms.over_table(monkeypatch, table_name)
    expected = json.loads(stored_forms.expected("dynamodb").read_text("utf-8"))
    assert all(expected.values())
    assert read(memory_file) == expected


@pytest.mark.usefixtures("word_vectors")
def test_what_is_stored_today_has_the_same_forms(tmp_path: Path, memory_file: Path) -> None:
    written = stored_forms.write_file(memory_file, tmp_path)
    expected = json.loads(stored_forms.expected("sqlite").read_text("utf-8"))
    assert names_of(written) == names_of(expected)


def names_of(value: Any) -> Any:
    """Return the names of all fields, without values that differ each time."""
    if isinstance(value, dict):
        return {name: names_of(one) for name, one in value.items()}
    return [names_of(one) for one in value] if isinstance(value, list) else type(value).__name__

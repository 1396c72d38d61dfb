"""A TinyDB file is read as it is, and a broken one is refused with the byte where it breaks."""

import json

import pytest

from commonplace.domain.errors import ErrorCode
from commonplace.use_cases.tinydb import read_tinydb
from tests.conftest import refusal
from tests.legacy_store import tables, written

TWO = b'{"notes": {"1": {"content": "tea"}, "7": {}}, "more": {"1": {"content": "coffee"}}}'


def names(data: bytes, *wanted: str) -> list[str]:
    return [one.name for one in read_tinydb(data, wanted).documents]


def test_documents_are_named_by_table_and_number() -> None:
    assert names(TWO) == ["notes/1", "notes/7", "more/1"]
    assert names(TWO, "more") == ["more/1"]
    assert [one.fields for one in read_tinydb(TWO).documents] == [{"content": "tea"}, {}, {"content": "coffee"}]


def test_a_file_of_141_is_read_whole() -> None:
    found = read_tinydb(written())
    assert len(found.documents) == len({one.name for one in found.documents}) == 141
    assert {one.table for one in found.documents} == set(tables())
    assert (found.encoding, found.not_numbers) == ("utf-8", 1)


@pytest.mark.parametrize("data", [b"", b" \n", b"{}", b'{"_default": {}}'])
def test_an_empty_store_has_no_documents(data: bytes) -> None:
    assert read_tinydb(data).documents == []


def test_numbers_that_are_none_count_as_not_there() -> None:
    data = b'{"notes": {"1": {"a": NaN, "b": -Infinity, "c": 1e999, "d": [1.5, NaN]}}}'
    found = read_tinydb(data)
    assert found.documents[0].fields == {"a": None, "b": None, "c": None, "d": [1.5, None]}
    assert found.not_numbers == 4


@pytest.mark.parametrize("text", ['{"notes": {"1": {"content": "Café über alles"}}}'])
@pytest.mark.parametrize(
    ("encoding", "said"), [("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("cp1252", "cp1252"), ("latin-1", "cp1252")]
)
def test_it_may_be_utf_8_or_cp1252(text: str, encoding: str, said: str) -> None:
    found = read_tinydb(text.encode(encoding))
    assert (found.documents[0].fields["content"], found.encoding) == ("Café über alles", said)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_a_broken_file_is_refused_with_its_byte(encoding: str) -> None:
    good = '{"notes": {"1": {"content": "Café über alles"}'.encode(encoding)
    error = refusal(lambda: read_tinydb(good + b' oops"}}'))
    assert (error.code, error.field) == (ErrorCode.INVALID_JSON, "file")
    assert f"at byte {len(good) + 1} (line 1)" in error.message
    assert "Caf" not in error.message


def test_a_file_that_ends_too_early_is_refused_with_its_end() -> None:
    assert f"at byte {len(written()) - 2} " in refusal(lambda: read_tinydb(written()[:-2])).message


def test_bytes_that_are_no_text_are_refused_with_their_place() -> None:
    assert "at byte 11" in refusal(lambda: read_tinydb(b'{"notes": "\x81\xff"}')).message


@pytest.mark.parametrize(
    "data",
    [b"[]", b'{"notes": []}', b'{"notes": {"1": "tea"}}', b'[{"content": "tea"}]', b'"tea"', b"[" * 100_000,
     b'{"notes": {"1": {"a": ' + b"9" * 5_000 + b"}}}"],
    ids=range(7),
)  # fmt: skip
def test_what_is_no_tinydb_file_is_refused(data: bytes) -> None:
    assert refusal(lambda: read_tinydb(data)).code is ErrorCode.INVALID_JSON


def test_of_a_key_that_stands_twice_nothing_is_lost_silently() -> None:
    assert "twice" in refusal(lambda: read_tinydb(b'{"notes": {"1": {"a": 1}, "1": {"a": 2}}}')).message


def test_an_unknown_table_is_refused_with_those_there_are() -> None:
    error = refusal(lambda: read_tinydb(json.dumps(tables()).encode(), ["notes"]))
    assert error.field == "table"
    assert "memories, archive" in error.message

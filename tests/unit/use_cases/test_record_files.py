"""Records as lines of a file, and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.domain.transfer import MOST_DEPTH, MOST_LINE_BYTES, MOST_LINES
from commonplace.use_cases.record_files import _AS_JSON, HISTORY, csv_lines, jsonl_lines, read_lines

AT = "2026-05-20T12:00:00+02:00"
RECORD: dict[str, Any] = {
    "memory_id": "mem_1", "agent_id": "global", "raw_text": "I play the cello.", "normalized_text": "", "tags": ["a", "=b"],
    "importance": 0.5, "position": 3, "version": 2, "created_at": AT, "history": [{"operation": "store", "at": AT}],
}  # fmt: skip
FORMULAS = ["=1+1", "+1", "-1", "@a", "\ta", "\ra", "'=1", "'", "''@", "'a", "a=", " =1"]


def only(text: str, form: Any = "jsonl") -> CommonplaceError:
    ((_, found),) = read_lines(text, form)
    assert isinstance(found, CommonplaceError)
    return found


@pytest.mark.parametrize(("form", "write"), [("jsonl", jsonl_lines), ("csv", csv_lines)])
def test_what_was_written_is_read_again(form: Any, write: Any) -> None:
    assert list(read_lines("".join(write([RECORD, RECORD])), form)) == [(2, RECORD), (3, RECORD)]


@given(text=st.one_of(st.sampled_from(FORMULAS), st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)))
def test_any_text_comes_back_through_a_cell_that_no_spreadsheet_calculates(text: str) -> None:
    lines = list(csv_lines([{**RECORD, "raw_text": text}]))
    assert list(read_lines("".join(lines), "csv")) == [(2, {**RECORD, "raw_text": text})]


@pytest.mark.parametrize("text", FORMULAS[:6])
def test_a_formula_is_quoted(text: str) -> None:
    assert f"'{text}" in "".join(csv_lines([{**RECORD, "raw_text": text}]))


def test_the_columns_with_json_are_those_whose_values_are_no_texts() -> None:
    filed = {"memory_type": "fact", "category": "contexts", "section": "preference", "user_id": "u", "updated_at": AT}
    known = {name: value for name, value in RECORD.items() if name != HISTORY}
    record = Memory.model_validate(known | filed).model_dump(mode="json")
    no_texts = {name for name, value in record.items() if value is not None and not isinstance(value, str)}
    assert no_texts | {HISTORY} == _AS_JSON


def test_a_header_is_no_record_and_may_be_missing() -> None:
    line = json.dumps(RECORD)
    assert list(read_lines(f"{line}\n\n{line}", "jsonl")) == [(1, RECORD), (3, RECORD)]
    with pytest.raises(CommonplaceError, match="another form"):
        list(read_lines('{"commonplace_export": 2}\n', "jsonl"))


def test_what_is_too_much_or_no_json_is_told() -> None:
    assert only('{"a": NaN}').code is ErrorCode.INVALID_JSON
    assert only('{"a": "' + "x" * MOST_LINE_BYTES + '"}').code is ErrorCode.PAYLOAD_TOO_LARGE
    assert "nested" in only('{"a": ' + "[" * MOST_DEPTH + "]" * MOST_DEPTH + "}").message
    assert only('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}").code is ErrorCode.INVALID_JSON
    with pytest.raises(CommonplaceError) as caught:
        list(read_lines("{}\n" * (MOST_LINES + 1), "jsonl"))
    assert caught.value.code is ErrorCode.PAYLOAD_TOO_LARGE


def test_a_csv_is_told_by_its_lines() -> None:
    text = 'memory_id,raw_text,importance\nmem_1,"two\nlines",0.5\nmem_2,one\nmem_3,x,NaN\n'
    read = list(read_lines(text, "csv"))
    assert [line for line, _ in read] == [2, 4, 5]
    assert read[0][1] == {"memory_id": "mem_1", "raw_text": "two\nlines", "importance": 0.5}
    assert [getattr(found, "field", "") for _, found in read[1:]] == [None, "importance"]
    with pytest.raises(CommonplaceError, match="line 3"):
        list(read_lines('memory_id,raw_text\na,b\n"c', "csv"))
    with pytest.raises(CommonplaceError, match="name the columns"):
        list(read_lines("a,b\n1,2\n", "csv"))
    with pytest.raises(CommonplaceError, match="a column twice"):
        list(read_lines("memory_id,raw_text,memory_id\n1,2,3\n", "csv"))
    assert only("memory_id,raw_text\n1," + "私" * (MOST_LINE_BYTES // 3 + 1), "csv").code is ErrorCode.PAYLOAD_TOO_LARGE

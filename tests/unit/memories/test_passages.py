"""The pieces of a document: what is one, where it stands, and what is left without it."""

import itertools
import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.documents import Document
from commonplace.memories.passages import MOST_CHARACTERS, passages_of, pieces, without_passages
from tests.conftest import NOON

VALUE = {"a": {"b": [{"c": "one"}, {"c": "two"}, {"d": "three"}]}, "e": "four", "n": 5, "no": None, "off": False}


def texts(body: str, fields: tuple[str, ...] | None = None, is_json: bool = False) -> list[str]:
    return [one.text for one in passages_of(body, "json" if is_json else "text", fields).values()]


def document(body: str, form: str = "text", at: datetime = NOON) -> Document:
    place = {"namespace": ("n",), "key": "k", "version": 1, "size": len(body), "created_at": at, "updated_at": at}
    return Document.model_validate({**place, "body": body, "form": form})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", []),
        (" \n---\n\n***\n", []),
        ("one", ["one"]),
        ("one\ntwo\n\n\n  three  \n", ["one\ntwo", "three"]),
        ("# Title\n\none\n\n## Next\ntwo", ["# Title\n\none", "## Next\ntwo"]),
        ("- a\n- b\n# Title", ["- a\n- b", "# Title"]),
        ("one\n\nONE\n\ntwo", ["one", "two"]),
        ("one\r\n\r\ntwo\r\n", ["one", "two"]),
        ("one\n\n[erased]\n", ["one"]),
        ("日本語です。\n\nはい", ["日本語です。", "はい"]),
    ],
)
def test_a_piece_is_a_paragraph_with_the_heading_above_it(body: str, expected: list[str]) -> None:
    assert texts(body) == expected


@given(st.text(alphabet="ab #\n.。é", max_size=60).map(lambda text: text * 40))
def test_pieces_are_short_in_order_and_leave_no_word_out(body: str) -> None:
    spans = list(pieces(body))
    assert all(0 < end - start <= MOST_CHARACTERS for start, end in spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    inside = {at for start, end in spans for at in range(start, end)}
    assert not [at for at, char in enumerate(body) if char.isalnum() and at not in inside]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (None, ["a: b: c: one\na: b: c: two\na: b: d: three\ne: four\nn: 5\noff: False"]),
        ((), []),
        (("$",), ["one", "two", "three", "four", "5", "False"]),
        (("e", "a.b[*].c"), ["four", "one", "two"]),
        (("a.b[-1]", "a.b[0].c"), ["three", "one"]),
        (("a.*", "missing", "e.f", "a.b[7]"), ["one", "two", "three"]),
    ],
)
def test_of_json_the_values_at_some_paths_or_all(fields: tuple[str, ...] | None, expected: list[str]) -> None:
    assert texts(json.dumps(VALUE), fields, is_json=True) == expected


def test_without_a_passage_nothing_else_is_changed() -> None:
    body = "# One\n\ntea\n\nTEA\n\nmilk tea\n\ntea"
    (tea,) = [name for name, one in passages_of(body, "text", None).items() if one.text == "TEA"]
    assert without_passages(document(body), [tea]) == "# One\n\ntea\n\n[erased]\n\nmilk tea\n\n[erased]"
    found = passages_of(json.dumps(VALUE), "json", None)
    assert json.loads(without_passages(document(json.dumps(VALUE), "json"), list(found))) == {
        "a": {"b": [{"c": "[erased]"}, {"c": "[erased]"}, {"d": "[erased]"}]},
        "e": "[erased]", "n": "[erased]", "no": None, "off": "[erased]",
    }  # fmt: skip


def test_of_what_cant_be_found_any_more_nothing_is_left() -> None:
    assert without_passages(document("tea"), ["another way of cutting"]) == ""
    assert without_passages(document('{"a": "tea"}', "json"), ["another way of cutting"]) == "{}"

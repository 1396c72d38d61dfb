"""The pieces of a document: what is one, where it stands, and what is left without it."""

import itertools
import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.documents import Document, Form, PassageOf
from commonplace.memories.passages import MOST_CHARACTERS, passages_of, pieces, without_passages
from tests.conftest import NOON

VALUE = {"a": {"b": [{"c": "one"}, {"c": "two"}, {"d": "three"}]}, "e": "four", "n": 5, "no": None, "off": False}


def texts(body: str, fields: tuple[str, ...] | None = None, is_json: bool = False) -> list[str]:
    return [one.text for one in passages_of(body, "json" if is_json else "text", fields).values()]


def document(body: str, form: Form = "text", fields: tuple[str, ...] | None = None) -> Document:
    """A document whose memories are called by what they say."""
    place = {"namespace": ("n",), "key": "k", "version": 1, "size": len(body), "created_at": NOON, "updated_at": NOON}
    found = passages_of(body, form, fields).items()
    told = [PassageOf(memory_id=one.text, digest=digest, places=one.places) for digest, one in found]
    return Document.model_validate({**place, "body": body, "form": form, "fields": fields, "passages": told})


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
        (("e", "a.b[*].c"), ["one", "two", "four"]),
        (("a.b[-1]", "a.b[0].c"), ["one", "three"]),
        (("a.*", "missing", "e.f", "a.b[7]"), ["one", "two", "three"]),
    ],
)
def test_of_json_the_values_at_some_paths_or_all(fields: tuple[str, ...] | None, expected: list[str]) -> None:
    assert texts(json.dumps(VALUE), fields, is_json=True) == expected


def test_without_a_passage_nothing_else_is_changed() -> None:
    once = without_passages(document("# One\n\ntea\n\nTEA\n\nmilk tea\n\nTea"), ["TEA"])
    assert once.body == "# One\n\ntea\n\n[erased]\n\nmilk tea\n\n[erased]"
    assert (once.size, [one.memory_id for one in once.passages]) == (len(once.body), ["# One\n\ntea", "milk tea"])
    assert without_passages(once, ["milk tea"]).body == "# One\n\ntea\n\n[erased]\n\n[erased]\n\n[erased]"
    whole = document(json.dumps(VALUE), "json", ("$",))
    ids = [one.memory_id for one in whole.passages]
    assert json.loads(without_passages(whole, ids).body) == {
        "a": {"b": [{"c": "[erased]"}, {"c": "[erased]"}, {"d": "[erased]"}]},
        "e": "[erased]", "n": "[erased]", "no": None, "off": "[erased]",
    }  # fmt: skip


def test_names_that_are_words_of_a_passage_go_with_it_where_nothing_else_is_under_them() -> None:
    long = "word " * 194
    value = {
        "Ana is allergic": {"to": [True], "why": None}, "[erased]": f"tea {long}",
        "Ana swims": {"Monday": f"Ben {long}", "alone": f"never {long}"}, "no": "",
    }  # fmt: skip
    now = document(json.dumps(value), "json")
    allergic, tea, ben, _ = [one.memory_id for one in now.passages]
    now = without_passages(without_passages(now, [allergic]), [ben])
    assert json.loads(now.body) == {
        "[erased] 2": {"[erased]": ["[erased]"], "why": None}, "[erased]": f"tea {long}",
        "Ana swims": {"[erased]": "[erased]", "alone": f"never {long}"}, "no": "",
    }  # fmt: skip
    left = passages_of(now.body, "json", None)
    assert [(one.digest, one.places) for one in now.passages] == [(digest, one.places) for digest, one in left.items()]
    assert tea in {one.memory_id for one in now.passages}
    done = without_passages(now, [one.memory_id for one in now.passages])
    assert "Ana" not in done.body
    assert passages_of(done.body, "json", None) == {}


WORDS = st.lists(st.text(alphabet="abc", min_size=1, max_size=3), min_size=1, max_size=40)


@given(st.lists(st.tuples(WORDS, st.integers(1, 30)), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_one_by_one_all_can_be_cut_out_and_each_takes_its_own_words(
    drawn: list[tuple[list[str], int]], chance: Random
) -> None:
    text = "\n\n".join(f"x{number} {' '.join(words * times)}" for number, (words, times) in enumerate(drawn))
    for whole in (document(text), document(json.dumps({"texts": text.split("\n\n")}), "json")):
        left = [one.memory_id for one in whole.passages]
        chance.shuffle(left)
        now = whole
        while left:
            now = without_passages(now, [left.pop()])
            if now.form == "text":
                spans = {one.memory_id: [now.body[start:end] for start, end in one.places] for one in now.passages}
                assert all(words.casefold() == name.casefold() for name, found in spans.items() for words in found)
        assert not any(f"x{number}" in now.body for number in range(len(drawn)))


def test_there_are_some_thousand_at_the_most_and_of_a_short_text_one_for_each_paragraph() -> None:
    paragraph = "word " * 20
    assert len(list(pieces("\n\n".join([paragraph] * 300)))) == 300
    assert len(list(pieces("\n\n".join([paragraph] * 2_500)))) <= 1_000
    assert len(list(pieces("\n\n".join(f"w{number}" for number in range(35_000))))) <= 1_100
    values = json.dumps({f"n{number}": f"w{number}" for number in range(9_000)})
    assert len(passages_of(values, "json", None)) <= 1_000
    (few,) = passages_of(values, "json", ["n7"]).values()
    assert (few.text, few.places) == ("w7", ((7, 8),))
    assert len(passages_of(values, "json", ["*"])) <= 1_000


def test_a_change_of_a_long_text_leaves_most_pieces_as_they_are() -> None:
    text = "\n\n".join(f"Paragraph {number}: " + "word " * 60 for number in range(700))
    changed = text.replace("Paragraph 350:", "Another paragraph, number 350:")
    assert len(passages_of(changed, "text", None).keys() - passages_of(text, "text", None).keys()) == 1

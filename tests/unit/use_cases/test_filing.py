"""Where old categories go: by their names, by a person's word, by what a memory says."""

import csv
import io
from typing import get_args

import pytest
from pydantic import JsonValue

from commonplace.domain.errors import ErrorCode
from commonplace.domain.taxonomy import Category
from commonplace.text.classifier.classification import Classification
from commonplace.use_cases.filing import COLUMNS, Filing, read_categories, read_review, write_review
from tests.conftest import refusal
from tests.legacy_store import CATEGORIES

SURE = Classification("other", "references", 3, True, 0.71, 0.5, ("references", "learnings"))
UNSURE = Classification("other", "learnings", 3, True, 0.69, 0.5, ("learnings", "references"))
NOBODY = Filing({}, {})


def test_23_names_go_into_the_seven() -> None:
    filed = [NOBODY.file("1", name, UNSURE) for name in CATEGORIES]
    assert {one.category for one in filed} == set(get_args(Category))
    assert not any(one.asks for one in filed)


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("To-Dos", "reminders"), ("to_do", "reminders"), ("Meeting Notes", "interactions"), ("SYSTEM", "system"),
        ("work/projects", "projects"), ("recipe", "references"), ("Lessons learned", "learnings"), ("familie", "contexts"),
    ],
)  # fmt: skip
def test_case_number_and_the_marks_between_words_do_not_matter(name: str, category: str) -> None:
    assert NOBODY.file("1", name, UNSURE).category == category


def test_an_unknown_name_is_filed_by_what_the_memory_says_if_that_is_sure() -> None:
    sure, unsure = NOBODY.file("1", "zettel", SURE), NOBODY.file("1", "zettel", UNSURE)
    assert (sure.category, sure.asks) == ("references", False)
    assert (unsure.category, unsure.asks, unsure.confidence) == ("learnings", True, 0.69)
    assert "zettel" in unsure.why
    assert "learnings or references" in unsure.why
    assert NOBODY.file("1", None, UNSURE).asks


def test_a_persons_word_comes_before_a_table_of_theirs_and_that_before_ours() -> None:
    filing = Filing({"todo": "system"}, {"1": "contexts", "2": None})
    assert filing.file("1", "todos", UNSURE).category == "contexts"
    assert filing.file("2", "Todo", UNSURE).category == "system"
    assert NOBODY.file("2", "Todo", UNSURE).category == "reminders"


@pytest.mark.parametrize("text", ["from,to\nZettel,learnings\n", "Zettel;Learnings\n", "from\tto\n\nzettels\tlearnings\n"])
def test_a_table_of_names_may_have_a_heading_and_a_spreadsheets_marks(text: str) -> None:
    assert Filing(read_categories(text), {}).file("1", "zettel", UNSURE).category == "learnings"


@pytest.mark.parametrize(("text", "line"), [("a,contexts\nb,nowhere\n", 2), ("from,to\na\n", 2)])
def test_a_wrong_line_of_it_is_named(text: str, line: int) -> None:
    error = refusal(lambda: read_categories(text))
    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, "categories")
    assert f"line {line}" in error.message


ROWS: list[dict[str, JsonValue]] = [
    {
        "legacy_id": "-7",
        "content": '=1+1, "so"\nAna',
        "from": "zettel",
        "to": "learnings",
        "confidence": 0.5,
        "why": "unsure",
    },
    {"legacy_id": "'=7", "content": "", "from": "", "to": "system", "confidence": 0.6, "why": "unsure"},
    {"legacy_id": "notes/7", "content": "Ana drinks tea.", "from": "", "to": "contexts", "confidence": 0.6, "why": "unsure"},
]


def test_a_review_comes_back_as_it_was_written() -> None:
    text = write_review(ROWS)
    assert read_review(text) == {"-7": "learnings", "'=7": "system", "notes/7": "contexts"}
    assert next(csv.reader(io.StringIO(text))) == list(COLUMNS)


def test_no_cell_of_it_is_a_formula() -> None:
    cells = [cell for row in csv.reader(io.StringIO(write_review(ROWS))) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "-", "+", "@"))]


def test_what_a_person_made_of_it_is_read() -> None:
    edited = "to;legacy_id\nSystem;notes/7\n;notes/8\n"
    assert read_review(edited) == {"notes/7": "system", "notes/8": None}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("legacy_id,to\n1,contexts\n2,elsewhere\n", 3), ("id,category\n", 1), ("", 1), ("to,legacy_id\nsystem,1\nsystem\n", 3),
        (f"legacy_id,to\n1,contexts\n{'2' * 140_000},contexts\n", 3), ('legacy_id,to\n1,contexts\n"2,contexts\n3,system\n', 3),
        ("legacy_id,to,to\n1,contexts,\n", 1),
    ],
)  # fmt: skip
def test_a_wrong_line_of_a_review_is_named(text: str, line: int) -> None:
    error = refusal(lambda: read_review(text))
    assert error.field == "review"
    assert f"line {line}" in error.message

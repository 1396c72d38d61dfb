"""Which field of an old record becomes what, and that nothing of the others is lost."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from commonplace.domain.errors import ErrorCode
from commonplace.use_cases.legacy_memories import TagFolding
from commonplace.use_cases.legacy_records import LegacyRecord, field_names, legacy_ids, read_record
from commonplace.use_cases.tinydb import Document
from tests.conftest import refusal

BERLIN = ZoneInfo("Europe/Berlin")
TEN = datetime(2024, 8, 27, 10, 30, tzinfo=BERLIN)


def read(mapping: dict[str, str] | None = None, /, **fields: Any) -> LegacyRecord:
    document = Document("notes", "7", {"content": "Ana drinks tea.", **fields})
    names = field_names(mapping or {})
    return read_record(document, legacy_ids([document], names)[document.name], names, BERLIN)


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("{TinyDate}:2024-08-27T10:30:00", TEN), ("2024-08-27T10:30:00", TEN), ("2024-08-27 10:30", TEN),
        ("2024-08-27T08:30:00Z", TEN), (1724747400, TEN), (1724747400.0, TEN), (1724747400000, TEN),
        ("2024-08-27", TEN.replace(hour=0, minute=0)),
    ],
)  # fmt: skip
def test_times_are_read_as_old_stores_write_them(given: object, moment: datetime) -> None:
    assert read(created_at=given).memory.created_at == moment


def test_an_end_that_never_comes_is_none() -> None:
    never = read(expires_at="9999-12-31T23:59:59").memory.expires_at
    assert never is not None
    assert never.year == 9999


@pytest.mark.parametrize("given", [["tea", "Green Tea"], "tea, Green Tea", "tea,,Green Tea,"])
def test_tags_may_be_a_list_or_a_text(given: object) -> None:
    assert read(tags=given).memory.tags == ["tea", "Green Tea"]


@pytest.mark.parametrize(("given", "level"), [(1, 1.0), (5, 5.0), ("4", 4.0), (2.5, 2.5)])
def test_importance_is_one_to_five(given: object, level: float) -> None:
    assert read(importance=given).level == level


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("importance", "high"), ("importance", 9), ("importance", True), ("created_at", "some day"), ("created_at", -5),
        ("created_at", "0001-01-01T00:00:00+14:00"), ("access_count", "often"), ("access_count", -1), ("tags", {"tea": 1}),
        ("source", "a very long source " * 5), ("source", 3), ("category", ["a", "b"]), ("last_accessed", 1e30),
    ],
)  # fmt: skip
def test_what_can_not_be_read_as_its_field_goes_to_the_note(field: str, value: object) -> None:
    record = read(**{field: value})
    assert record.left == (field,)
    assert (record.memory.user_note or "").startswith(f"{field}: ")


def test_other_fields_go_to_the_end_of_the_note() -> None:
    record = read(user_note="told at lunch", mood="calm", place={"city": "Bonn"}, empty=None)
    assert record.memory.user_note == 'told at lunch; mood: calm; place: {"city": "Bonn"}'
    assert (record.left, record.cut) == (("mood", "place"), False)


@pytest.mark.parametrize("words", ["tea " * 900, "x" * 3_000])
def test_a_note_that_is_too_long_is_cut_at_a_word_and_told(words: str) -> None:
    record = read(diary=words)
    note = record.memory.user_note or ""
    assert (record.cut, len(note) <= 2_000, note.endswith(" …")) == (True, True, True)
    assert "te …" not in note


def test_surplus_and_endless_tags_go_to_the_note() -> None:
    record = read(tags=[f"tag-{number}" for number in range(40)] + ["x" * 65])
    assert len(record.memory.tags) == 31
    assert "tag-39" in (record.memory.user_note or "")
    assert record.left == ("tags",)


def test_fields_may_have_other_names() -> None:
    record = read({"content": "body", "category": "topic"}, body="Ana drinks coffee.", topic="drinks")
    assert (record.memory.content, record.category, record.memory.category_tags) == (
        "Ana drinks coffee.",
        "drinks",
        ["drinks"],
    )
    assert record.memory.user_note == "content: Ana drinks tea."
    assert read(text="unused").memory.content == "Ana drinks tea."
    assert refusal(lambda: field_names({"body": "content"})).field == "map"


def test_secrets_are_taken_out_of_every_text() -> None:
    secret = "sk-ant-api03-" + "Ab1" * 30
    record = read(
        content=f"Ana writes a blog on Sundays, and its key is {secret} until May.",
        tags=["tea", secret],
        mood=f"key {secret}",
    )
    assert secret not in record.memory.model_dump_json()
    assert record.redacted
    assert refusal(lambda: read(content=secret)).code is ErrorCode.SECRET_ONLY


@pytest.mark.parametrize(
    ("fields", "code"),
    [({"content": ""}, ErrorCode.MISSING_FIELD), ({"content": None}, ErrorCode.MISSING_FIELD),
     ({"content": "?!"}, ErrorCode.EMPTY_TEXT), ({"content": "tea " * 2_001}, ErrorCode.TEXT_TOO_LONG)],
)  # fmt: skip
def test_what_a_store_would_refuse_is_refused(fields: dict[str, Any], code: ErrorCode) -> None:
    error = refusal(lambda: read(**fields))
    assert (error.code, error.field) == (code, "content")


def test_each_has_an_id_that_no_other_has() -> None:
    given = [("a", "1", "x"), ("a", "2", None), ("b", "1", "x"), ("b", "2", 17), ("b", "3", "a/2"), ("b", "4", True)]
    documents = [Document(table, number, {"id": own}) for table, number, own in given]
    assert list(legacy_ids(documents, field_names({})).values()) == ["x", "a/2", "b/1", "17", "b/3", "b/4"]


def test_an_id_that_another_has_too_goes_to_the_note() -> None:
    document = Document("b", "1", {"id": "x", "content": "Ana drinks tea."})
    assert read_record(document, "b/1", field_names({}), UTC).memory.user_note == "id: x"


def test_tags_of_one_thing_are_joined_and_no_others() -> None:
    used = [["js", "Books"], ["javascript", "book"], ["python2", "book"], ["python3", "java"]]
    folding = TagFolding.of(used, {"novels": 3})
    assert folding.folded(["js", "Books", "python2", "python3", "java"]) == (
        "javascript",
        "book",
        "python2",
        "python3",
        "java",
    )
    assert (folding.before.distinct, folding.after.distinct) == (7, 5)


def test_of_several_spellings_the_one_whose_words_are_found_stays() -> None:
    folding = TagFolding.of([["Garden_Plan"], ["garden-plans"], ["!", "Garden_Plan"]], {})
    assert folding.folded(["garden-plans", "Garden_Plan", "!"])[0] == "garden-plan"
    assert folding.renamed["garden-plans"] == "garden-plan"


def test_a_tag_that_the_user_has_comes_first() -> None:
    assert TagFolding.of([["book"], ["book"]], {"books": 1}).folded(["book"]) == ("books",)

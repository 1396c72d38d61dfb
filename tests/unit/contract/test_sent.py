"""Arguments as clients send them: what is read, what stays a text, and what is refused, and in which words."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from commonplace import Commonplace
from commonplace.contract.registry import TOOLS, Tool, tool_named
from commonplace.contract.sent import as_declared
from commonplace.contract.validate import check
from commonplace.domain import requests, storage
from commonplace.domain.analysis import FeedbackRequest, ForgetFeedbackRequest
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Place, Request
from commonplace.domain.imports import ImportRequest, StoreManyRequest
from commonplace.domain.interactions import RecordRequest
from commonplace.integrations.tool_rows import ModelTool

ROUTES: tuple[type[BaseModel], ...] = (
    StoreManyRequest, ImportRequest, RecordRequest, FeedbackRequest, ForgetFeedbackRequest,
)  # fmt: skip
REQUESTS = {**{tool.name: tool.request for tool in TOOLS}, **{kind.__name__: kind for kind in ROUTES}}
EMPTIES: list[Any] = [None, "", " ", "{}", "[]", "null", {}, []]


def read(name: str, **given: Any) -> dict[str, Any]:
    """The request's fields that were given, as the tool gets them."""
    return check(REQUESTS[name], as_declared(REQUESTS[name], given)).model_dump(mode="json", exclude_unset=True)


def refused(name: str, given: Any) -> CommonplaceError:
    with pytest.raises(CommonplaceError) as caught:
        check(REQUESTS[name], as_declared(REQUESTS[name], given))
    assert caught.value.code.status == 400
    return caught.value


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("list_memories", {"limit": 10.0}, {"limit": 10}),
        ("list_memories", {"limit": "5"}, {"limit": 5}),
        ("list_memories", {"limit": " 5.0 ", "cursor": "", "category": None}, {"limit": 5}),
        ("list_memories", {"options": '{"importance_min": "3", "include_expired": "true"}'},
         {"options": {"importance_min": 3, "include_expired": True}}),
        ("list_memories", {"options": ""}, {}),
        ("search_memory", {"query": "tea", "options": {"min_relevance": "0.5", "limit": 3.0}},
         {"query": "tea", "options": {"min_relevance": 0.5, "limit": 3}}),
        ("search_memory", {"query": "tea", "options": {"time_range": '{"after": ""}'}},
         {"query": "tea", "options": {"time_range": {}}}),
        ("optimize_tags", {"threshold": "1", "dry_run": "False", "run_id": ""}, {"threshold": 1.0, "dry_run": False}),
        ("memory_store", {"content": "Tea.", "metadata": '{"type": "fact", "tags": "[\\"a\\"]", "importance": "1e-1"}'},
         {"content": "Tea.", "metadata": {"type": "fact", "tags": ["a"], "importance": 0.1}}),
        ("memory_store", {"content": "Tea.", "metadata": {"type": "fact", "importance": 1, "emotion": ""}},
         {"content": "Tea.", "metadata": {"type": "fact", "importance": 1.0}}),
        ("store_memory", {"content": "Tea.", "context": '{"force_importance": 4}'},
         {"content": "Tea.", "context": {"force_importance": 4}}),
        ("store_memory", {"content": "Tea.", "context": "null"}, {"content": "Tea."}),
        ("update_memory", {"memory_id": "mem_1", "key": "", "value": "", "importance": "5", "tags": '["a"]'},
         {"memory_id": "mem_1", "importance": 5, "tags": ["a"]}),
        ("merge_memories", {"memory_ids": '["mem_1", "mem_2"]'}, {"memory_ids": ["mem_1", "mem_2"]}),
        ("export_memories", {"filter": '{"category": "projects"}', "run_id": None}, {"filter": {"category": "projects"}}),
        ("FeedbackRequest", {"memory_id": "mem_1", "query": "5", "useful": "true"},
         {"memory_id": "mem_1", "query": "5", "useful": True}),
        ("StoreManyRequest", {"memories": '[{"content": "5", "context": "{\\"force_importance\\": \\"4\\"}"}]', "wait": "true"},
         {"memories": [{"content": "5", "context": {"force_importance": 4}}], "wait": True}),
        ("ImportRequest", {"turns": [{"session_id": "1", "position": "5", "speaker": "Ana", "text": "true", "event_time": ""}]},
         {"turns": [{"session_id": "1", "position": 5, "speaker": "Ana", "text": "true"}]}),
        ("ImportRequest", {"turns": ['{"role": "user", "content": "[1]"}'], "keep": ""},
         {"turns": [{"role": "user", "content": "[1]"}]}),
        ("RecordRequest", {"interactions": [{"type": "discussion", "id": "", "messages": '[{"role": "user", "content": "{}"}]'}]},
         {"interactions": [{"type": "discussion", "messages": [{"role": "user", "content": "{}"}]}]}),
    ],
)  # fmt: skip
def test_what_clients_send_is_read(name: str, given: dict[str, Any], told: dict[str, Any]) -> None:
    assert read(name, **given) == told


@pytest.mark.parametrize(
    ("name", "given", "field"),
    [
        ("list_memories", {"limit": "five"}, "limit"),
        ("list_memories", {"limit": 1.5}, "limit"),
        ("list_memories", {"limit": True}, "limit"),
        ("list_memories", {"limit": "9" * 400}, "limit"),
        ("list_memories", {"limit": float("inf")}, "limit"),
        ("list_memories", {"options": {"importance_min": "NaN"}}, "options.importance_min"),
        ("store_memory", {"content": "Tea.", "context": "important"}, "context"),
        ("store_memory", {"content": "Tea.", "context": "[1]"}, "context"),
        ("store_memory", {"content": "Tea.", "context": "[" * 100_000}, "context"),
        ("store_memory", {"content": "Tea.", "context": '{"user_note": "' + "a" * 1_000_000 + '"}'}, "context"),
        ("store_memory", {"content": "Tea.", "context": {"additional_tags": "a,b"}}, "context.additional_tags"),
        ("store_memory", {"content": None}, "content"),
        ("optimize_tags", {"dry_run": "no"}, "dry_run"),
        ("repair_index", {"dry_run": " false "}, "dry_run"),
        ("repair_index", {"dry_run": "\tFALSE\n"}, "dry_run"),
        ("list_memories", {"options": {"include_expired": "true "}}, "options.include_expired"),
        ("memory_store", {"content": "Tea.", "metadata": ""}, "metadata"),
        ("delete_memory", {"key": 5}, "key"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_by_its_name(name: str, given: dict[str, Any], field: str) -> None:
    error = refused(name, given)
    assert error.field == field
    assert error.message.startswith(f"{field}: must ")


@pytest.mark.parametrize(
    ("name", "field"),
    [("merge_memories", "memory_ids"), ("export_memories", "filter"), ("ForgetFeedbackRequest", "memory_id")],
)
@pytest.mark.parametrize("empty", EMPTIES, ids=json.dumps)
def test_an_empty_filter_never_means_all_memories(name: str, field: str, empty: Any) -> None:
    if isinstance(empty, str) and field == "memory_id" and empty:
        return  # an id like any other, which no memory has
    assert refused(name, {field: empty}).field == field


@pytest.mark.parametrize("field", ["category", "type", "collection", "after", "before"])
@pytest.mark.parametrize("empty", ["", None])
def test_nor_does_an_empty_part_of_one_beside_others(field: str, empty: Any) -> None:
    whole = {"category": "projects", "type": "fact", "collection": "notes", "after": "2026-01-01", "before": "2026-02-01"}
    for parts in ({field: empty}, {**whole, field: empty}):
        assert refused("export_memories", {"filter": parts}).field == f"filter.{field}"
        assert refused("export_memories", {"filter": json.dumps(parts)}).field == f"filter.{field}"


@pytest.mark.parametrize("name", ["delete_memory", "update_memory"])
def test_nor_does_an_empty_name_of_a_memory(name: str) -> None:
    for named in ({}, {"memory_id": ""}, {"key": None}, {"memory_id": None, "key": ""}):
        assert read(name, **named) == {}  # which the use case refuses: it is one memory, by its id or key


def test_python_stays_strict() -> None:
    for arguments in ({"limit": 10.0}, {"limit": "5"}, {"options": '{"importance_min": 3}'}, {"cursor": ""}):
        with pytest.raises(CommonplaceError) as caught:
            check(REQUESTS["list_memories"], arguments)
        assert caught.value.code is ErrorCode.INVALID_ARGUMENT


TEXTS = st.one_of(
    st.sampled_from(["5", "10.0", "true", "null", '{"a":1}', '["a"]', "1e3", " 5 ", "[]", "{}", '"a"']),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ).map(json.dumps),
)
TEXT_FIELDS = [
    ("memory_normalize", "text", {}), ("memory_normalize", "context", {"text": "a"}), ("store_memory", "content", {}),
    ("search_memory", "query", {}), ("write_memory", "value", {}), ("write_memory", "key", {}),
    ("update_memory", "value", {}), ("get_memory_context", "topic", {}), ("import_memories", "data", {}),
    ("memory_store", "content", {}), ("memory_store_personal", "raw_text", {}), ("FeedbackRequest", "query", {}),
]  # fmt: skip


@given(st.sampled_from(TEXT_FIELDS), TEXTS)
def test_a_text_that_looks_like_json_stays_a_text(where: tuple[str, str, dict[str, str]], text: str) -> None:
    name, field, others = where
    assert as_declared(REQUESTS[name], {**others, field: text})[field] == text


@given(TEXTS)
def test_nor_is_a_text_inside_a_list_or_an_object_converted(text: str) -> None:
    tags = {"metadata": {"tags": [text, text], "user": text}}
    assert as_declared(requests.StoreInsightRequest, tags) == tags
    for message in ({"role": "user", "content": text}, {"role": "user", "content": [{"type": "text", "text": text}]}):
        turns = {"turns": [message]}
        assert as_declared(ImportRequest, turns) == turns
        talk = {"interactions": [{"type": "discussion", "messages": [{"role": "user", "content": text}]}]}
        assert as_declared(RecordRequest, talk) == talk


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS, lambda inner: st.lists(inner, max_size=3), max_leaves=3
)


@given(st.data())
def test_reading_twice_changes_nothing(data: st.DataObject) -> None:
    kind = REQUESTS[data.draw(st.sampled_from(sorted(REQUESTS)))]
    arguments = data.draw(st.dictionaries(st.sampled_from(sorted(kind.model_fields)), ANYTHING))
    try:
        once = as_declared(kind, arguments)
    except CommonplaceError as error:
        assert error.field is not None  # noqa: PT017 - either is right
        return
    assert repr(as_declared(kind, once)) == repr(once)


WRONG: list[Any] = [None, True, 5, 1.5, 10**30, -1, "x", "", "{", [], ["x"], [5], [[]], [{}], {}, {"x": 1}]
OF_PYTHON = re.compile(
    r"instance of|dictionar|tuple|Input should|validation|NoneType|\bint\b|\bstr\b|\bdict\b|\bfloat\b|\bbool\b"
)


def classes() -> set[str]:
    """The names of all classes of the package that say nothing in plain words."""
    found, waiting = set[str](), [BaseModel]
    while waiting:
        new = [kind for kind in waiting.pop().__subclasses__() if kind.__module__.startswith("commonplace")]
        waiting += new
        found |= {kind.__name__ for kind in new}
    return found


def wrongly(kind: type[BaseModel], given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The arguments with each field, and each field of an object in them, of a wrong type."""
    for name, field in kind.model_fields.items():
        yield from ({**given, name: wrong} for wrong in WRONG)
        for part in re.findall(r"\.(\w+)", str(field.annotation)):
            inner = next((model for model in (getattr(requests, part, None), getattr(storage, part, None)) if model), None)
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                old = given.get(name) if isinstance(given.get(name), dict) else {}
                yield from ({**given, name: new} for new in wrongly(inner, old or {}))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_message_speaks_of_python(tool: Tool) -> None:
    names = re.compile(rf"\b({'|'.join(sorted(classes()))})\b")
    for example in tool.examples:
        for arguments in wrongly(tool.request, example):
            for read_as in (lambda _, raw: raw, as_declared):
                try:
                    check(tool.request, read_as(tool.request, arguments))
                except CommonplaceError as error:
                    assert error.field  # noqa: PT017 - most are wrong, some are right
                    assert not OF_PYTHON.search(error.message), error.message  # noqa: PT017
                    assert not names.search(error.message), error.message  # noqa: PT017


def test_a_value_of_several_forms_is_named_without_them() -> None:
    class Several(Request):
        content: str | list[Place] | None

    with pytest.raises(CommonplaceError) as caught:
        check(Several, {"content": [{"position": "x"}]})
    assert caught.value.field == "content"


def test_the_names_of_classes_are_looked_for() -> None:
    assert {"StoreContext", "StoreMetadata", "SearchOptions", "TimeSpan", "Place"} <= classes()
    found = list(wrongly(tool_named("store_memory").request, {"content": "Tea."}))
    assert {"content": "Tea.", "context": {"place": {"position": "x"}}} in found


def test_the_tools_for_frameworks_read_what_their_models_write() -> None:
    class Memory:
        def call(self, name: str, arguments: dict[str, Any], *, admin: bool) -> dict[str, Any]:
            return {"called": name, "with": arguments, "admin": admin}

    tool = ModelTool("list_memories", "", {}, cast(Commonplace, Memory()))
    assert tool.call({"limit": "5", "cursor": ""}) == {"called": "list_memories", "with": {"limit": 5}, "admin": False}


@pytest.mark.parametrize(
    "tag",
    ["The user drinks green tea every day", "the user drinks tea", "I like green tea", "we drink tea at noon", "likes tea.", "tea with milk!",
     "お茶が好きです。", "state of the art models"],
)  # fmt: skip
def test_a_sentence_is_no_tag_of_a_statement(tag: str) -> None:
    statement = {"raw_text": "I like tea.", "normalized": "The user likes tea.", "type": "preference"}
    error = refused("memory_store_personal", {**statement, "tags": ["tea", tag]})
    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, "tags.1")
    assert error.message.startswith("tags.1: is a sentence")


def test_a_tag_of_some_words_is_none() -> None:
    tags = ["machine learning", "New York City", "node.js", "user interface design", "etc.", "C++", "it", "we work", "日本茶"]
    statement = {"raw_text": "I like tea.", "normalized": "The user likes tea.", "type": "preference"}
    assert read("memory_store_personal", **statement, tags=tags)["tags"] == tags


def flags_of(kind: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where a request has booleans, at whatever depth."""
    for name, field in kind.model_fields.items():
        parts = {field.annotation, *get_args(field.annotation)}
        if bool in parts:
            yield (*path, name)
        for part in parts:
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from flags_of(part, (*path, name))


FLAGS = [(name, path) for name, kind in REQUESTS.items() for path in flags_of(kind)]


@pytest.mark.parametrize(("name", "path"), FLAGS, ids=lambda one: one if isinstance(one, str) else ".".join(one))
def test_every_boolean_reads_the_same_words(name: str, path: tuple[str, ...]) -> None:
    def given(value: Any) -> dict[str, Any]:
        for part in reversed(path):
            value = {part: value}
        return cast("dict[str, Any]", value)

    def is_refused(value: Any) -> bool:
        """Whether something is wrong with that field; other fields of the request may be missing."""
        try:
            REQUESTS[name].model_validate(as_declared(REQUESTS[name], given(value)))
        except ValidationError as refused:
            return path in {error["loc"] for error in refused.errors()}
        return False

    assert [value for value in (True, False, "true", "FALSE", "True") if is_refused(value)] == []
    others: tuple[Any, ...] = (0, 1, 1.0, "yes", "no", "on", "off", "0", "1", "t", " True ", "\tfalse\n", [], {})
    assert [value for value in others if not is_refused(value)] == []


@pytest.mark.parametrize("value", ["no", "off", 0])
def test_a_repair_that_is_not_to_run_names_the_field(value: Any) -> None:
    assert refused("repair_index", {"dry_run": value}).field == "dry_run"


def test_some_requests_have_booleans() -> None:
    assert {("repair_index", ("dry_run",)), ("list_memories", ("options", "include_expired"))} <= set(FLAGS)


def test_an_import_without_a_conversation_names_both_fields() -> None:
    assert refused("ImportRequest", {}).message == "turns: is required, or messages"


@pytest.mark.parametrize("keep", ["all", "worthy"])
def test_what_to_keep_of_turns_says_nothing_of_messages(keep: str) -> None:
    error = refused("ImportRequest", {"messages": [{"role": "user", "content": "I drink tea."}], "keep": keep})
    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, "keep")
    assert error.message == "keep: is for turns, and can't be combined with messages"


@pytest.mark.parametrize("apply", [True, False])
def test_turns_are_stored_at_once_so_nothing_is_to_be_applied(apply: bool) -> None:
    error = refused("ImportRequest", {"turns": [{"role": "user", "content": "I drink tea."}], "apply": apply})
    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, "apply")
    assert error.message == "apply: is for messages, and can't be combined with turns"


@pytest.mark.parametrize("blank", [" ", "\t", "\u3000"])
def test_an_insight_has_no_blank_id(blank: str) -> None:
    error = refused("memory_store", {"id": blank, "content": "Tea.", "metadata": {"type": "fact"}})
    assert (error.code, error.field, error.message) == (ErrorCode.INVALID_ARGUMENT, "id", "id: must not be empty")

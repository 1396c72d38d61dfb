"""LangGraph's store: one contract over its own `InMemoryStore` and ours, in an environment with the real library."""

import asyncio
import json
import re
import runpy
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph", reason="runs in an environment of its own: make test-frameworks")

from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from commonplace import Commonplace
from commonplace.integrations.langgraph import CommonplaceStore

ROOT = Path(__file__).parents[2]
USERS = ("users", "ana")
TEA = {"text": "Ana drinks green tea.", "kind": "habit", "rank": 2, "tags": ["drink", "hot"], "meta": {"from": "chat"}}
SWIM = {"text": "Ana swims on Mondays.", "kind": "habit", "rank": 3, "tags": ["sport"], "meta": {"from": "page"}}
CITY = {"text": "Ana lives in Lisbon.", "kind": "place", "rank": 1.5, "tags": [], "meta": {"from": "chat"}}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Commonplace]:
    with Commonplace(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture(params=["theirs", "ours"])
def store(request: pytest.FixtureRequest, memory: Commonplace) -> BaseStore:
    return InMemoryStore() if request.param == "theirs" else CommonplaceStore(memory)


def keys(found: list[Any]) -> set[str]:
    return {one.key for one in found}


@pytest.fixture
def filled(store: BaseStore) -> BaseStore:
    for namespace, key, value in ((USERS, "tea", TEA), (USERS, "swim", SWIM), (("users", "ben"), "city", CITY)):
        store.put(namespace, key, value)
    return store


def test_what_is_put_is_got_again_and_the_last_put_counts(store: BaseStore) -> None:
    assert store.get(USERS, "tea") is None
    store.put(USERS, "tea", TEA)
    store.put(USERS, "tea", {**TEA, "rank": None, "é": "日本", "deep": [{"a": [True, 1.5]}]})
    item = store.get(USERS, "tea")
    assert item is not None
    assert item.value == {**TEA, "rank": None, "é": "日本", "deep": [{"a": [True, 1.5]}]}
    assert (item.key, item.namespace) == ("tea", USERS)
    assert item.created_at <= item.updated_at
    assert item.created_at.tzinfo is not None
    assert store.get(("users",), "tea") is None


def test_what_is_deleted_is_gone_and_may_be_put_again(filled: BaseStore) -> None:
    filled.delete(USERS, "tea")
    filled.delete(USERS, "never there")
    assert filled.get(USERS, "tea") is None
    assert keys(filled.search(("users",))) == {"swim", "city"}
    filled.put(USERS, "tea", TEA)
    assert keys(filled.search(USERS)) == {"tea", "swim"}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, {"tea", "swim", "city"}),
        ({"kind": "habit"}, {"tea", "swim"}),
        ({"kind": {"$ne": "habit"}}, {"city"}),
        ({"rank": {"$gte": 2}}, {"tea", "swim"}),
        ({"rank": {"$gt": 1.5, "$lt": 3}}, {"tea"}),
        ({"rank": {"$lte": 1.5}, "kind": "place"}, {"city"}),
        ({"meta": {"from": "chat"}}, {"tea", "city"}),
        ({"meta": {"from": {"$eq": "page"}}}, {"swim"}),
        ({"tags": ["drink", "hot"]}, {"tea"}),
        ({"tags": ["hot"]}, set()),
        ({"missing": None}, {"tea", "swim", "city"}),
        ({"missing": 1}, set()),
    ],
)
def test_a_filter_lets_pass_what_it_says(filled: BaseStore, wanted: dict[str, Any], found: set[str]) -> None:
    assert keys(filled.search(("users",), filter=wanted)) == found


def test_an_unknown_operator_is_refused(filled: BaseStore) -> None:
    with pytest.raises(ValueError, match="Unsupported operator"):
        filled.search(("users",), filter={"rank": {"$in": [1]}})


def test_a_search_stays_in_its_namespace(filled: BaseStore) -> None:
    filled.put(("users", "anastasia"), "x", TEA)
    assert keys(filled.search(USERS)) == {"tea", "swim"}
    assert keys(filled.search(())) == {"tea", "swim", "city", "x"}
    assert filled.search(("nobody",)) == []


def test_pages_hold_each_item_once(store: BaseStore) -> None:
    for number in range(7):
        store.put(USERS, f"k{number}", {"n": number})
    pages = [store.search(USERS, limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert [len(page) for page in pages] == [3, 3, 1, 0]
    assert sorted(one.key for page in pages for one in page) == [f"k{number}" for number in range(7)]
    assert len(store.search(USERS)) == 7


NAMESPACES = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "f"), ("x", "b", "c"), ("x",)]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, sorted(NAMESPACES)),
        ({"prefix": ("a",)}, [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "f")]),
        ({"suffix": ("b", "c")}, [("a", "b", "c"), ("x", "b", "c")]),
        ({"prefix": ("*", "b"), "suffix": ("c",)}, [("a", "b", "c"), ("x", "b", "c")]),
        ({"suffix": ("d", "*")}, [("a", "b", "d", "e")]),
        ({"prefix": ("a", "b", "c", "d", "e")}, []),
        ({"max_depth": 2}, [("a", "b"), ("a", "f"), ("x",), ("x", "b")]),
        ({"prefix": ("a",), "max_depth": 2, "limit": 1, "offset": 1}, [("a", "f")]),
    ],
)
def test_namespaces_are_listed(store: BaseStore, asked: dict[str, Any], found: list[tuple[str, ...]]) -> None:
    for namespace in NAMESPACES:
        store.put(namespace, "k", {"n": 1})
    assert store.list_namespaces(**asked) == found


def test_a_batch_reads_first_and_its_last_put_counts(filled: BaseStore) -> None:
    results = filled.batch(
        [
            PutOp(USERS, "tea", None),
            GetOp(USERS, "tea"),
            PutOp(USERS, "new", {"n": 1}),
            SearchOp(USERS, limit=9),
            PutOp(USERS, "new", {"n": 2}),
            ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("users",)),)),
        ]
    )
    assert results[1].value == TEA
    assert keys(results[3]) == {"tea", "swim"}
    assert results[5] == [USERS, ("users", "ben")]
    assert [results[number] for number in (0, 2, 4)] == [None] * 3
    assert (filled.get(USERS, "tea"), filled.get(USERS, "new").value) == (None, {"n": 2})


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",), ("langgraph", "x")])
def test_what_no_namespace_may_be_is_refused(store: BaseStore, namespace: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"n": 1})


def test_a_time_to_live_is_refused_as_by_every_store_without(store: BaseStore) -> None:
    assert not store.supports_ttl
    with pytest.raises(NotImplementedError):
        store.put(USERS, "k", {"n": 1}, ttl=5)
    store.put(USERS, "k", {"n": 1}, ttl=None)


async def _asynchronous(store: BaseStore) -> None:
    await store.aput(USERS, "tea", TEA)
    await store.aput(USERS, "swim", SWIM)
    assert (await store.aget(USERS, "tea")).value == TEA
    await store.adelete(USERS, "swim")
    assert keys(await store.asearch(("users",), filter={"kind": "habit"})) == {"tea"}
    assert await store.alist_namespaces(prefix=("users",)) == [USERS]


def test_the_asynchronous_methods_do_the_same(store: BaseStore) -> None:
    asyncio.run(_asynchronous(store))


KEYS = st.sampled_from(["a", "b", "ü/#%"])
PLACES = st.sampled_from([("n",), ("n", "m"), ("n", "m", "o"), ("p",)])
VALUES = st.fixed_dictionaries({"n": st.integers(0, 3), "t": st.sampled_from(["x", "y", None])})
OPERATIONS = st.one_of(
    st.builds(lambda place, key, value: PutOp(place, key, value), PLACES, KEYS, st.none() | VALUES),
    st.builds(lambda place, key, value: PutOp(place, key, value), PLACES, KEYS, VALUES),
    st.builds(
        lambda place, wanted: SearchOp(place, wanted, limit=99),
        PLACES,
        st.none() | st.fixed_dictionaries({"n": st.integers(0, 3)}),
    ),
)


def told(result: Any) -> Any:
    return sorted((one.namespace, one.key, json.dumps(one.value)) for one in result) if isinstance(result, list) else result


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(OPERATIONS, max_size=4), max_size=6))
def test_both_stores_answer_the_same_to_whatever_is_drawn(batches: list[list[Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder, Commonplace(Path(folder) / "memory.db") as memory:
        ours, theirs = CommonplaceStore(memory), InMemoryStore()
        for batch in batches:
            assert [told(one) for one in ours.batch(batch)] == [told(one) for one in theirs.batch(batch)]
        everything = [SearchOp((), limit=99)]
        assert told(ours.batch(everything)[0]) == told(theirs.batch(everything)[0])


def test_a_query_puts_what_it_means_first_and_gives_it_a_score(memory: Commonplace) -> None:
    store = CommonplaceStore(memory)
    for key, value in (("city", CITY), ("swim", SWIM), ("tea", TEA)):
        store.put(USERS, key, value)
    store.put(("users", "ben"), "tea", {"text": "Ben drinks black tea."})
    found = store.search(USERS, query="what does Ana drink?")
    assert (found[0].key, found[0].namespace, len(found)) == ("tea", USERS, 3)
    assert found[0].score is not None
    assert 0.3 < found[0].score <= 1
    assert [one.key for one in store.search(USERS, query="where is Ana at home?", limit=1)] == ["city"]
    assert [one.key for one in store.search(USERS, query="what does Ana drink?", filter={"kind": "place"})] == ["city"]


def test_of_an_item_that_is_not_indexed_no_word_is_found(memory: Commonplace) -> None:
    store = CommonplaceStore(memory, fields=["text"])
    store.put(USERS, "tea", TEA, index=False)
    store.put(USERS, "swim", SWIM, index=["meta.from", "tags[*]"])
    store.put(USERS, "city", CITY)
    passages = {one["raw_text"] for one in memory.export() if one["status"] == "active"}
    assert passages == {"page", "sport", "Ana lives in Lisbon."}
    assert store.search(USERS, query="green tea")[0].score is None or store.search(USERS, query="green tea")[0].key != "tea"


def test_a_secret_is_taken_out_of_a_value_and_that_is_logged(memory: Commonplace, caplog: pytest.LogCaptureFixture) -> None:
    store = CommonplaceStore(memory)
    store.put(USERS, "k", {"note": "my password is blue-monkey-42", "password": "red-monkey-43"})
    assert "secrets are never stored" in caplog.text
    assert "monkey" not in json.dumps(store.get(USERS, "k").value)


def test_users_of_one_file_see_nothing_of_each_other(tmp_path: Path) -> None:
    with Commonplace(tmp_path / "m.db", user_id="ana") as ana, Commonplace(tmp_path / "m.db", user_id="ben") as ben:
        CommonplaceStore(ana).put(USERS, "tea", TEA)
        assert CommonplaceStore(ben).get(USERS, "tea") is None
        assert CommonplaceStore(ben).search((), query="tea") == []


def test_the_code_of_the_page_and_the_example_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    (section,) = re.findall(r"^## LangGraph\n(.*?)(?=^## )", page, re.DOTALL | re.MULTILINE)
    (code,) = re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/agents.md", "exec"), {})
    monkeypatch.setattr("sys.argv", ["langgraph_store.py", "of_the_example.db"])
    runpy.run_path(str(ROOT / "examples" / "langgraph_store.py"), run_name="__main__")
    assert capsys.readouterr().out == "['I am allergic to peanuts.']\n"

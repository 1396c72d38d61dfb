"""`trace_search`, whole: for whatever is asked it tells the very order and scores of `search_memory`."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Commonplace, SearchOptions
from commonplace.ports.values import Weights
from commonplace.retrieval.ranking import TIE_BREAKS
from commonplace.settings import Settings, read_settings
from tests.conftest import NOON, refusal
from tests.integration.command_line import run, stored

pytestmark = pytest.mark.integration
TOLD = (
    "My daughter Mia is allergic to peanuts.", "I take my coffee black, without sugar.", "I work at Bosch.",
    "Always answer in short sentences.", "I prefer tea to coffee in the evening.", "The dentist is on Friday at nine.",
    "We decided to use Postgres for the ledger project.", "昨日、東京で寿司を食べました。", "Ich wohne seit März in Bonn.",
)  # fmt: skip
TALK = (("Ana", "Which zither do you play?"), ("Ben", "The old one of my father."), ("Ana", "Does it still hold its tune?"))
WORDS = (
    "what who when where is are do I you me my Mia Ana Ben tea coffee work at Bosch Siemens peanuts allergic zither tune "
    "father Postgres project last week in March on Friday should recommend know about everything 寿司 東京 wohne ? not"
).split()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commonplace]:
    path = tmp_path_factory.mktemp("tracing") / "memory.db"
    moment = [NOON]
    with Commonplace(path, user_id="ana", now=lambda: moment[0], settings=Settings(db=path)) as memory:
        for text in TOLD:
            memory.store_memory(text)
        for position, (speaker, text) in enumerate(TALK):
            memory.store_memory(text, context={"place": {"session_id": "talk", "position": position, "speaker": speaker}})
        moment[0] = NOON.replace(month=7)
        memory.store_memory("I work at Siemens now.")
        yield memory


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join),
    st.sampled_from([1, 3, 20]),
    st.sampled_from([None, 0.0, 0.6]),
    st.sampled_from([None, "contexts", "work_context"]),
)
def test_order_scores_and_sums_are_those_of_the_search(
    told: Commonplace, query: str, limit: int, least: float | None, category: str | None
) -> None:
    options: SearchOptions = {} if least is None else {"min_relevance": least}
    asked = {"query": query, "limit": limit, "options": options} | ({"category": category} if category else {})
    trace, search = told.call("trace_search", asked), told.call("search_memory", asked)
    fields = ("id", "relevance_score", "probability", "below_threshold")
    assert [[hit.get(name) for name in fields] for hit in trace["results"]] == [
        [hit.get(name) for name in fields] for hit in search["results"]
    ]
    for hit in trace["results"]:
        assert sum(hit["parts"].values()) == pytest.approx(hit["raw"], abs=1e-5)
        matched = max(0.0, hit["raw"] - sum(hit["parts"].get(name, 0.0) for name in TIE_BREAKS))
        expected = hit["raw"] if trace["ranked_by"] == "importance" else matched / (matched + 0.2)
        assert hit["relevance_score"] == pytest.approx(expected, abs=1e-4)
    returned = {hit["id"] for hit in trace["results"]}
    assert not returned & {one["id"] for one in trace["left_out"]}
    assert sum(one["why"] == "min_relevance" for one in trace["left_out"]) == search["query_analysis"]["held_back"]


def test_the_profile_that_ranks_otherwise_has_parts_of_its_own(tmp_path: Path) -> None:
    settings = Settings(db=tmp_path / "memory.db", ranking="classic")
    with Commonplace(user_id="ana", now=lambda: NOON, settings=settings) as memory:
        memory.store_memory("I like green tea.")
        trace = memory.trace_search("tea")
        assert trace.ranked_by == "classic"
        (hit,) = trace.results
        assert {"semantic", "exact", "importance", "recency"} <= set(hit.parts)
        assert sum(hit.parts.values()) == pytest.approx(hit.raw, abs=1e-5)
        assert hit.relevance_score == memory.search_memory("tea").results[0].relevance_score


def test_no_more_than_fifty_are_listed_for_a_reason(memory: Commonplace) -> None:
    turns = [{"session_id": "s", "position": 20 * at, "speaker": "user", "text": f"Tea {at} is green."} for at in range(60)]
    memory.import_turns(turns)
    trace = memory.trace_search("green tea", limit=1)
    assert [one.why for one in trace.left_out] == ["limit"] * 50
    assert trace.notes is not None
    assert "at most 50" in str(trace.notes.warnings)


def test_an_erased_memory_is_nowhere_in_the_trace(memory: Commonplace) -> None:
    gone, kept = memory.store_memory("I hid tea in the attic."), memory.store_memory("I drink tea at noon.")
    assert gone.memory_id in json.dumps(memory.call("trace_search", {"query": "tea"}))
    memory.erase(gone.memory_id)
    after = memory.call("trace_search", {"query": "tea"})
    assert gone.memory_id not in json.dumps(after)
    assert [one["id"] for one in after["legs"]["lexical"]] == [kept.memory_id]


def test_a_person_sees_parts_and_reasons(memory_file: Path) -> None:
    for text in (
        "I play the cello in an orchestra.",
        "The cello is in the attic.",
        "My daughter Mia is allergic to peanuts.",
    ):
        stored(text, memory_file)
    done = run("trace", "cello", "orchestra", "--limit", "1", "--db", str(memory_file), home=memory_file.parent)
    assert (done.code, done.err) == (0, "")
    assert all(word in done.out for word in ("meaning", "tie_importance", "beyond --limit", "milliseconds"))
    told = run("trace", "cello", "--json", "--db", str(memory_file), home=memory_file.parent)
    assert set(told.answer) == {"ranked_by", "legs", "results", "left_out", "times_ms"}


def test_how_many_candidates_each_leg_has_is_a_setting(tmp_path: Path) -> None:
    def legs(depth: str) -> tuple[int, int]:
        settings = Settings.model_validate({"db": tmp_path / "deep.db", "depth": depth})
        with Commonplace(settings=settings, user_id="ana", now=lambda: NOON) as memory:
            memory.import_turns(teas)
            found = memory.trace_search("tea").legs
            return len(found.lexical), len(found.vector)

    turns = range(120)
    teas = [{"session_id": f"s{n}", "position": 1, "speaker": "user", "text": f"I like tea number {n}."} for n in turns]
    assert (legs("fast"), legs("thorough")) == ((50, 50), (120, 100))


def test_what_orders_memories_that_match_alike_is_a_setting(tmp_path: Path) -> None:
    def parts(**weights: float) -> dict[str, float]:
        settings = Settings.model_validate({"db": tmp_path / "weighed.db", **weights})
        with Commonplace(settings=settings, user_id="ana", now=lambda: NOON) as memory:
            memory.store_memory("I like green tea.", context={"force_importance": 5})
            (hit,) = memory.trace_search("green tea").results
            return {name: hit.parts.get(name, 0.0) for name in ("tie_importance", "tie_recency")}

    usual = Weights()
    assert parts() == {"tie_importance": pytest.approx(usual.importance, rel=0.1), "tie_recency": usual.recency}
    heavy = parts(importance_weight=0.2, recency_weight=0.0)
    assert heavy == {"tie_importance": pytest.approx(10 * parts()["tie_importance"]), "tie_recency": 0.0}


@pytest.mark.parametrize("name", ["importance", "recency", "usage"])
def test_a_weight_has_a_range_and_its_own_default(name: str) -> None:
    key = f"COMMONPLACE_{name.upper()}_WEIGHT"
    assert getattr(read_settings({}), f"{name}_weight") == getattr(Weights(), name)
    assert getattr(read_settings({key: "0.2"}), f"{name}_weight") == 0.2
    for wrong in ("-0.01", "0.21", "nan", "much"):
        refused = refusal(partial(read_settings, {key: wrong}))
        assert refused.field == key
        assert refused.message.startswith(key)

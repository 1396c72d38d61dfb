"""The laws of `trace_search`: it tells what the search did, on every engine, and nothing that may not be seen."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from commonplace.domain.consistency import TracedHit, TraceResult
from commonplace.domain.requests import SearchOptions, SearchRequest, TimeSpan
from commonplace.ports.bundle import Ports
from commonplace.ports.index import Legs
from commonplace.ports.values import Caller, Filter, Visibility
from commonplace.retrieval.ranking import TIE_BREAKS
from commonplace.text.foundation.tokenizer import terms
from commonplace.use_cases.feedback import forget_feedback, record_feedback
from commonplace.use_cases.search import search_memory
from commonplace.use_cases.trace import trace_search
from tests.conftest import NOON
from tests.contract.conftest import Writer

CALLER = Caller("local|ana", NOON + timedelta(hours=1))
EVERYTHING = Filter()
SEEN = Visibility("local|ana", ("global",), CALLER.now)


def legs_of(ports: Ports, query: str, filters: Filter = EVERYTHING) -> Legs:
    gathered = ports.index.find(SEEN, filters, terms(query), ports.embedder.embed(query), with_legs=True)
    assert gathered.legs is not None
    return gathered.legs


def ids(leg: Sequence[tuple[str, float]]) -> list[str]:
    return [memory_id for memory_id, _ in leg]


def traced(ports: Ports, query: str, caller: Caller = CALLER, limit: int = 5, **options: object) -> TraceResult:
    request = SearchRequest(query=query, limit=limit, options=SearchOptions.model_validate(options))
    told, found = trace_search(request, caller, ports), search_memory(request, caller, ports)
    assert [(hit.id, hit.relevance_score, hit.probability, hit.below_threshold) for hit in told.results] == [
        (hit.id, hit.relevance_score, hit.probability, hit.below_threshold) for hit in found.results
    ]
    for hit in told.results:
        assert sum(hit.parts.values()) == pytest.approx(hit.raw, abs=1e-5)
        matched = max(0.0, hit.raw - sum(hit.parts.get(name, 0.0) for name in TIE_BREAKS))
        relevance = hit.raw if told.ranked_by == "importance" else matched / (matched + 0.2)
        assert hit.relevance_score == pytest.approx(relevance, abs=1e-4)
    return told


def reasons(told: TraceResult) -> dict[str, str]:
    return {one.id: one.why for one in told.left_out}


def test_each_leg_tells_what_it_found_best_first(ports: Ports, writer: Writer) -> None:
    often, once, none = (writer.write(text) for text in ("Tea, tea and green tea", "Ana drinks tea at noon", "Ben swims"))
    legs = legs_of(ports, "tea")
    assert set(ids(legs.lexical)) == {often.memory_id, once.memory_id}
    assert set(ids(legs.vector)) == {often.memory_id, once.memory_id, none.memory_id}
    for leg in (legs.lexical, legs.vector):
        assert [raw for _, raw in leg] == sorted((raw for _, raw in leg), reverse=True)
    asked, vector = ports.embedder.embed("tea"), ports.embedder.embed(often.raw_text)
    assert asked is not None
    assert vector is not None
    assert dict(legs.vector)[often.memory_id] == pytest.approx(float(asked @ vector), abs=2e-3)


def test_legs_cost_who_does_not_ask_for_them_nothing_and_change_nothing(ports: Ports, writer: Writer) -> None:
    for text in ("Ana drinks tea", "Ana drinks coffee", "Ben swims"):
        writer.write(text)
    plain, told = (
        ports.index.find(SEEN, EVERYTHING, terms("tea"), ports.embedder.embed("tea"), with_legs=asked)
        for asked in (False, True)
    )
    assert plain.legs is None
    assert sorted(plain.candidates.ids) == sorted(told.candidates.ids)
    cosines = [dict(zip(one.candidates.ids, one.candidates.cosines.tolist(), strict=True)) for one in (plain, told)]
    assert cosines[0] == pytest.approx(cosines[1], nan_ok=True)


def test_a_leg_holds_only_what_passes_the_filter_and_may_be_seen(ports: Ports, writer: Writer) -> None:
    wanted = writer.write("Tea at dawn", category="learnings")
    writer.write("Tea at noon")
    writer.write("Tea at night", agent_id="another", category="learnings")
    writer.write("Tea for Ben", user_id="local|ben", category="learnings")
    legs = legs_of(ports, "tea", Filter(category="learnings"))
    assert ids(legs.lexical) == ids(legs.vector) == [wanted.memory_id]


def test_without_a_vector_only_words_have_a_leg(ports: Ports, writer: Writer) -> None:
    memory = writer.write("Ana drinks tea")
    gathered = ports.index.find(SEEN, EVERYTHING, terms("tea"), None, with_legs=True)
    assert gathered.legs is not None
    assert ids(gathered.legs.lexical) == [memory.memory_id]
    assert list(gathered.legs.vector) == []


def test_the_trace_is_that_of_the_search(ports: Ports, writer: Writer) -> None:
    for text in ("Ana drinks green tea", "Ana drinks coffee", "Ben swims", "Tea comes from China"):
        writer.write(text)
    for query in ("tea", "what does Ana drink", "zebra", "?", "what do you know about me", "tea last week"):
        traced(ports, query)


def test_neighbours_are_told_apart_from_what_a_leg_found(ports: Ports, writer: Writer) -> None:
    turns = [
        writer.write(text, session_id="talk", position=at, embedding_model="another")
        for at, text in enumerate(("Which zither do you play?", "The old one."))
    ]
    told = traced(ports, "zither", min_relevance=0.0)
    reach = {hit.id: hit.reach for hit in told.results}
    assert reach[turns[0].memory_id] == ["lexical"]
    assert reach[turns[1].memory_id] == ["neighbour"]


@pytest.mark.meaning
def test_a_newer_value_that_was_put_first_has_a_part_for_it(ports: Ports, writer: Writer) -> None:
    writer.write("My manager is Priya.", created_at=NOON - timedelta(days=60))
    new = writer.write("My manager is Daniel now.")
    told = traced(ports, "Is the manager still Priya?", min_relevance=0.0)
    assert told.results[0].id == new.memory_id
    assert told.results[0].parts["newest_value"] > 0


def test_questions_that_name_nothing_go_by_importance(ports: Ports, writer: Writer) -> None:
    low, high = writer.write("Ana likes tea", importance=0.25), writer.write("Ana is allergic to nuts", importance=1.0)
    told = traced(ports, "what do you know about me", limit=1)
    assert told.ranked_by == "importance"
    assert [(hit.id, hit.reach, hit.raw) for hit in told.results] == [(high.memory_id, ["importance"], 1.0)]
    assert reasons(told) == {low.memory_id: "limit"}


def test_what_was_left_out_is_told_with_the_argument_that_did_so(ports: Ports, writer: Writer) -> None:
    best = writer.write("Tea, green tea", category="learnings", importance=1.0)
    beyond = writer.write("Ana drinks tea", category="learnings", importance=1.0)
    weak = writer.write(
        "The bus to town is late", category="learnings", importance=1.0, embedding_model="another", tags=("teatime",)
    )
    elsewhere = writer.write("Tea is a project of hers", category="projects", importance=1.0)
    old = writer.write("Tea was cheap", category="learnings", importance=1.0, event_time=NOON - timedelta(days=9))
    minor = writer.write("Tea is hot", category="learnings", importance=0.0)
    over = writer.write("Tea is ready", category="learnings", importance=1.0, expires_at=NOON)
    span = TimeSpan(after=NOON - timedelta(days=1), before=None)
    request = SearchRequest(
        query="tea teatime", limit=1, category="learnings",
        options=SearchOptions(time_range=span, importance_min=3, min_relevance=0.6),
    )  # fmt: skip
    told = trace_search(request, CALLER, ports)
    (hit,) = told.results
    assert hit.id in (best.memory_id, beyond.memory_id)
    (other,) = {best.memory_id, beyond.memory_id} - {hit.id}
    assert reasons(told) == {
        other: "limit", weak.memory_id: "min_relevance", elsewhere.memory_id: "category", old.memory_id: "time_range",
        minor.memory_id: "importance_min", over.memory_id: "include_expired",
    }  # fmt: skip


def test_nothing_is_told_of_what_may_not_be_seen(ports: Ports, writer: Writer) -> None:
    seen = writer.write("Ana drinks tea")
    before = traced(ports, "tea")
    hidden = [
        writer.write("Secret tea of another agent", agent_id="another"),
        writer.write("Tea for Ben", user_id="local|ben"),
        writer.write("Tea that is gone", status="deleted"),
        writer.write("Tea to come", valid_from=NOON + timedelta(days=9)),
    ]
    told = traced(ports, "tea")
    assert told.model_dump_json().count("mem_") == before.model_dump_json().count("mem_")
    assert not any(one.memory_id in told.model_dump_json() for one in hidden)
    assert {hit.id for hit in told.results} == {seen.memory_id}
    own = traced(ports, "tea", replace(CALLER, agent_id="another"))
    assert hidden[0].memory_id in {hit.id for hit in own.results}


def test_what_the_index_still_holds_of_an_erased_memory_is_not_told(ports: Ports, writer: Writer) -> None:
    kept, gone = writer.write("Ana drinks tea"), writer.write("Tea that will be gone")

    class Behind:
        """The index as it was before the erasure."""

        def __init__(self) -> None:
            self._found = ports.index.find(SEEN, EVERYTHING, terms("tea"), ports.embedder.embed("tea"), with_legs=True)

        def find(self, *_: object) -> object:
            return self._found

    behind = replace(ports, index=Behind())  # type: ignore[arg-type]
    assert gone.memory_id in trace_search(SearchRequest(query="tea"), CALLER, behind).model_dump_json()

    ports.records.update(gone.model_copy(update={"status": "deleted", "version": gone.version + 1}), writer.entry("x").audit)
    told = trace_search(SearchRequest(query="tea"), CALLER, behind)
    assert gone.memory_id not in told.model_dump_json()
    assert [hit.id for hit in told.results] == [kept.memory_id]


def test_a_trace_counts_no_usage(ports: Ports, writer: Writer) -> None:
    memory = writer.write("Ana drinks tea")
    trace_search(SearchRequest(query="tea"), CALLER, ports)
    ports.usage.fold("local|ana")
    assert [one.access_count for one in ports.records.get("local|ana", [memory.memory_id])] == [0]


def test_the_steps_take_no_longer_than_the_whole(ports: Ports, writer: Writer) -> None:
    writer.write("Ana drinks tea")
    times = trace_search(SearchRequest(query="tea"), CALLER, ports).times_ms
    assert set(times) == {"question", "embedding", "index", "ranking", "records", "left_out", "total"}
    assert np.isclose(times["total"], max(times.values()))
    assert sum(spent for name, spent in times.items() if name != "total") <= times["total"] + 0.01


def rate(ports: Ports, query: str, **useful: bool) -> None:
    for memory_id, was_useful in useful.items():
        record_feedback({"memory_id": memory_id, "query": query, "useful": was_useful}, CALLER, ports)


def results(ports: Ports, query: str) -> list[TracedHit]:
    """What a trace alone tells: a search would count what it finds as used, and that is a part of the score, too."""
    return trace_search(SearchRequest(query=query, options=SearchOptions(min_relevance=0.0)), CALLER, ports).results


def test_feedback_on_like_queries_is_a_part(ports: Ports, writer: Writer) -> None:
    tea, coffee = (writer.write(f"Ana drinks {what} at noon").memory_id for what in ("green tea", "black coffee"))
    before = results(ports, "what does Ana drink at noon")
    last = before[-1].id
    first = {tea, coffee} - {last}
    rate(ports, "what did Ana drink at noon?", **{last: True, first.pop(): False})
    after = results(ports, "what does Ana drink at noon")
    assert [hit.id for hit in after] == [last, before[0].id]
    assert [hit.parts["feedback"] for hit in after] == [0.03, -0.03]
    raw = {hit.id: hit.raw for hit in before}
    assert [hit.raw - raw[hit.id] for hit in after] == pytest.approx([0.03, -0.03], abs=2e-6)
    traced(ports, "what does Ana drink at noon", min_relevance=0.0)


def test_feedback_adds_so_much_and_no_more(ports: Ports, writer: Writer) -> None:
    tea = writer.write("Ana drinks green tea at noon").memory_id
    asked = ("green tea at noon", "the green tea at noon?", "is it green tea at noon", "does Ana drink green tea at noon")
    for count, query in enumerate(asked, 1):
        rate(ports, query, **{tea: True})
        (hit,) = traced(ports, "green tea at noon", min_relevance=0.0).results
        assert hit.parts["feedback"] == min(0.06, 0.03 * count)
    rate(ports, asked[1], **{tea: False})
    (hit,) = traced(ports, "green tea at noon", min_relevance=0.0).results
    assert hit.parts["feedback"] == 0.06
    for query in asked[:3]:
        rate(ports, query, **{tea: False})
    (hit,) = traced(ports, "green tea at noon", min_relevance=0.0).results
    assert hit.parts["feedback"] == -0.06


def test_feedback_on_other_queries_changes_nothing(ports: Ports, writer: Writer) -> None:
    tea, _ = (writer.write(f"Ana drinks {what} at noon").memory_id for what in ("green tea", "black coffee"))
    queries = ("what does Ana drink", "noon", "green", "what do you know about me", "last week")
    before = [results(ports, query) for query in queries]
    rate(ports, "green tea and cake on Sundays", **{tea: False})
    assert [results(ports, query) for query in queries] == before


def test_forgotten_feedback_leaves_every_score_as_it_was(ports: Ports, writer: Writer) -> None:
    tea, _ = (writer.write(f"Ana drinks {what} at noon").memory_id for what in ("green tea", "black coffee"))
    before = results(ports, "what does Ana drink")
    rate(ports, "what does Ana drink", **{tea: False})
    assert results(ports, "what does Ana drink") != before
    assert forget_feedback({"memory_id": tea}, CALLER, ports).forgotten == 1
    assert results(ports, "what does Ana drink") == before

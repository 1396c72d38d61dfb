"""The searching tools, whole."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from commonplace import Commonplace, InsightFilter, SearchOptions, StoreContext
from tests.conftest import NOON

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]


@pytest.fixture
def household(memory: Commonplace) -> Commonplace:
    told: tuple[tuple[str, StoreContext | None], ...] = (
        ("My daughter Mia is allergic to peanuts.", None),
        ("I take my coffee black, without sugar.", None),
        ("We decided to use Postgres for the ledger project.", None),
        ("The dentist is on Friday at nine.", {"force_category": "reminders", "force_importance": 4}),
        ("昨日、東京で寿司を食べました。", None),
        ("Always answer in short sentences.", {"force_category": "system"}),
        ("We hiked up the Zugspitze.", {"place": {"event_time": "2026-03-14T10:00:00"}}),
    )
    for text, context in told:
        memory.store_memory(text, context=context)
    return memory


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which nuts can't Mia eat, is she allergic?", "My daughter Mia is allergic to peanuts."),
        ("how do I drink my coffee", "I take my coffee black, without sugar."),
        ("which database did we choose for the ledger", "We decided to use Postgres for the ledger project."),
        ("寿司はどこで食べましたか", "昨日、東京で寿司を食べました。"),
        ("when do I have to go to the dentist", "The dentist is on Friday at nine."),
    ],
)
def test_a_question_brings_back_the_right_memory_first(household: Commonplace, question: str, expected: str) -> None:
    assert household.search_memory(question).results[0].content == expected


def test_a_query_that_repeats_a_memory_finds_it_before_a_newer_value(memory: Commonplace) -> None:
    places = ("attic", "cellar", "garage", "kitchen", "shed", "hall")
    told = [f"The box zq{number}ana with the old letters is in the {place}." for number, place in enumerate(places)]
    for day, text in enumerate(told, 14):
        memory.store_memory(text, context={"place": {"event_time": f"2026-03-{day}T10:00:00"}})
    for text in told:
        assert memory.search_memory(text).results[0].content == text


def test_a_query_is_widened_by_what_stands_in_memories_the_new_ones_too(memory: Commonplace) -> None:
    def widened(question: str) -> dict[str, list[str]]:
        return memory.search_memory(question).query_analysis.semantic_expansions

    assert widened("what does my sister do") == {}
    memory.store_memory("My sister Ruth is a pilot.")
    assert widened("what do my brothers do") == {"brothers": ["family"]}


def test_a_write_is_visible_to_the_very_next_search_of_any_process(open_memory: Opener) -> None:
    writer, reader = open_memory(), open_memory()
    for number in range(5):
        text = f"The spare key number {number} hangs in cupboard {number}."
        stored = writer.store_memory(text)
        assert stored.memory_id in [hit.id for hit in reader.search_memory(text).results]


def test_nobody_sees_anothers_memories(open_memory: Opener) -> None:
    open_memory("ben").store_memory("I love jazz.")
    ana = open_memory("ana")
    assert ana.search_memory("what music do I love, jazz?").results == []
    assert ana.memory_search("jazz", nResults=100).results == []
    assert ana.memory_search_personal("jazz").results == []
    assert ana.discover_memory_tools().current_system_state.total_memories == 0
    assert ana.store_memory("I love jazz.").recommendations.similar_memories == []


def test_an_agent_sees_its_own_and_the_global_memories(memory: Commonplace) -> None:
    memory.memory_store_personal("window seat", "The user prefers window seats.", "preference", ["travel"], agent_id="travel")
    memory.memory_store_personal("aisle seat at work", "The user prefers aisle seats at work.", "preference", ["seat"])
    found = {agent: memory.memory_search_personal("which seats does the user prefer", agent_id=agent).count
             for agent in ("travel", "finance")}  # fmt: skip
    assert found == {"travel": 2, "finance": 1}
    assert memory.memory_search_personal("which seats does the user prefer").count == 1


def test_what_one_dialect_stores_the_others_find(memory: Commonplace) -> None:
    memory.memory_store("The user sings in a choir.", {"type": "fact"}, collection="other")
    assert memory.search_memory("does the user sing in a choir").results
    assert memory.memory_search_personal("does the user sing in a choir").results
    assert memory.memory_search("choir", collection="default").results == []
    assert memory.memory_search("choir", collection="other").results


def test_a_query_that_names_nothing_gives_the_most_important_current_memories(household: Commonplace) -> None:
    found = household.search_memory("what do you know about me?", limit=3).results
    assert len(found) == 3
    assert found[0].importance >= found[-1].importance
    assert "Always answer in short sentences." in [hit.content for hit in found]


@pytest.mark.parametrize("options", [
    {"time_range": {"after": "2026-03-01T00:00:00", "before": "2026-04-01T00:00:00"}},
])  # fmt: skip
def test_a_given_time_range_filters(household: Commonplace, options: SearchOptions) -> None:
    found = household.search_memory("did we hike up the Zugspitze", options=options).results
    assert [hit.content for hit in found] == ["We hiked up the Zugspitze."]


def test_a_time_in_the_query_is_reported_and_lifts_but_hides_nothing(memory: Commonplace) -> None:
    march = memory.store_memory("We went hiking with the club.", context={"place": {"event_time": "2026-03-14T10:00:00"}})
    may = memory.store_memory("We went hiking with friends.", context={"place": {"event_time": "2026-05-10T10:00:00"}})
    found = memory.search_memory("where did we go hiking in March?")
    assert found.query_analysis.time_range is not None
    assert found.query_analysis.time_range.after is not None
    assert found.query_analysis.time_range.after.isoformat() == "2026-03-01T00:00:00+01:00"
    assert [hit.id for hit in found.results] == [march.memory_id, may.memory_id]
    assert memory.search_memory("where did we go hiking?").query_analysis.time_range is None


@pytest.mark.parametrize(
    ("category", "expected"),
    [("reminders", {"The dentist is on Friday at nine."}), ("system", {"Always answer in short sentences."}), ("all", None)],
)
def test_a_category_filters(household: Commonplace, category: str, expected: set[str] | None) -> None:
    found = household.search_memory("dentist answer sentences coffee", category=category,  # type: ignore[arg-type]
                                    options={"min_relevance": 0.0}).results  # fmt: skip
    assert expected is None or {hit.content for hit in found} == expected


def test_importance_and_content_type_filter(household: Commonplace) -> None:
    found = household.search_memory("dentist", options={"importance_min": 4, "min_relevance": 0.0}).results
    assert found
    assert all(hit.importance >= 4 for hit in found)
    reminders = household.search_memory("dentist", options={"content_type": "reminder"}).results
    assert [hit.content for hit in reminders] == ["The dentist is on Friday at nine."]


def test_the_limit_beside_the_query_wins(household: Commonplace) -> None:
    found = household.search_memory("coffee dentist ledger", limit=1, options={"limit": 5, "min_relevance": 0.0})
    assert len(found.results) == 1
    assert found.total_found > 1


def test_expired_memories_are_found_only_when_asked_for(open_memory: Opener) -> None:
    context: StoreContext = {"expires_at": (NOON + timedelta(days=1)).isoformat()}
    open_memory().store_memory("I have a voucher for the cinema.", context=context)
    later = open_memory(now=lambda: NOON + timedelta(days=2))
    assert later.search_memory("cinema voucher").results == []
    assert later.search_memory("cinema voucher", options={"include_expired": True}).results


def test_distances_ascend_and_what_has_none_is_told(household: Commonplace) -> None:
    found = household.memory_search("coffee without sugar", nResults=5)
    distances = [hit.distance for hit in found.results if hit.distance is not None]
    assert len(distances) > 1
    assert distances == sorted(distances)
    assert found.results[0].content == "I take my coffee black, without sugar."
    household.memory_store("उपयोगकर्ता पुणे में रहता है", {"type": "fact"})
    by_words = household.memory_search("पुणे", nResults=1)
    assert by_words.notes is not None
    assert by_words.notes.warnings
    assert by_words.results[0].distance is None


def test_insights_are_filtered_by_label_type_importance_and_emotion(memory: Commonplace) -> None:
    memory.memory_store(
        "Likes tea a lot.", {"type": "preference", "user": "bob", "importance": 0.9, "emotion": "satisfaction"}
    )
    memory.memory_store("Likes tea a little.", {"type": "insight", "user": "eve", "importance": 0.2})
    filters: tuple[InsightFilter, ...] = (
        {"user": "bob"}, {"type": "preference"}, {"minImportance": 0.5}, {"emotion": "satisfaction"},
    )  # fmt: skip
    for wanted in filters:
        assert [hit.content for hit in memory.memory_search("tea", filter=wanted).results] == ["Likes tea a lot."]


def test_findings_are_counted_even_ten_at_once(household: Commonplace) -> None:
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: household.search_memory("coffee without sugar", limit=1), range(10)))
    (coffee,) = [found for found in household.export() if "coffee" in found["raw_text"]]
    assert coffee["access_count"] == 10
    assert coffee["last_accessed"] is not None


def test_what_surely_answers_is_told_from_what_is_merely_the_nearest(household: Commonplace) -> None:
    (sure, *_) = household.search_memory("what is Mia allergic to").results
    (nearest, *_) = household.search_memory("what is the name of our submarine captain").results
    assert sure.probability is not None
    assert nearest.probability is not None
    assert nearest.probability < 0.35 < sure.probability
    assert household.search_memory("what is Mia allergic to").query_analysis.answerable is None


def test_where_nothing_matches_the_best_there_is_comes_marked(memory: Commonplace) -> None:
    memory.store_memory("My daughter Mia is allergic to peanuts")
    found = memory.search_memory("the moon landing in 1969")
    assert [(hit.below_threshold, hit.relevance_score < 0.3) for hit in found.results] == [(True, True)]
    asked = memory.search_memory("children on the moon in 1969", options={"min_relevance": 0.8})
    assert (asked.results, asked.total_found, asked.query_analysis.held_back) == ([], 0, 1)


@pytest.mark.parametrize("query", ['"', "*", "' OR 1=1 --", "NEAR(a, b)", "a AND", "🙂", "%", "(((", "content : x"])
def test_any_query_is_just_text(household: Commonplace, query: str) -> None:
    assert household.answer("search_memory", {"query": query})[0] == 200


def test_a_secret_in_a_query_is_not_echoed(household: Commonplace) -> None:
    found = household.memory_search("my wifi password is blue-monkey-42 and what is my coffee order")
    assert "blue-monkey-42" not in found.model_dump_json()
    assert found.notes is not None
    assert found.notes.redacted

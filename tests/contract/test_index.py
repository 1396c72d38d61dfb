"""The laws of the index: what it hands over for ranking, and what it never shows."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from commonplace.memories.vectors import rounded
from commonplace.ports.bundle import Ports
from commonplace.ports.index import Candidates, Corpus
from commonplace.ports.values import Audit, Caller, Filter, Vector, Visibility
from commonplace.retrieval import bm25, engine
from commonplace.text.foundation.tokenizer import terms
from tests.conftest import NOON
from tests.contract.conftest import Writer

SEEN = Visibility("local|ana", ("global",), NOON + timedelta(hours=1))
EVERYTHING = Filter()
DONE = Audit("delete", NOON, {})


def find(ports: Ports, query: str, filters: Filter = EVERYTHING, visibility: Visibility = SEEN) -> tuple[Candidates, Corpus]:
    return found(ports, terms(query), ports.embedder.embed(query), filters, visibility)


def found(
    ports: Ports,
    words: Sequence[str],
    vector: Vector | None = None,
    filters: Filter = EVERYTHING,
    visibility: Visibility = SEEN,
) -> tuple[Candidates, Corpus]:
    gathered = ports.index.find(visibility, filters, words, vector)
    assert not gathered.partial
    return gathered.candidates, gathered.corpus


def most_important(ports: Ports, filters: Filter, limit: int, visibility: Visibility = SEEN) -> list[str]:
    ids, partial = ports.index.most_important(visibility, filters, limit)
    assert not partial
    return ids


def ranked(candidates: Candidates) -> set[str]:
    return {candidates.ids[row] for row in np.flatnonzero(candidates.ranked)}


def test_a_write_is_found_by_the_very_next_search(ports: Ports, writer: Writer) -> None:
    for text in ("Ana likes tea", "Ana likes coffee"):
        memory = writer.write(text)
        assert memory.memory_id in ranked(find(ports, text)[0])


def test_a_vector_of_another_model_is_never_compared(ports: Ports, writer: Writer) -> None:
    newer = writer.write("Ana drinks black tea")
    asked = ports.embedder.embed("green tea")
    assert not ports.index.find(SEEN, EVERYTHING, terms("green tea"), asked).other_model
    older = writer.write("Ana drinks green tea", embedding_model="another")
    retrieved = ports.index.find(SEEN, EVERYTHING, terms("green tea"), asked)
    assert retrieved.other_model
    cosines = dict(zip(retrieved.candidates.ids, retrieved.candidates.cosines.tolist(), strict=True))
    assert np.isnan(cosines[older.memory_id])
    assert -1 <= cosines[newer.memory_id] <= 1
    assert older.memory_id in ranked(retrieved.candidates)  # by its words
    alike = {one.memory_id: one for one in ports.index.similar(SEEN, terms("tea"), asked, 5)}
    assert (alike[older.memory_id].cosine, alike[older.memory_id].other_model) == (None, True)
    assert alike[newer.memory_id].cosine is not None
    assert not alike[newer.memory_id].other_model


def test_other_models_are_told_of_only_where_their_memories_may_be_seen(ports: Ports, writer: Writer) -> None:
    writer.write("Ana drinks green tea", embedding_model="another", agent_id="shopper")
    writer.write("Ben drinks green tea", "local|ben", embedding_model="another")
    assert not ports.index.find(SEEN, EVERYTHING, ["tea"], None).other_model


def test_a_score_is_the_cosine_with_the_rounded_vector(ports: Ports, writer: Writer) -> None:
    texts = [f"Ana drinks {kind} tea on day {number}" for number, kind in enumerate(("green", "black", "white") * 4)]
    memories = [writer.write(text) for text in texts]
    question, *vectors = ports.embedder.embed_all(["Does Ana drink green tea?", *texts])
    assert question is not None
    expected = {
        memory.memory_id: _cosine(question, vector, np.float16) for memory, vector in zip(memories, vectors, strict=True)
    }
    unrounded = [_cosine(question, vector, np.float32) for vector in vectors]
    assert not np.allclose(list(expected.values()), unrounded, rtol=0, atol=5e-6)
    candidates, _ = found(ports, terms("tea"), question)
    assert dict(zip(candidates.ids, candidates.cosines.tolist(), strict=True)) == pytest.approx(expected, rel=0, abs=1e-6)
    alike = {one.memory_id: one.cosine for one in ports.index.similar(SEEN, terms("tea"), question, len(memories))}
    assert alike == pytest.approx(expected, rel=0, abs=1e-6)


def _cosine(question: Vector, vector: Vector | None, stored_as: type) -> float:
    assert vector is not None
    stored = vector.astype(stored_as).astype(np.float64)
    return float(question @ stored / np.linalg.norm(question) / np.linalg.norm(stored))


def test_counts_and_lengths_are_those_of_the_tokens(ports: Ports, writer: Writer) -> None:
    memory = writer.write("tea tea and green tea, not coffee")
    writer.write("coffee")
    candidates, corpus = find(ports, "tea coffee")
    row = candidates.ids.index(memory.memory_id)
    assert candidates.term_counts[row].tolist() == [3.0, 1.0]
    assert candidates.lengths[row] == len(terms(memory.raw_text))
    assert corpus.frequencies.tolist() == [1.0, 2.0]
    assert corpus.memories == 2
    assert corpus.average_length == (len(terms(memory.raw_text)) + 1) / 2


def test_labels_count_less_than_words(ports: Ports, writer: Writer) -> None:
    memory = writer.write("runs at dawn", tags=("exercise",))
    candidates, _ = find(ports, "exercise")
    assert candidates.term_counts[candidates.ids.index(memory.memory_id), 0] == pytest.approx(bm25.LABEL_WEIGHT)


def test_statistics_are_the_users_own(ports: Ports, writer: Writer) -> None:
    writer.write("tea")
    alone = find(ports, "tea")[1]
    for number in range(20):
        writer.write(f"tea {number}", user_id="local|ben", speaker="Ben", event_time=NOON.replace(year=1999))
    assert find(ports, "tea")[1] == replace(alone, frequencies=find(ports, "tea")[1].frequencies)
    assert find(ports, "tea")[1].frequencies.tolist() == [1.0]


@pytest.mark.parametrize(
    "hidden",
    [
        {"user_id": "local|ben"},
        {"agent_id": "travel"},
        {"status": "superseded"},
        {"status": "deleted"},
        {"expires_at": NOON},
        {"valid_to": NOON},
        {"valid_from": NOON + timedelta(days=1)},
    ],
)
def test_what_may_not_be_seen_is_neither_found_nor_lends_nor_counts(
    ports: Ports, writer: Writer, hidden: dict[str, Any]
) -> None:
    writer.write("quiet words", session_id="s", position=1)
    before = find(ports, "zebra quiet")[1]
    secret = writer.write("zebra zebra", **{"session_id": "s", "position": 2, **hidden})
    candidates, corpus = find(ports, "zebra quiet")
    assert secret.memory_id not in candidates.ids
    assert corpus.frequencies.tolist() == before.frequencies.tolist()
    assert corpus.memories == before.memories
    assert secret.memory_id not in most_important(ports, Filter(), 10)
    similar = ports.index.similar(SEEN, terms("zebra zebra"), None, 10)
    assert secret.memory_id not in [memory.memory_id for memory in similar]


def test_an_agent_sees_its_own_and_the_global(ports: Ports, writer: Writer) -> None:
    own, common = writer.write("tea one", agent_id="travel"), writer.write("tea two")
    seen = replace(SEEN, agents=("global", "travel"))
    assert ranked(find(ports, "tea", visibility=seen)[0]) == {own.memory_id, common.memory_id}


def test_expired_memories_are_seen_when_asked_for(ports: Ports, writer: Writer) -> None:
    old = writer.write("tea", expires_at=NOON)
    assert ranked(find(ports, "tea", visibility=replace(SEEN, include_expired=True))[0]) == {old.memory_id}


def test_the_statistics_are_those_of_the_moment(ports: Ports, writer: Writer) -> None:
    tea = writer.write("Ana likes tea", session_id="s", position=1, speaker="Ana")
    writer.write(
        "Ben likes coffee a lot more than all of us together", expires_at=NOON + timedelta(hours=2), speaker="Ben",
        session_id="s", position=2,
    )  # fmt: skip

    def statistics(hours: float) -> tuple[int, float, list[float], list[str]]:
        seen = replace(SEEN, now=NOON + timedelta(hours=hours))
        _, corpus = found(ports, terms("tea coffee"), visibility=seen)
        return corpus.memories, corpus.average_length, corpus.frequencies.tolist(), sorted(corpus.speakers)

    both, one = statistics(1), statistics(3)
    assert (both[0], both[2], both[3]) == (2, [1.0, 1.0], ["ana", "ben"])
    assert (one[0], one[2], one[3]) == (1, [1.0, 0.0], ["ana"])
    assert both[1] > one[1]
    assert statistics(1) == both
    longer = tea.model_copy(update={"raw_text": "Ana likes tea and biscuits by the lake", "version": 2})
    ports.records.update(longer, DONE)
    assert statistics(1)[1] > both[1]
    writer.write("Cleo likes tea", speaker="Cleo")
    assert statistics(1)[0] == 3
    assert statistics(1)[3] == ["ana", "ben", "cleo"]


def test_a_change_is_seen_by_the_next_search(ports: Ports, writer: Writer) -> None:
    memory = writer.write("tea")
    assert ranked(find(ports, "tea")[0])
    ports.records.update(memory.model_copy(update={"raw_text": "coffee", "version": 2}), DONE)
    assert find(ports, "tea")[1].frequencies.tolist() == [0.0]
    assert memory.memory_id in ranked(find(ports, "coffee")[0])
    ports.records.update(memory.model_copy(update={"status": "deleted", "version": 3}), DONE)
    assert find(ports, "coffee")[0].ids == []


FILTERS: Sequence[tuple[Filter, dict[str, object]]] = [
    (Filter(collection="work"), {"collection": "work"}),
    (Filter(types=("goal", "habit")), {"memory_type": "goal"}),
    (Filter(category="projects"), {"category": "projects"}),
    (Filter(section="work_context"), {"section": "work_context"}),
    (Filter(content_type="instruction"), {"category": "system"}),
    (Filter(importance_min=0.7), {"importance": 0.75}),
    (Filter(subject="bob"), {"subject": "bob"}),
    (Filter(emotion="concern"), {"emotion": "concern"}),
    (Filter(after=NOON - timedelta(days=9), before=NOON - timedelta(days=7)), {"event_time": NOON - timedelta(days=8)}),
]


@pytest.mark.parametrize(("wanted", "fields"), FILTERS, ids=lambda value: str(value)[:40])
def test_a_filter_lets_through_only_what_passes(ports: Ports, writer: Writer, wanted: Filter, fields: dict[str, Any]) -> None:
    writer.write("green tea")
    passing = writer.write("black tea", **fields)
    assert ranked(find(ports, "tea", wanted)[0]) == {passing.memory_id}
    assert most_important(ports, wanted, 10) == [passing.memory_id]


def test_the_end_of_a_time_range_is_outside(ports: Ports, writer: Writer) -> None:
    writer.write("tea", event_time=NOON)
    assert ranked(find(ports, "tea", Filter(before=NOON))[0]) == set()
    assert ranked(find(ports, "tea", Filter(after=NOON))[0]) != set()


def test_neighbours_up_to_the_reach_are_handed_over_and_ranked(ports: Ports, writer: Writer) -> None:
    texts = ["zebra" if position == 20 else f"word{position}" for position in range(40)]
    turns = [writer.write(text, session_id="s", position=position) for position, text in enumerate(texts)]
    writer.write("elsewhere", session_id="t", position=21)
    candidates, _ = found(ports, ["zebra"])
    reach = bm25.REACH
    assert ranked(candidates) >= {turn.memory_id for turn in turns[20 - reach : 20 + reach + 1]}
    assert set(candidates.ids) >= {turn.memory_id for turn in turns[20 - 2 * reach : 20 + 2 * reach + 1]}


@pytest.mark.parametrize("last", [2**31 - 1, 2**31, 2**53, -(2**31), -(2**53)])
def test_neighbours_at_the_end_of_all_positions_are_found(ports: Ports, writer: Writer, last: int) -> None:
    """2**31 is the last that a message may have; a record that was imported may have any of these."""
    hit = writer.write("zebra", session_id="s", position=last)
    beside = writer.write("other", session_id="s", position=last - (1 if last > 0 else -1))
    candidates, _ = found(ports, ["zebra"])
    assert ranked(candidates) == {hit.memory_id, beside.memory_id}


def test_memories_without_a_position_have_no_neighbours(ports: Ports, writer: Writer) -> None:
    hit = writer.write("zebra", session_id="s")
    writer.write("other", session_id="s")
    candidates, _ = found(ports, ["zebra"])
    assert bm25.window(candidates).rows[candidates.ids.index(hit.memory_id)].tolist() == [-1] * 2 * bm25.REACH


@pytest.mark.meaning
def test_the_nearest_by_vector_are_found_without_a_common_word(ports: Ports, writer: Writer) -> None:
    near = writer.write("The doctor works at a hospital")
    writer.write("Guitars are tuned by ear")
    candidates, _ = find(ports, "physician clinic")
    cosines = dict(zip(candidates.ids, candidates.cosines, strict=True))
    assert max(cosines, key=lambda name: cosines[name]) == near.memory_id


def test_a_speaker_of_whom_nothing_is_found_may_be_named(ports: Ports, writer: Writer) -> None:
    hit = writer.write("zebra", speaker="Tom")
    writer.write("elsewhere", speaker="Mia")
    candidates, corpus = found(ports, ["zebra"], filters=Filter(before=hit.created_at + timedelta(microseconds=1)))
    assert ranked(candidates) == {hit.memory_id}
    assert corpus.speakers == {"tom", "mia"} <= set(candidates.speaker_names)


def test_a_text_without_a_vector_is_found_by_its_words(ports: Ports, writer: Writer) -> None:
    memory = writer.write("मुझे चाय पसंद है")
    candidates, _ = find(ports, "चाय")
    assert ranked(candidates) == {memory.memory_id}
    assert np.isnan(candidates.cosines).all()


@pytest.mark.parametrize(
    "token", ["c++", "node.js", "3.5", "c#", ".net", "naïve", "Ελλάδα", "привет", "面白い", "dog's", "हिन्दी"]
)
def test_every_token_survives_the_index(ports: Ports, writer: Writer, token: str) -> None:
    memory = writer.write(f"we use {token} here")
    candidates, corpus = found(ports, terms(token))
    assert corpus.frequencies.tolist() == [1.0] * len(terms(token))
    assert candidates.ids == [memory.memory_id]


@pytest.mark.parametrize("query", ['"', "' OR 1=1 --", "NEAR(a b)", "content:tea*", "tea AND NOT coffee", "(((", "%_", "\\"])
def test_the_syntax_of_an_engine_is_just_text(ports: Ports, writer: Writer, query: str) -> None:
    writer.write("tea or coffee and a b")
    find(ports, query)
    ports.index.similar(SEEN, terms(query), None, 5)


def test_similar_memories_share_the_rarest_words(ports: Ports, writer: Writer) -> None:
    for number in range(50):
        writer.write(f"meeting number {number}")
    like = writer.write("the zebra meeting went well")
    asked, told = (ports.embedder.embed(text) for text in ("zebra meeting tomorrow", "the zebra meeting went well"))
    assert asked is not None
    assert told is not None
    first, *_ = ports.index.similar(SEEN, terms("zebra meeting tomorrow"), asked, 3)
    assert first.memory_id == like.memory_id
    assert first.content == "the zebra meeting went well"
    assert first.cosine == pytest.approx(float(told @ asked), abs=1e-5)


def test_similar_memories_are_also_those_that_are_near_by_vector(ports: Ports, writer: Writer) -> None:
    for number in range(30):
        writer.write(f"meeting number {number}")
    near = writer.write("violin lessons")
    vector = ports.embedder.embed("violin lessons")
    assert vector is not None
    found = ports.index.similar(SEEN, terms("numbers"), vector, 2)
    assert near.memory_id in [one.memory_id for one in found]
    assert len(found) <= 4
    (only,) = ports.index.similar(SEEN, [], vector, 1)
    assert (only.memory_id, only.content) == (near.memory_id, "violin lessons")


def test_the_most_important_come_first_then_the_newest(ports: Ports, writer: Writer) -> None:
    low, old, new = (writer.write(text, importance=weight) for text, weight in (("a", 0.2), ("b", 0.9), ("c", 0.9)))
    assert most_important(ports, Filter(), 3) == [new.memory_id, old.memory_id, low.memory_id]


def test_somebody_without_memories_finds_nothing(ports: Ports, writer: Writer) -> None:
    writer.write("tea")
    nobody = replace(SEEN, user_id="local|nobody")
    assert find(ports, "tea", visibility=nobody)[0].ids == []
    assert ports.index.similar(nobody, ["tea"], None, 5) == []
    assert most_important(ports, Filter(), 5, nobody) == []


@pytest.mark.meaning
def test_of_two_values_of_one_attribute_the_newer_is_found_first(ports: Ports, writer: Writer) -> None:
    old = writer.write("My manager is Priya.", created_at=NOON - timedelta(days=60))
    new = writer.write("My manager is Daniel now.")
    another = writer.write("My sister's manager is Ines.")
    caller = Caller("local|ana", SEEN.now)
    found = engine.find("Is the manager still Priya?", caller, ports, EVERYTHING, 5, 0.0)
    assert [memory.memory_id for memory in found.memories] == [new.memory_id, another.memory_id, old.memory_id]
    assert found.relevance == sorted(found.relevance, reverse=True)
    vector, asked = rounded(ports.embedder.embed(new.content)), ports.embedder.embed_question("Is the manager still Priya?")
    assert vector is not None
    assert asked is not None
    assert found.cosines[0] == pytest.approx(float(vector @ asked), abs=1e-5)  # of the memory, not of the place
    for query in ("Is the manager still Priya in March 2026?", "manager Priya"):
        assert engine.find(query, caller, ports, EVERYTHING, 5, 0.0).memories[0].memory_id == old.memory_id

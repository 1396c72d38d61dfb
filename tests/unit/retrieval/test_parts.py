"""The law of the parts: whatever is asked, of whatever memories, each score is the sum of its parts."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.retrieval.ranking import DaySpan, Profile, Question, rank
from tests.unit.retrieval.columns import columns, corpus_of

ROW = st.fixed_dictionaries({
    "counts": st.tuples(*[st.sampled_from([0.0, 0.3, 1.0, 3.0])] * 3).map(list),
    "cosines": st.floats(-1, 1) | st.just(float("nan")),
    "sessions": st.integers(-1, 1),
    "positions": st.integers(0, 9),
    "speakers": st.integers(-1, 1),
    "days": st.integers(737_000, 739_000).map(float),
    "lengths": st.integers(1, 40).map(float),
    "questions": st.booleans(),
    "instructions": st.booleans(),
    "preferences": st.booleans(),
})  # fmt: skip
SPANS = st.lists(
    st.builds(DaySpan, st.just(737_990.0), st.sampled_from([738_000.0, float("inf")]), st.booleans()), max_size=2
)
QUESTIONS = st.builds(
    Question, st.just(("tea", "ana", "noon")), st.just((1.0, 1.0, 0.2)), st.sampled_from([frozenset({"tea"}), frozenset({"ana"})]),
    SPANS.map(tuple), st.booleans(),
)  # fmt: skip


@given(st.lists(ROW, min_size=1, max_size=12), QUESTIONS, st.sampled_from(["window", "classic"]))
def test_the_parts_of_each_place_sum_to_its_score(rows: list[dict[str, Any]], question: Question, profile: Profile) -> None:
    candidates = columns(**{name: [row[name] for row in rows] for name in rows[0]})
    ranked = rank(question, candidates, corpus_of(frequencies=[5, 3, 1], speakers=["ana", "ben"]), profile)
    sums = [sum(ranked.parts_at(place).values()) for place in range(len(rows))]
    assert sums == pytest.approx(ranked.scores.tolist(), abs=1e-9)
    without = [
        sum(share for name, share in ranked.parts_at(place).items() if name != "speaker") for place in range(len(rows))
    ]
    assert without == pytest.approx(ranked.impartial.tolist(), abs=1e-9)


def test_each_reason_to_match_has_a_part_of_its_own() -> None:
    question = Question(("tea",), (1.0,), frozenset({"tea", "ana"}), (DaySpan(738_000, 738_000),), advice=True)
    candidates = columns(
        counts=[[1], [1.3], [0.3]], cosines=[0.5, 0.5, 0.5], sessions=[0, 0, -1], positions=[1, 2, 0], speakers=[0, 1, -1],
        questions=[True, False, False], instructions=[False, False, True], preferences=[False, True, False],
    )  # fmt: skip
    ranked = rank(question, candidates, corpus_of(speakers=["ana", "ben"]))
    named = {candidates.ids[row]: set(ranked.parts_at(place)) for place, row in enumerate(ranked.rows.tolist())}
    assert named == {
        "mem_000": {"words", "meaning", "answer", "date", "speaker"},
        "mem_001": {"words", "meaning", "answer", "preference", "date", "speaker"},
        "mem_002": {"words", "meaning", "instruction", "date", "labels"},
    }
    assert np.isclose(ranked.parts_at(list(ranked.rows).index(0))["answer"], -0.05)


@given(st.lists(ROW, min_size=1, max_size=12), QUESTIONS, st.sampled_from(["window", "classic"]))
def test_feedback_is_a_part_and_without_any_nothing_differs(
    rows: list[dict[str, Any]], question: Question, profile: Profile
) -> None:
    candidates = columns(**{name: [row[name] for row in rows] for name in rows[0]})
    corpus = corpus_of(frequencies=[5, 3, 1], speakers=["ana", "ben"])
    plain = rank(question, candidates, corpus, profile)
    rated = rank(question, candidates, corpus, profile, {"mem_000": 0.06, "mem_999": -0.06})
    unrated = rank(question, candidates, corpus, profile, {"mem_999": -0.06})
    assert (unrated.rows.tolist(), unrated.scores.tolist()) == (plain.rows.tolist(), plain.scores.tolist())
    before = dict(zip(plain.rows.tolist(), plain.scores.tolist(), strict=True))
    after = dict(zip(rated.rows.tolist(), rated.scores.tolist(), strict=True))
    assert {row: after[row] - before[row] for row in before} == pytest.approx({row: 0.06 * (row == 0) for row in before})
    assert rated.parts_at(rated.rows.tolist().index(0))["feedback"] == 0.06

"""The laws of the order."""

import math
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.bootstrap.models import weights_of
from commonplace.domain.memory import Memory, importance_of
from commonplace.ports.values import Weights
from commonplace.retrieval.query import answerable
from commonplace.retrieval.ranked import Ranked
from commonplace.retrieval.ranking import DaySpan, Question, break_ties, rank, tie_breaks
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.unit.retrieval.columns import columns, corpus_of

WEIGHTS = st.builds(Weights, *3 * [st.floats(0, 0.2)])
ASKED = Question(terms=("tea",), weights=(1.0,), words=frozenset({"tea"}))


def memory(**fields: object) -> Memory:
    whole = {
        "memory_id": "mem_1", "user_id": "u", "raw_text": "t", "normalized_text": "t", "memory_type": "fact",
        "category": "contexts", "section": "personal_context", "created_at": NOON, "updated_at": NOON, **fields,
    }  # fmt: skip
    return Memory.model_validate(whole)


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-1, 1)), min_size=1, max_size=30))
def test_relevance_lies_between_0_and_1_and_falls(drawn: list[tuple[int, float]]) -> None:
    candidates = columns(counts=[[count] for count, _ in drawn], cosines=[cosine for _, cosine in drawn])
    ranked = rank(ASKED, candidates, corpus_of())
    assert ((ranked.relevance >= 0) & (ranked.relevance <= 1)).all()
    assert (np.diff(ranked.relevance) <= 0).all()
    assert (np.diff(ranked.scores) <= 0).all()


def test_a_store_of_one_memory_answers_above_the_default_threshold() -> None:
    ranked = rank(ASKED, columns(counts=[[1]], cosines=[0.5]), corpus_of(memories=1, frequencies=[1]))
    assert ranked.relevance[0] > 0.3


def test_without_any_vector_words_alone_may_reach_the_top() -> None:
    ranked = rank(ASKED, columns(counts=[[9]], cosines=[math.nan]), corpus_of(memories=1000, frequencies=[1]))
    assert ranked.relevance[0] > 0.6


def test_what_has_every_word_of_a_label_comes_before_what_is_near_to_it() -> None:
    label = Question(terms=("tea", "order"), weights=(1.0, 1.0), words=frozenset({"tea", "order"}), label=True)
    candidates = columns(counts=[[9, 0], [0.3, 0.3]], cosines=[0.4, 0.1])
    statistics = corpus_of(frequencies=[5, 5])
    assert rank(label, candidates, statistics).rows.tolist() == [1, 0]
    assert rank(replace(label, label=False), candidates, statistics).rows.tolist() == [0, 1]


def test_a_word_that_only_widens_a_label_need_not_be_there() -> None:
    widened = Question(terms=("tea", "drink"), weights=(1.0, 0.2), words=frozenset({"tea"}), label=True)
    assert rank(widened, columns(counts=[[1, 0]]), corpus_of(frequencies=[5, 5])).parts["labels"][0] >= 0.5


def test_equals_stand_in_the_order_of_their_ids() -> None:
    ranked = rank(ASKED, columns(counts=[[1], [1], [1]]), corpus_of())
    assert ranked.rows.tolist() == [0, 1, 2]


def test_an_answer_stands_above_a_like_text_elsewhere() -> None:
    candidates = columns(counts=[[1], [1], [1]], sessions=[0, 0, -1], positions=[1, 2, 0], questions=[True, False, False])
    assert rank(ASKED, candidates, corpus_of()).rows[0] == 1


@pytest.mark.parametrize(("named", "first"), [(("ana",), 0), (("ben",), 1), (("ana", "ben"), 0)])
def test_the_one_speaker_who_is_named_is_heard_first(named: tuple[str, ...], first: int) -> None:
    question = Question(("tea",), (1.0,), frozenset({"tea", *named}))
    candidates = columns(counts=[[1], [1]], speakers=[0, 1])
    assert rank(question, candidates, corpus_of(speakers=["ana", "ben"])).rows[0] == first


def test_a_speakers_name_is_no_word_to_look_for() -> None:
    question = Question(("ana", "tea"), (1.0, 1.0), frozenset({"ana", "tea"}))
    candidates = columns(counts=[[5, 0], [0, 1]])
    assert rank(question, candidates, corpus_of(frequencies=[5, 5], speakers=["ana"])).rows[0] == 1


def test_the_day_that_is_named_comes_first_and_near_days_next() -> None:
    question = Question(("tea",), (1.0,), frozenset(), (DaySpan(738_010, 738_010),))
    candidates = columns(counts=[[1], [1], [1]], days=[738_000.0, 738_010.0, 738_012.0])
    assert rank(question, candidates, corpus_of()).rows.tolist() == [1, 2, 0]


def test_preferences_matter_when_advice_is_asked_and_instructions_always() -> None:
    candidates = columns(counts=[[1], [1]], preferences=[False, True])
    assert rank(ASKED, candidates, corpus_of()).rows[0] == 0
    advice = Question(("tea",), (1.0,), frozenset(), advice=True)
    assert rank(advice, candidates, corpus_of()).rows[0] == 1
    assert rank(ASKED, columns(counts=[[1], [1]], instructions=[False, True]), corpus_of()).rows[0] == 1


@given(
    st.lists(st.tuples(st.floats(0, 2), st.floats(0, 1), st.integers(0, 900), st.integers(0, 99)), min_size=2, max_size=9),
    WEIGHTS,
)
def test_importance_recency_and_usage_never_lift_a_clearly_worse_match(
    drawn: list[tuple[float, float, int, int]], weights: Weights
) -> None:
    scores = np.array([score for score, *_ in drawn])
    memories = [
        memory(importance=importance, event_time=NOON - timedelta(days=days), access_count=uses)
        for _, importance, days, uses in drawn
    ]
    order = break_ties(scores, memories, NOON.timestamp(), weights)
    for earlier, later in pairwise(order):
        assert scores[later] - scores[earlier] <= weights.importance + weights.recency + weights.usage + 1e-9


def test_what_matches_alike_is_settled_by_importance() -> None:
    memories = [memory(importance=0.2), memory(importance=0.9)]
    assert break_ties(np.array([0.5, 0.5]), memories, NOON.timestamp(), Weights()) == [1, 0]


def test_without_a_word_of_the_weights_they_are_what_they_were() -> None:
    old = memory(importance=0.5, event_time=NOON - timedelta(days=45), access_count=10)
    shares = {name: float(share[0]) for name, share in tie_breaks([old], NOON.timestamp(), Weights()).items()}
    assert shares == {"tie_importance": 0.02 * 0.5, "tie_recency": 0.02 * np.exp(-0.5), "tie_usage": 0.01 * 0.5}


@pytest.mark.parametrize(
    ("weights", "order"),
    [
        (Weights(), [0, 1, 2]),
        (Weights(importance=0.2), [1, 0, 2]),
        (Weights(importance=0.0), [0, 2, 1]),
        (Weights(importance=0.0, usage=0.2), [2, 0, 1]),
    ],
)
def test_a_weight_decides_what_settles_between_close_matches(weights: Weights, order: list[int]) -> None:
    long_ago = NOON - timedelta(days=900)
    memories = [
        memory(importance=0.2),
        memory(importance=0.9, event_time=long_ago),
        memory(importance=0.2, event_time=long_ago, access_count=20),
    ]
    assert break_ties(np.array([0.5, 0.5, 0.5]), memories, NOON.timestamp(), weights) == order


def test_the_classic_profile_is_the_weighted_sum_it_says() -> None:
    ranked = rank(ASKED, columns(counts=[[1], [0]], cosines=[0.5, 0.5]), corpus_of(), "classic")
    assert ranked.scores == pytest.approx([0.4 * 0.5 + 0.3 + 0.06 + 0.1, 0.4 * 0.5 + 0.06 + 0.1])


def specified(semantic: float, exact: float, level: int, days: float, uses: int) -> float:
    """`calculate_relevance_score` of the specification, with the decay, the boost and the matches of docs/search.md."""
    recency, usage = math.exp(-days / 90), min(uses, 20) / 20
    return semantic * 0.4 + exact * 0.3 + (level / 5.0) * 0.1 + recency * 0.1 + usage * 0.1


FACTS = st.tuples(
    st.floats(-1, 1), st.booleans(), st.booleans(), st.integers(1, 5), st.integers(0, 4_000), st.integers(0, 40)
)


@given(st.lists(FACTS, min_size=1, max_size=12))
def test_the_classic_profile_is_the_formula_of_the_specification(
    facts: list[tuple[float, bool, bool, int, int, int]],
) -> None:
    now = NOON.timestamp()
    question = Question(terms=("tea", "order"), weights=(1.0, 1.0), words=frozenset({"tea", "order"}))
    found = columns(counts=[[2 * tea, order] for _, tea, order, *_ in facts], cosines=[fact[0] for fact in facts])
    found.importances[:] = [importance_of(level) for _, _, _, level, _, _ in facts]
    found.created[:] = [now - 86_400 * days for *_, days, _ in facts]
    ranked = rank(question, found, corpus_of(frequencies=[5, 5]), "classic", now=now)
    weights = weights_of(Settings(ranking="classic"))
    used = [memory(access_count=facts[row][-1]) for row in ranked.rows.tolist()]
    scores = ranked.scores + sum(tie_breaks(used, now, weights).values())
    expected = [specified(facts[row][0], sum(facts[row][1:3]) / 2, *facts[row][3:]) for row in ranked.rows.tolist()]
    assert scores.tolist() == pytest.approx(expected)
    settled = [scores.tolist()[at] for at in break_ties(ranked.scores, used, now, weights)]
    assert settled == sorted(settled, reverse=True)


def test_a_question_whose_best_match_somebody_else_said_is_hardly_answerable() -> None:
    question = Question(("tea",), (1.0,), frozenset({"tea", "ana"}))
    corpus = corpus_of(speakers=["ana", "ben"])
    said = columns(counts=[[3], [0]], speakers=[0, 1])
    not_said = columns(counts=[[3], [0]], speakers=[1, 0])
    yes, no = (answerable(question, one, corpus, rank(question, one, corpus)) for one in (said, not_said))
    assert yes is not None
    assert no is not None
    assert yes > 0.5 > no


def test_words_that_nobody_ever_used_make_a_question_hardly_answerable() -> None:
    question = Question(("tea", "zebra"), (1.0, 1.0), frozenset())
    corpus = corpus_of(frequencies=[5, 0], speakers=["ana", "ben"])
    candidates, known = columns(counts=[[2, 0]]), corpus_of(speakers=["ana", "ben"])
    found = answerable(question, candidates, corpus, rank(question, candidates, corpus))
    other = answerable(ASKED, columns(counts=[[2]]), known, rank(ASKED, columns(counts=[[2]]), known))
    assert found is not None
    assert other is not None
    assert found < 0.5 < other


def test_of_single_facts_nothing_tells_whether_they_answer() -> None:
    candidates, corpus = columns(counts=[[2]]), corpus_of()
    assert answerable(ASKED, candidates, corpus, rank(ASKED, candidates, corpus)) is None


@given(st.lists(st.floats(-0.2, 3.0), min_size=1, max_size=30))
def test_relevance_and_probability_fall_with_the_rank(scores: list[float]) -> None:
    ordered = np.array(sorted(scores, reverse=True))
    likely = Ranked(np.arange(len(ordered)), ordered, ordered, ordered, np.arange(len(ordered)), {}).probability(len(ordered))
    assert ((likely > 0) & (likely < 1)).all()
    assert (np.diff(likely) <= 1e-12).all()


def test_a_day_without_a_year_is_that_day_of_every_year_there_is() -> None:
    named = DaySpan(date(2026, 5, 3).toordinal(), date(2026, 5, 5).toordinal(), any_year=True)
    firsts = [date.fromordinal(int(span.first)) for span in named.in_years((2019, 2020))]
    assert firsts == [date(2026, 5, 3), date(2019, 5, 3), date(2020, 5, 3)]
    assert {span.last - span.first for span in named.in_years((2019, 2020))} == {2}
    assert DaySpan(738_000, 738_002).in_years((2019, 2020)) == [DaySpan(738_000, 738_002)]

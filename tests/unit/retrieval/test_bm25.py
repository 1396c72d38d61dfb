"""BM25 and the window of neighbours, held against a second, slow and plain way to compute them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.retrieval import bm25
from tests.unit.retrieval.columns import SPEAKERS, columns, corpus_of

LENDS_BEFORE, LENDS_AFTER = (0.3, 0.25, 0.2, 0.15, 0.1, 0.1), (0.4, 0.2, 0.15, 0.1, 0.1, 0.1)


def lent_by_hand(place: tuple[int, int], other: tuple[int, int], asks: bool, other_asks: bool) -> float:
    """What a neighbour lends to a memory in a session of short turns."""
    distance = other[1] - place[1]
    if place[0] != other[0] or place[0] < 0 or not 0 < abs(distance) <= 6:
        return 0.0
    if distance == -1:
        return 0.6 if other_asks else 0.3
    if distance == 1:
        return 0.1 if asks else 0.4
    return LENDS_BEFORE[-distance - 1] if distance < 0 else LENDS_AFTER[distance - 1]


turns = st.lists(
    st.tuples(st.integers(-1, 2), st.integers(0, 15), st.booleans(), st.integers(0, 3), st.integers(0, 3)),
    min_size=1,
    max_size=25,
    unique_by=lambda turn: turn[:2],
)


@given(turns)
def test_the_window_lends_as_the_formula_says(drawn: list[tuple[int, int, bool, int, int]]) -> None:
    candidates = columns(
        sessions=[turn[0] for turn in drawn],
        positions=[turn[1] for turn in drawn],
        questions=[turn[2] for turn in drawn],
        counts=[[turn[3], turn[4]] for turn in drawn],
    )
    lent = bm25.window(candidates).lent(candidates.term_counts)
    for row, one in enumerate(drawn):
        expected = [
            sum(lent_by_hand(one[:2], other[:2], one[2], other[2]) * other[term] for other in drawn) for term in (3, 4)
        ]
        assert lent[row] == pytest.approx(expected)


def test_long_entries_stand_alone() -> None:
    short = bm25.window(columns(sessions=[0], session_lengths=[10.0]))
    long = bm25.window(columns(sessions=[0], session_lengths=[52.0]))
    assert short.openness.tolist() == [1.0]
    assert long.openness.tolist() == [0.0625]


def test_rarity_is_lucenes() -> None:
    rare = bm25.inverse_document_frequency(corpus_of(memories=10, frequencies=[1, 10]))
    assert rare == pytest.approx([math.log(1 + 9.5 / 1.5), math.log(1 + 0.5 / 10.5)])


@given(st.integers(0, 20), st.integers(1, 20))
def test_more_of_a_term_never_scores_less(count: int, more: int) -> None:
    scores = bm25.bm25(np.array([[count], [count + more]], dtype=float), np.ones(2), np.ones(1))
    assert scores[1] > scores[0]
    assert scores[1] < 2.2


def test_somebody_near_is_seen_through_the_window() -> None:
    candidates = columns(sessions=[0, 0, 0], positions=[0, 5, 12], speakers=[0, 1, 1])
    near = bm25.window(candidates).near(candidates.speakers == SPEAKERS.index("ana"))
    assert near.tolist() == [False, True, False]


@given(turns, st.data())
def test_the_window_of_some_is_a_part_of_the_window_of_all(
    drawn: list[tuple[int, int, bool, int, int]], data: st.DataObject
) -> None:
    candidates = columns(
        sessions=[turn[0] for turn in drawn],
        positions=[turn[1] for turn in drawn],
        questions=[turn[2] for turn in drawn],
        counts=[[turn[3], turn[4]] for turn in drawn],
    )
    of = np.array(data.draw(st.lists(st.integers(0, len(drawn) - 1), max_size=5)), dtype=np.int64)
    whole, part = bm25.window(candidates), bm25.window(candidates, of)
    assert part.rows.tolist() == whole.rows[of].tolist()
    assert part.weights.tolist() == whole.weights[of].tolist()
    assert part.openness.tolist() == whole.openness[of].tolist()


def test_of_two_at_one_place_the_first_is_the_neighbour() -> None:
    found = bm25.window(columns(sessions=[0, 0, 0, -1], positions=[4, 5, 5, -1])).rows[:, :2]
    assert found.tolist() == [[-1, 1], [0, -1], [0, -1], [-1, -1]]

"""The people are whole, and recall and reliability count what they say."""

from collections import Counter

import numpy as np

from benchmarks.conversations import Asked
from benchmarks.everyday import COLUMNS, reliability, row
from benchmarks.persons import apart, more_persons, recall
from benchmarks.told_store import Answer, Search


def hits(*names: str) -> list[frozenset[str]]:
    """Hits, each with the letters of one word as names."""
    return [frozenset(name) for name in names]


def test_each_person_apart_has_facts_that_answer_their_questions() -> None:
    people = apart()
    assert len(people) == 10
    for person in people:
        names = Counter(fact.name for fact in person.facts)
        assert max(names.values()) == 1
        assert all(asked.evidence and asked.evidence <= set(names) for asked in person.asked)
        assert person.unanswerable
        assert person.asks_at > max(fact.at for fact in person.facts)


def test_each_of_the_more_persons_has_facts_that_answer_their_questions() -> None:
    people = more_persons()
    assert len(people) == 69
    assert sum(len(person.asked) for person in people) == 1853
    for person in people:
        names = [fact.name for fact in person.facts]
        assert len(set(names)) == len(names)
        assert all(asked.evidence and asked.evidence <= set(names) for asked in person.asked)


def test_a_memory_that_holds_two_equal_facts_counts_as_one_hit() -> None:
    assert recall(frozenset("ab"), hits("ab", "c"), 1) == 1.0
    assert recall(frozenset("ab"), hits("c", "a", "b"), 2) == 0.5
    assert recall(frozenset("a"), [], 5) == 0.0


def test_recall_empties_and_marked_ones_are_told_apart() -> None:
    asked = Asked("which?", frozenset("a"), "direct")
    found, marked, none = Search(hits("a"), [0.9]), Search(hits("b"), [0.1], below=True), Search([], [])
    cells = dict(zip(COLUMNS, row("x", [Answer(asked, one, found) for one in (found, marked, none)]), strict=True))
    assert (cells["how many"], cells["R@1 at 0"], cells["empty at 0"]) == (3, 1.0, 0.0)
    assert cells["R@1"] == cells["empty"] == cells["best below .3"] == 1 / 3


def test_reliability_sets_what_was_told_beside_what_was_right() -> None:
    asked = Asked("which?", frozenset("a"), "direct")
    search = Search(hits("a", "b", "c"), [0.9, 0.02, None])
    rows = reliability("x", [Answer(asked, search, search)])
    assert [row[:2] for row in rows[:2]] == [("x, 0.00-0.05", 1), ("x, 0.80-1.00", 1)]
    assert np.allclose(np.array([row[2:] for row in rows], dtype=float), [(0.02, 0.0), (0.9, 1.0), (0.46, 0.5)])

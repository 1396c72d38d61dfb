"""The laws of communities: a partition, whose modularity never falls from level to level, the same for the same graph."""

import itertools
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from commonplace.use_cases.concept_network import Edges, communities, levels

NAMES = [f"v{number:02}" for number in range(12)]
PAIRS = list(itertools.combinations(NAMES, 2))
EDGES = st.dictionaries(st.sampled_from(PAIRS), st.floats(0.01, 1.0), max_size=40)


def modularity(groups: Sequence[frozenset[str]], edges: Edges) -> float:
    """As it is defined: the share of links within groups, less what chance would put there."""
    total = sum(edges.values())
    if not total:
        return 0.0
    degree = {name: sum(weight for pair, weight in edges.items() if name in pair) for group in groups for name in group}
    inside = sum(weight for group in groups for pair, weight in edges.items() if group.issuperset(pair))
    return inside / total - sum((sum(degree[name] for name in group) / (2 * total)) ** 2 for group in groups)


def ring_of_cliques(cliques: int, size: int) -> dict[tuple[str, str], float]:
    rows = [[f"c{clique}-{at}" for at in range(size)] for clique in range(cliques)]
    within = {pair: 1.0 for row in rows for pair in itertools.combinations(row, 2)}
    return within | {(row[0], rows[(at + 1) % cliques][1]): 1.0 for at, row in enumerate(rows)}


@given(EDGES)
def test_each_vertex_is_in_one_community(edges: Edges) -> None:
    for groups in levels(NAMES, edges):
        assert sorted(name for group in groups for name in group) == NAMES
    assert len(communities(NAMES, edges)) >= 1


@given(EDGES)
def test_modularity_never_falls_from_level_to_level(edges: Edges) -> None:
    found = [modularity(groups, edges) for groups in levels(NAMES, edges)]
    assert all(later > earlier - 1e-9 for earlier, later in pairwise(found))


@given(EDGES)
def test_what_is_found_is_no_worse_than_all_alone_or_all_together(edges: Edges) -> None:
    groups = communities(NAMES, edges)
    best = modularity(groups, edges)
    assert best >= modularity([frozenset({name}) for name in NAMES], edges) - 1e-6
    assert best >= modularity([frozenset(NAMES)], edges) - 1e-6


@given(EDGES, st.randoms())
def test_the_order_of_what_is_given_makes_no_difference(edges: Edges, random: Random) -> None:
    names, items = list(NAMES), list(edges.items())
    random.shuffle(names)
    random.shuffle(items)
    assert communities(names, dict(items)) == communities(NAMES, edges)


def test_cliques_in_a_ring_are_the_communities() -> None:
    edges = ring_of_cliques(6, 5)
    vertices = {name for pair in edges for name in pair}
    assert sorted(map(sorted, communities(vertices, edges))) == [
        [f"c{clique}-{at}" for at in range(5)] for clique in range(6)
    ]


def test_who_has_no_link_is_alone() -> None:
    assert communities(["a", "b"], {}) == [frozenset({"a"}), frozenset({"b"})]
    assert communities([], {}) == []
    assert communities(["a", "b", "c"], {("a", "c"): 0.5}) == [frozenset({"a", "c"}), frozenset({"b"})]

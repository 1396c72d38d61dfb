"""Communities of a weighted graph by Louvain's method (Blondel et al. 2008), seeded: the same graph has the same ones."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from random import Random

Edges = Mapping[tuple[str, str], float]
"""A positive weight for each pair of different vertices that are linked; a pair stands there once."""
_SEED = 14
_LEAST = 1e-9  # of a gain: less is rounding

_Graph = dict[int, dict[int, float]]
"""The weight of each link from both of its ends; one to itself counts both its ends."""


def communities(vertices: Collection[str], edges: Edges) -> list[frozenset[str]]:
    """The communities, each vertex in one of them; who has no link is alone."""
    return list(levels(vertices, edges))[-1]


def levels(vertices: Collection[str], edges: Edges) -> Iterator[list[frozenset[str]]]:
    """The communities after each level, beginning with each vertex alone. Modularity never falls from one to the next."""
    members = [frozenset({name}) for name in sorted(vertices)]
    at = {name: number for number, name in enumerate(sorted(vertices))}
    graph: _Graph = {number: {} for number in at.values()}
    for (one, other), weight in sorted(edges.items()):
        graph[at[one]][at[other]] = graph[at[other]][at[one]] = weight
    random = Random(_SEED)
    yield members
    while True:
        joined = _moved(graph, random)
        numbers = {community: number for number, community in enumerate(sorted(set(joined.values())))}
        if len(numbers) == len(graph):
            return
        into = {vertex: numbers[community] for vertex, community in joined.items()}
        groups: list[set[str]] = [set() for _ in numbers]
        for vertex, number in into.items():
            groups[number] |= members[vertex]
        members = [frozenset(group) for group in groups]
        graph = _together(graph, into)
        yield members


def _moved(graph: _Graph, random: Random) -> dict[int, int]:
    """The community of each vertex once none gains by moving into that of a neighbour; of equal gains the first counts."""
    degree = {vertex: sum(links.values()) for vertex, links in graph.items()}
    total = sum(degree.values())
    community = {vertex: vertex for vertex in graph}
    weight = dict(degree)  # of a community: the degrees of its members
    order = sorted(graph)
    random.shuffle(order)
    moving = total > 0
    while moving:
        moving = False
        for vertex in order:
            own = community[vertex]
            weight[own] -= degree[vertex]
            towards: defaultdict[int, float] = defaultdict(float, {own: 0.0})
            for other, link in graph[vertex].items():
                if other != vertex:
                    towards[community[other]] += link
            gains = {one: link - weight[one] * degree[vertex] / total for one, link in towards.items()}
            best = min(gains, key=lambda one: (-gains[one], one))
            if gains[best] > gains[own] + _LEAST:
                community[vertex], moving = best, True
            weight[community[vertex]] += degree[vertex]
    return community


def _together(graph: _Graph, into: Mapping[int, int]) -> _Graph:
    """The graph whose vertices are the communities."""
    found: _Graph = {number: {} for number in set(into.values())}
    for vertex, links in graph.items():
        for other, weight in links.items():
            one = found[into[vertex]]
            one[into[other]] = one.get(into[other], 0.0) + weight
    return found

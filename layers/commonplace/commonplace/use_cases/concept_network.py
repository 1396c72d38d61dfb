"""Implement `concept_network`, which returns the communities and links of concepts that occur together in memories.

Communities are computed with the Louvain method (Blondel et al. 2008), with a fixed seed for reproducible results.
"""

import difflib
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from commonplace.domain.analysis import NetworkLink, NetworkNode, NetworkRequest, NetworkResult
from commonplace.domain.fields import Notes
from commonplace.domain.outline import Outline
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.record_scan import visibility_of
from commonplace.text.tagging.names import same_thing
from commonplace.use_cases.concepts import names_of, things

LEAST = 3
"""The minimum number of memories in which two linked concepts occur together."""
_NEAREST, _ALIKE = 5, 0.6
Edges = Mapping[tuple[str, str], float]
"""Maps pairs of vertices to positive weights. Each pair occurs once, and its vertices differ."""
_SEED = 14
_LEAST = 1e-9  # smaller gains may be rounding errors
_Graph = dict[int, dict[int, float]]
"""Maps vertices to neighbours and link weights. Each link is stored under both vertices. A self-link counts twice."""


@dataclass(frozen=True)
class Graph:
    """A graph of concepts. `counts` gives the number of memories per concept, and `together` the number per linked pair."""

    counts: dict[str, int]
    together: dict[tuple[str, str], int]
    weights: Edges


def concept_network(request: NetworkRequest, caller: Caller, ports: Ports) -> NetworkResult:
    """Return the graph around a concept, or the graph of the most used concepts. Only visible memories are included."""
    agents, now = visibility_of(caller).agents, caller.now.timestamp()
    seen = [outline for outline in ports.facts.outlines(caller.user_id) if outline.is_visible(agents, now)]
    graph, focus = graph_of(seen), None
    if request.focus is not None:
        focus = names_of(seen).get(same_thing(request.focus))
        if focus is None:
            warning = _explain_unknown_focus(request.focus, graph)
            return _build_result([], [], request.format).model_copy(update={"notes": Notes(warnings=[warning])})
    shown = around(graph, focus, request.depth)[: request.limit] if focus else by_use(graph)[: request.limit]
    return _build_result(_build_nodes(graph, shown), _build_links(graph, shown), request.format)


def graph_of(seen: Sequence[Outline]) -> Graph:
    """Build the concept graph from memories. A link's weight is the normalized pointwise mutual information, -1 to 1."""
    names = names_of(seen)
    sets = [sorted(names[thing] for thing in things(outline)) for outline in seen if outline.concepts]
    counts = Counter(itertools.chain.from_iterable(sets))
    pairs = Counter(itertools.chain.from_iterable(itertools.combinations(names_of_set, 2) for names_of_set in sets))
    together = {pair: count for pair, count in sorted(pairs.items()) if count >= LEAST}
    weights = {
        (first, other): association(count, counts[first], counts[other], len(sets))
        for (first, other), count in together.items()
    }
    return Graph(dict(counts), together, weights)


def association(together: int, first: int, other: int, of: int) -> float:
    """Return the NPMI of two concepts, which is 1 if they occur only together, 0 if by chance, and negative if less often."""
    if together == of:
        return 1.0
    return round(math.log(together * of / (first * other)) / math.log(of / together), 4)


def by_use(graph: Graph) -> list[str]:
    """Return the concepts, most used first."""
    return sorted(graph.counts, key=lambda name: (-graph.counts[name], name))


def around(graph: Graph, focus: str, depth: int) -> list[str]:
    """Return a concept and those within `depth` links of it, nearest first, then by strength of the link."""
    neighbours: dict[str, dict[str, float]] = {}
    for (first, other), weight in graph.weights.items():
        neighbours.setdefault(first, {})[other] = neighbours.setdefault(other, {})[first] = weight
    reached, layer = [focus], [focus]
    for _ in range(depth):
        links = [link for name in layer for link in neighbours.get(name, {}).items() if link[0] not in reached]
        strongest: dict[str, float] = {}
        for name, weight in links:
            strongest[name] = max(weight, strongest.get(name, weight))
        layer = sorted(strongest, key=lambda name: (-strongest[name], name))
        reached += layer
    return reached


def _explain_unknown_focus(focus: str, graph: Graph) -> str:
    folded = {name.casefold(): name for name in by_use(graph)[::-1]}
    near = difflib.get_close_matches(focus.casefold(), folded, _NEAREST, _ALIKE)
    nearest = f"; the nearest are {', '.join(folded[name] for name in near)}" if near else ""
    return f"no memory has this concept{nearest}"


def _build_nodes(graph: Graph, shown: Sequence[str]) -> list[NetworkNode]:
    """Return nodes, numbered by their community in the whole graph. Communities are ordered by their most used concept."""
    attracting = {pair: weight for pair, weight in graph.weights.items() if weight > 0}
    linked = sorted({name for pair in attracting for name in pair})
    community = {name: frozenset({name}) for name in graph.counts}
    community |= {name: group for group in communities(linked, attracting) for name in group}
    numbers: dict[frozenset[str], int] = {}
    for name in by_use(graph):
        numbers.setdefault(community[name], len(numbers))
    return [NetworkNode(id=name, count=graph.counts[name], community=numbers[community[name]]) for name in shown]


def _build_links(graph: Graph, shown: Sequence[str]) -> list[NetworkLink]:
    names_shown = set(shown)
    among = [pair for pair in graph.together if names_shown.issuperset(pair)]
    return [
        NetworkLink(source=pair[0], target=pair[1], weight=graph.weights[pair], count=graph.together[pair])
        for pair in sorted(among, key=lambda pair: (-graph.weights[pair], pair))
    ]


def _build_result(nodes: list[NetworkNode], links: list[NetworkLink], form: str) -> NetworkResult:
    return NetworkResult(nodes=nodes, links=links, dot=dot_of(nodes, links) if form == "dot" else None)


def dot_of(nodes: Sequence[NetworkNode], links: Sequence[NetworkLink]) -> str:
    """Return the graph in Graphviz's DOT language."""
    lines = [f"  {_quote(node.id)} [count={node.count}, community={node.community}];" for node in nodes]
    lines += [
        f"  {_quote(link.source)} -- {_quote(link.target)} [weight={link.weight:g}, count={link.count}];" for link in links
    ]
    return "\n".join(("graph concepts {", *lines, "}", ""))


def _quote(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def communities(vertices: Collection[str], edges: Edges) -> list[frozenset[str]]:
    """Partition the vertices into communities. A vertex without links is a community of its own."""
    return list(levels(vertices, edges))[-1]


def levels(vertices: Collection[str], edges: Edges) -> Iterator[list[frozenset[str]]]:
    """Yield the communities after each level of merging, starting with single vertices. Modularity never decreases."""
    members = [frozenset({name}) for name in sorted(vertices)]
    at = {name: number for number, name in enumerate(sorted(vertices))}
    graph: _Graph = {number: {} for number in at.values()}
    for (first, other), weight in sorted(edges.items()):
        graph[at[first]][at[other]] = graph[at[other]][at[first]] = weight
    random = Random(_SEED)
    yield members
    while True:
        joined = _move_vertices(graph, random)
        numbers = {community: number for number, community in enumerate(sorted(set(joined.values())))}
        if len(numbers) == len(graph):
            return
        into = {vertex: numbers[community] for vertex, community in joined.items()}
        groups: list[set[str]] = [set() for _ in numbers]
        for vertex, number in into.items():
            groups[number] |= members[vertex]
        members = [frozenset(group) for group in groups]
        graph = _merge_vertices(graph, into)
        yield members


def _move_vertices(graph: _Graph, random: Random) -> dict[int, int]:
    """Move vertices to neighbouring communities until no move increases modularity. Among equal gains, the first one wins."""
    degree = {vertex: sum(links.values()) for vertex, links in graph.items()}
    total = sum(degree.values())
    community = {vertex: vertex for vertex in graph}
    weight = dict(degree)  # maps each community to the sum of its members' degrees
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
            gains = {community: link - weight[community] * degree[vertex] / total for community, link in towards.items()}
            best = min(gains, key=lambda community: (-gains[community], community))
            if gains[best] > gains[own] + _LEAST:
                community[vertex], moving = best, True
            weight[community[vertex]] += degree[vertex]
    return community


def _merge_vertices(graph: _Graph, into: Mapping[int, int]) -> _Graph:
    """Merge vertices with the same number in `into`. Weights add up, and links within a vertex become a self-link."""
    merged: _Graph = {number: {} for number in set(into.values())}
    for vertex, links in graph.items():
        for other, weight in links.items():
            row = merged[into[vertex]]
            row[into[other]] = row.get(into[other], 0.0) + weight
    return merged

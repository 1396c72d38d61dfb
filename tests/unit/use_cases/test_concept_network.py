"""The graph of concepts: its counts and weights, what stands around a focus, and the language of Graphviz."""

import itertools
import math
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.domain.analysis import NetworkLink, NetworkNode
from commonplace.domain.outline import Outline
from commonplace.use_cases.concept_network import LEAST, around, association, by_use, dot_of, graph_of
from commonplace.use_cases.concepts import names_of, things

CONCEPTS = st.lists(
    st.lists(st.sampled_from(["js", "JavaScript", "tea", "Teas", "cello", "日本", "c++"]), max_size=4).map(tuple), max_size=25
)


def outline(*concepts: str) -> Outline:
    return Outline(
        "mem_1", "global", "active", "fact", "contexts", "work", "default", "durable", 0, 0, None, None, None, None, (),
        concepts, 1,
    )  # fmt: skip


@settings(deadline=None)
@given(CONCEPTS)
def test_links_are_of_three_memories_and_weights_within_their_bounds(kept: list[tuple[str, ...]]) -> None:
    seen = [outline(*concepts) for concepts in kept]
    graph = graph_of(seen)
    sets = [things(one) for one in seen]
    keys = {names_of(seen)[thing]: thing for found in sets for thing in found}
    assert graph.counts == {name: sum(key in found for found in sets) for name, key in keys.items()}
    for one, other in itertools.combinations(sorted(keys), 2):
        both = sum({keys[one], keys[other]} <= found for found in sets)
        assert graph.together.get((one, other), 0) == (both if both >= LEAST else 0)
    assert all(-1 <= weight <= 1 for weight in graph.weights.values())
    assert graph.weights.keys() == graph.together.keys()


@settings(deadline=None)
@given(CONCEPTS, st.randoms())
def test_the_order_of_memories_makes_no_difference(kept: list[tuple[str, ...]], random: object) -> None:
    shuffled = list(kept)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert graph_of([outline(*one) for one in kept]) == graph_of([outline(*one) for one in shuffled])


def test_aliases_are_one_concept_by_the_name_that_most_memories_have() -> None:
    graph = graph_of([outline("js", "tea"), outline("JavaScript", "tea"), outline("JavaScript", "js", "Teas")])
    assert graph.counts == {"JavaScript": 3, "tea": 3}
    assert graph.together == {("JavaScript", "tea"): 3}


@pytest.mark.parametrize(
    ("numbers", "weight"),
    [((3, 3, 3, 3), 1.0), ((3, 3, 3, 12), 1.0), ((3, 6, 6, 12), 0.0), ((3, 9, 9, 12), -0.5850), ((4, 8, 6, 24), 0.3869)],
)
def test_a_weight_is_the_information_of_one_on_the_other(numbers: tuple[int, int, int, int], weight: float) -> None:
    assert association(*numbers) == pytest.approx(weight, abs=0.0001)
    together, one, other, of = numbers
    if together < of:
        expected = math.log2((together / of) / ((one / of) * (other / of))) / -math.log2(together / of)
        assert association(*numbers) == pytest.approx(expected, abs=0.0001)


def test_a_focus_leads_on_link_by_link_the_strongest_first() -> None:
    pairs = [("tea", "cup"), ("tea", "morning"), ("cup", "kitchen"), ("kitchen", "house")]
    seen = [outline(*pair) for pair in pairs for _ in range(3)] + [outline("morning")] * 3
    graph = graph_of(seen)
    assert around(graph, "tea", 1) == ["tea", "cup", "morning"]
    assert around(graph, "tea", 2) == ["tea", "cup", "morning", "kitchen"]
    assert around(graph, "tea", 3) == ["tea", "cup", "morning", "kitchen", "house"]
    assert by_use(graph)[:2] == ["cup", "kitchen"]


TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(graph|--|[{}\[\];,=])|([A-Za-z_]\w*)|(-?(?:\.\d+|\d+(?:\.\d*)?)))', re.DOTALL)


def tokens(text: str) -> Iterator[str]:
    """The tokens of the language of Graphviz, as its grammar has them; anything else fails."""
    at = 0
    while text[at:].strip():
        found = TOKEN.match(text, at)
        assert found, text[at : at + 20]
        at = found.end()
        yield found[0].strip()


def parsed(text: str) -> list[tuple[tuple[str, ...], dict[str, str]]]:
    """The statements of an undirected graph: one or two names, and their attributes."""
    stream = tokens(text)
    assert [next(stream), next(stream), next(stream)] == ["graph", "concepts", "{"]
    statements: list[tuple[tuple[str, ...], dict[str, str]]] = []
    while (token := next(stream)) != "}":
        names, attributes = [token], {}
        if (token := next(stream)) == "--":
            names.append(next(stream))
            token = next(stream)
        assert token == "["
        while token != "]":
            name, equals, value = next(stream), next(stream), next(stream)
            assert equals == "="
            attributes[name] = value
            token = next(stream)
            assert token in (",", "]")
        assert next(stream) == ";"
        statements.append((tuple(map(unquoted, names)), attributes))
    assert not list(stream)
    return statements


def unquoted(token: str) -> str:
    assert token[0] == token[-1] == '"'
    return re.sub(r'\\(["\\])', r"\1", token[1:-1])


@given(
    st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=6, unique=True),
    st.floats(-1, 1).map(lambda it: round(it, 4)),
)
def test_graphviz_reads_whatever_a_concept_is_called(names: list[str], weight: float) -> None:
    nodes = [NetworkNode(id=name, count=3, community=at) for at, name in enumerate(names)]
    links = [NetworkLink(source=names[0], target=names[1], weight=weight, count=3)]
    *told, (pair, attributes) = parsed(dot_of(nodes, links))
    assert told == [((name,), {"count": "3", "community": str(at)}) for at, name in enumerate(names)]
    assert pair == (names[0], names[1])
    assert float(attributes["weight"]) == weight

"""`concept_network` through the tool call: what is linked, communities, a focus, who sees it."""

from collections.abc import Callable

import pytest

from commonplace import Commonplace
from tests.conftest import NOON, refusal
from tests.contract.conftest import Writer

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]
MUSIC, FOOD = ("cello", "orchestra", "music"), ("peanut", "allergy", "kitchen")


@pytest.fixture
def filled(memory: Commonplace) -> Commonplace:
    """Two subjects of three concepts in five memories each, and one that stands alone."""
    writer = Writer(memory._get_ports())
    for subject in (MUSIC, FOOD):
        for number in range(5):
            writer.write(f"{subject[0]} {number}", concepts=subject)
    writer.write("chess", concepts=("chess",))
    return memory


def test_what_stands_together_is_linked_and_forms_a_community(filled: Commonplace) -> None:
    told = filled.concept_network()
    assert [(node.id, node.count) for node in told.nodes] == [
        ("allergy", 5), ("cello", 5), ("kitchen", 5), ("music", 5), ("orchestra", 5), ("peanut", 5), ("chess", 1),
    ]  # fmt: skip
    communities = {node.id: node.community for node in told.nodes}
    assert {communities[name] for name in FOOD} == {0}
    assert {communities[name] for name in MUSIC} == {1}
    assert communities["chess"] == 2
    assert [(link.source, link.target, link.weight, link.count) for link in told.links] == [
        ("allergy", "kitchen", 1.0, 5), ("allergy", "peanut", 1.0, 5), ("cello", "music", 1.0, 5),
        ("cello", "orchestra", 1.0, 5), ("kitchen", "peanut", 1.0, 5), ("music", "orchestra", 1.0, 5),
    ]  # fmt: skip
    assert (told.dot, told.notes) == (None, None)


def test_two_memories_make_no_link(memory: Commonplace) -> None:
    writer = Writer(memory._get_ports())
    for number in range(2):
        writer.write(f"tea {number}", concepts=("tea", "cup"))
    assert memory.concept_network().links == []
    writer.write("tea 2", concepts=("tea", "cup"))
    assert len(memory.concept_network().links) == 1


def test_a_focus_shows_what_is_around_it_whatever_it_is_called(filled: Commonplace) -> None:
    told = filled.concept_network("Cellos")
    assert [node.id for node in told.nodes] == ["cello", "music", "orchestra"]
    assert {node.community for node in told.nodes} == {1}
    assert [node.id for node in filled.concept_network("chess", depth=3).nodes] == ["chess"]
    assert [node.id for node in filled.concept_network("cello", limit=2).nodes] == ["cello", "music"]
    assert len(filled.concept_network("cello", limit=2).links) == 1


def test_an_unknown_focus_is_empty_and_names_the_nearest(filled: Commonplace) -> None:
    told = filled.concept_network("orchestre", format="dot")
    assert (told.nodes, told.links, told.dot) == ([], [], "graph concepts {\n}\n")
    assert told.notes is not None
    assert told.notes.warnings == ["no memory has this concept; the nearest are orchestra"]
    far = filled.concept_network("zzzz").notes
    assert far is not None
    assert far.warnings == ["no memory has this concept"]


def test_only_what_is_visible_is_there(open_memory: Opener) -> None:
    memory = open_memory()
    writer = Writer(memory._get_ports())
    for number in range(3):
        writer.write(f"tea {number}", concepts=("tea", "cup"), agent_id="chef")
        writer.write(f"milk {number}", concepts=("milk", "cow"), expires_at=NOON)
    assert memory.concept_network().nodes == []
    assert len(open_memory(agent_id="chef").concept_network().links) == 1
    assert open_memory(user_id="ben").concept_network().nodes == []


@pytest.mark.parametrize(("field", "value"), [("depth", 0), ("depth", 4), ("limit", 101), ("format", "svg"), ("focus", "")])
def test_a_wrong_argument_is_named(memory: Commonplace, field: str, value: object) -> None:
    error = refusal(lambda: memory.call("concept_network", {field: value}))
    assert (error.code.status, error.field) == (400, field)

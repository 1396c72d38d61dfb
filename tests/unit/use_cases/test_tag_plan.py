"""Which tags of a user would become one, on small sets of memories."""

from collections import Counter

import pytest

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.adapters.word_averages import WordAverages
from commonplace.domain.memory import Memory
from commonplace.use_cases.tag_plan import TagPlan
from tests.conftest import NOON

Told = tuple[str, tuple[str, ...]]
"""The text of a memory, and its tags."""


def memory(text: str, tags: tuple[str, ...]) -> Memory:
    return Memory(
        memory_id="mem_1", user_id="local|ana", raw_text=text, normalized_text=text, memory_type="fact",
        category="contexts", section="personal_context", tags=tags, created_at=NOON, updated_at=NOON,
    )  # fmt: skip


def merges(*told: Told) -> dict[str, str]:
    memories = [memory(*one) for one in told]
    uses = Counter(tag for one in memories for tag in one.tags)
    plan = TagPlan.of(uses, WordAverages(), lambda: memories, SentenceEncoder(), 0.8)
    return {one.tag: one.into for one in plan.merges}


@pytest.mark.parametrize(
    "told",
    [
        [("We compute the net present value (NPV) first.", ("npv",)), ("Rates matter.", ("net-present-value",))],
        [("NPV, short for net present value, is positive.", ("npv",)), ("Rates matter.", ("net-present-value",))],
        [("The net present value is positive.", ("npv",)), ("Rates matter.", ("net-present-value",))],
        [("The plan pays off.", ("npv", "net-present-value"))],
    ],
)
def test_an_abbreviation_is_merged_where_its_long_form_occurs_with_it(told: list[Told]) -> None:
    assert merges(*told) == {"npv": "net-present-value"}


@pytest.mark.parametrize(
    "told",
    [
        [("I play go on Sundays.", ("go",)), ("We repaired the fence.", ("garden-outdoors",))],
        [("I play go in the garden outdoors.", ("go", "garden-outdoors"))],
        [("IT fixed my laptop.", ("it",)), ("We fly to Rome.", ("italy-trip",))],
        [("IT fixed my laptop before the Italy trip.", ("it", "italy-trip"))],
        [("My NPV is up.", ("npv",)), ("Nadia plays violin.", ("nadia-plays-violin",))],
        [("I read CS papers at the coffee shop.", ("cs", "coffee-shop"))],
    ],
)
def test_initials_that_only_look_alike_stay_two(told: list[Told]) -> None:
    assert merges(*told) == {}


def test_a_pair_of_the_standard_table_needs_no_text() -> None:
    assert merges(("A.", ("js",)), ("B.", ("javascript",)), ("C.", ("k8s",)), ("D.", ("kubernetes",))) == {
        "js": "javascript", "k8s": "kubernetes",
    }  # fmt: skip


def test_the_more_frequent_misspelling_goes() -> None:
    told = [("A.", ("managment",))] * 5 + [("B.", ("management",)), ("C.", ("icecream",)), ("D.", ("ice-cream",))]
    assert merges(*told, ("E.", ("icecream",))) == {"managment": "management", "icecream": "ice-cream"}


def test_names_and_spelling_alone_need_neither_vectors_nor_memories() -> None:
    uses = {
        "js": 3,
        "javascript": 1,
        "recipes": 2,
        "recipe": 1,
        "managment": 4,
        "management": 1,
        "go": 1,
        "garden-outdoors": 1,
    }
    assert {one.tag: one.into for one in TagPlan.of(uses, WordAverages()).merges} == {
        "js": "javascript", "recipes": "recipe", "managment": "management",
    }  # fmt: skip

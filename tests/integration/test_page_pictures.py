"""The network and the growth on the page: pictures, and tables that say the same."""

import pytest

from commonplace import Commonplace
from tests.integration.opened_page import opened
from tests.integration.test_page_runs import text_of

pytestmark = pytest.mark.integration


def test_where_nothing_is_stored_there_is_no_picture(memory: Commonplace) -> None:
    page = opened(memory)
    for path, says in (("/ui/network", "No concepts yet"), ("/ui/growth", "Nothing is stored yet")):
        shown = page.get(path)
        assert says in shown
        assert "<svg" not in shown


def test_the_network_is_drawn_and_told(memory: Commonplace) -> None:
    texts = ["Kyoto and Osaka are near.", "I went from Kyoto to Osaka.", "Osaka is louder than Kyoto.", "I left Hamburg."]
    memory.store_memories([{"content": text} for text in texts])
    found = memory.concept_network(limit=40)
    assert found.links
    page = opened(memory)
    shown = page.get("/ui/network")
    for node in found.nodes:
        assert f">{node.id}</text>" in shown
        assert f"{node.id} {node.count} {node.community + 1}" in text_of(shown)
    assert shown.count("<line ") == len(found.links)
    around = page.get("/ui/network?focus=kyoto&depth=2")
    assert "Osaka</text>" in around
    assert "Hamburg</text>" not in around
    assert page.get("/ui/network?focus=kyoto&depth=2") == around


def test_a_concept_that_is_not_there_is_told_with_its_nearest(memory: Commonplace) -> None:
    memory.store_memory("I went to Kyoto.")
    shown = opened(memory).get("/ui/network?focus=Kyotto&depth=9")
    assert "Kyoto" in shown
    assert "<svg" not in shown


def test_what_concepts_are_called_is_text(memory: Commonplace) -> None:
    memory.store_memory('I met "<script>alert(1)</script>" Ltd in Kyoto.')
    page = opened(memory)
    for path in ("/ui/network", "/ui/growth", "/ui/tags", "/ui/network?focus=<script>alert(1)</script>"):
        assert "<script>alert" not in page.get(path)


def test_the_growth_is_drawn_and_told(memory: Commonplace) -> None:
    stored = [memory.store_memory(text).memory_id for text in ("I went to Kyoto.", "I like tea.", "My bicycle is red.")]
    memory.delete_memory(memory_id=stored[0])
    shown = opened(memory).get("/ui/growth")
    assert "<title>2026-05: 3 added, 1 closed, 2 in all</title>" in shown
    assert "2026-05 3 1" in text_of(shown)

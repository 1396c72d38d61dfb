"""The first view: all memories, and those that match a question."""

import re
from urllib.parse import quote

import pytest

from commonplace import Commonplace
from tests.integration.opened_page import opened

pytestmark = pytest.mark.integration


def told(page: str) -> list[str]:
    """The texts of the memories that a page lists."""
    return re.findall(r'<p class="words[^"]*" dir="auto"[^>]*>(.*?)</p>', page, re.DOTALL)


def test_where_nothing_is_remembered_it_says_how_to_begin(memory: Commonplace) -> None:
    page = opened(memory).get("/ui")
    assert "There are no memories yet" in page
    assert 'href="/ui/new"' in page


def test_all_are_listed_newest_first_by_pages(memory: Commonplace) -> None:
    memory.store_memories([{"content": f"I keep {number} bees in the garden."} for number in range(1, 26)])
    page = opened(memory)
    first = page.get("/ui")
    assert told(first) == [f"I keep {number} bees in the garden." for number in range(25, 5, -1)]
    (older,) = re.findall(r'href="(/ui\?cursor=[^"]+)" rel="next"', first)
    assert told(page.get(older)) == [f"I keep {number} bees in the garden." for number in range(5, 0, -1)]


@pytest.mark.parametrize("path", ["/ui", "/ui/found"])
def test_a_question_finds_with_time_and_relevance(memory: Commonplace, path: str) -> None:
    memory.store_memory("I drink green tea at noon.")
    memory.store_memory("My bicycle is red.")
    page = opened(memory).get(f"{path}?q=tea")
    assert told(page) == ["I drink green tea at noon."]
    assert re.search(r"\d+ % match", page)
    assert "<time datetime=" in page
    assert ("<html" in page) == (path == "/ui")


def test_what_is_looked_for_here_counts_as_no_use(memory: Commonplace) -> None:
    memory.store_memory("I drink green tea at noon.")
    opened(memory).get("/ui?q=tea")
    memory.search_memory("tea", counts=False)
    assert memory.usage_patterns().searches == 0
    memory.search_memory("tea")
    assert memory.usage_patterns().searches == 1


def test_filters_narrow_questions_and_the_list(memory: Commonplace) -> None:
    memory.store_memory("I drink green tea at noon.", context={"force_category": "contexts"})
    memory.store_memory("The tea house opens at ten.", context={"force_category": "references"})
    page = opened(memory)
    for query in ("q=tea&", ""):
        assert told(page.get(f"/ui?{query}category=references")) == ["The tea house opens at ten."]
        assert not told(page.get(f"/ui?{query}before=2020-01-01"))
        assert len(told(page.get(f"/ui?{query}after=2020-01-01&importance_min=1"))) == 2


@pytest.mark.parametrize(("field", "value"), [("after", "someday"), ("importance_min", "9"), ("category", "nowhere")])
def test_a_mistake_is_named_at_its_field(memory: Commonplace, field: str, value: str) -> None:
    page = opened(memory).get(f"/ui?q=tea&{field}={value}", 400)
    assert f'aria-describedby="flaw-{field}"' in page
    assert f'<p class="flaw" id="flaw-{field}">' in page
    assert 'value="tea"' in page


def test_a_question_without_a_word_is_told_so(memory: Commonplace) -> None:
    memory.store_memory("I drink green tea at noon.")
    assert opened(memory).client.get("/ui?q=%00").status_code == 400


HOSTILE = (
    "<script>alert(1)</script> I like tea",
    '"><img src=x onerror=alert(1)> I like tea',
    "{{ 7 * 7 }} {% raw %} I like tea",
    "\u202e\u2066I like tea in reverse\u202e",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_shown_as_what_they_are(memory: Commonplace, text: str) -> None:
    memory.store_memory(text)
    page = opened(memory)
    for path in ("/ui", f"/ui?q={quote(text)}"):
        shown = page.get(path)
        assert not re.search(r"<(script|img)(?! src=\"/ui/static)", shown)
        assert "49" not in "".join(told(shown))
        assert "I like tea" in "".join(told(shown))


def test_a_long_text_is_folded(memory: Commonplace) -> None:
    memory.store_memory("I like tea " + "and books " * 790)
    shown = opened(memory).get("/ui")
    assert "Show all 7,9" in shown
    beginning, whole = told(shown)
    assert len(beginning) < 500 < 7_000 < len(whole)

"""The timeline on the page."""

import re
from datetime import datetime, timedelta

import pytest

from commonplace import Commonplace
from commonplace.interfaces.ui.timeline import span_name
from tests.conftest import NOON
from tests.integration.opened_page import opened

pytestmark = pytest.mark.integration


def at(months_ago: int) -> dict[str, object]:
    return {"place": {"event_time": NOON - timedelta(days=30 * months_ago)}}


def spans(page: str) -> list[str]:
    return re.findall(r"<h2><a href=\"[^\"]+\">([^<]+)</a></h2>", page)


def test_it_tells_when_things_happened_and_leads_to_them(memory: Commonplace) -> None:
    memory.store_memories([{"content": "I moved to York.", "context": at(3)}, {"content": "I met Mia.", "context": at(0)}])
    page = opened(memory)
    shown = page.get("/ui/timeline")
    assert spans(shown) == ["February 2026", "May 2026"]
    (first, _) = re.findall(r'<h2><a href="([^"]+)"', shown)
    listed = page.get(first.replace("&amp;", "&"))
    assert "I moved to York." in listed
    assert "I met Mia." not in listed
    assert spans(page.get("/ui/timeline?granularity=year")) == ["2026"]
    assert spans(page.get("/ui/timeline?topic=Mia")) == ["May 2026"]


def test_it_tells_what_changed(memory: Commonplace) -> None:
    old = memory.store_memory("I drink green tea at noon.").memory_id
    memory.update_memory(memory_id=old, value="I drink white tea at noon.")
    shown = opened(memory).get("/ui/timeline")
    assert re.search(r"<del>.*green tea.*</del>\s*<ins>.*white tea.*</ins>", shown, re.DOTALL)


def test_it_goes_on_by_pages(memory: Commonplace) -> None:
    memory.store_memories(
        [
            {"content": f"I walked {days} km.", "context": {"place": {"event_time": NOON - timedelta(days=days)}}}
            for days in range(40)
        ]
    )
    page = opened(memory)
    first = page.get("/ui/timeline?granularity=day")
    (later,) = re.findall(r'href="([^"]+)" rel="next"', first)
    both = spans(first) + spans(page.get(later.replace("&amp;", "&")))
    assert len(both) == len(set(both)) == 40
    assert both[-1] == "20 May 2026"


def test_mistakes_and_emptiness(memory: Commonplace) -> None:
    page = opened(memory)
    assert "No memories yet." in page.get("/ui/timeline")
    assert 'id="flaw-after"' in page.get("/ui/timeline?after=someday", 400)
    assert 'id="flaw-granularity"' in page.get("/ui/timeline?granularity=decade", 400)


@pytest.mark.parametrize(
    ("granularity", "name"),
    [("day", "2 March 2026"), ("week", "Week of 2 March 2026"), ("month", "March 2026"), ("year", "2026")],
)
def test_what_people_call_a_span(granularity: str, name: str) -> None:
    assert span_name(datetime(2026, 3, 2), granularity) == name  # type: ignore[arg-type]

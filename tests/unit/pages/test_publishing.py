"""The record as pages, and pages as they come back from people and their editors."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from commonplace.domain.memory import Memory
from commonplace.domain.storage import normal_key
from commonplace.domain.taxonomy import Section
from commonplace.pages.page import MAIN, Page, day_of, text_of
from commonplace.pages.publishing import render_pages
from commonplace.pages.reading import CLOSING, parse
from tests.unit.nightly.scripted import memory
from tests.unit.pages.test_page_text import TEXTS

BERLIN = ZoneInfo("Europe/Berlin")
ANN = "local|ann"
CONTENTS = TEXTS.filter(lambda text: any(map(str.isalnum, text)))
KEYS = st.from_regex(r"[\w.-]{1,20}", fullmatch=True).map(str.lower)
MOMENTS = st.datetimes(datetime(2025, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC))


def is_key(key: str) -> bool:
    try:
        return normal_key(key) == key
    except ValueError:
        return False


@st.composite
def stores(draw: st.DrawFn) -> list[Memory]:
    found = []
    for number, content in enumerate(draw(st.lists(CONTENTS, max_size=8))):
        daily = draw(st.booleans())
        fields: dict[str, Any] = {
            "key": draw(st.none() | KEYS.filter(is_key)),
            "section": draw(st.sampled_from(get_args(Section))),
            "durability": "daily" if daily else "durable",
            "event_time": draw(st.none() | MOMENTS),
            "version": draw(st.integers(1, 999)),
        }
        found.append(memory(f"mem_{number}", content, **fields))
    return found


def pages(*memories: Memory) -> dict[str, str]:
    return render_pages(ANN, memories, BERLIN)


def parsed(text: str, name: str = MAIN) -> Page:
    page = parse(name, text)
    assert page is not None
    return page


def said(page: Page) -> list[tuple[str, str | None, str | None]]:
    return [(line.text, line.key, line.memory_id) for line in page.lines]


COFFEE = memory("mem_1", "The user drinks flat white.", key="coffee", section="preference")
ROLE = memory("mem_2", "The user works as a nurse\nin Kiel.", section="work_context", version=3)
NOTE = memory("mem_3", "The user saw a heron.", durability="daily", event_time=datetime(2026, 5, 19, 23, 30, tzinfo=UTC))


@given(stores())
def test_whatever_is_remembered_comes_back_from_its_pages_word_for_word(memories: list[Memory]) -> None:
    found = []
    for name, text in pages(*memories).items():
        page = parsed(text, name)
        assert (page.whole, page.edited, page.unread) == (True, False, ())
        assert page.listed == {line.memory_id: line.version for line in page.lines}
        found += [(line.memory_id, line.version, line.key, line.text) for line in page.lines]
        assert page.day or [line.section for line in page.lines] == [
            next(one.section for one in memories if one.memory_id == line.memory_id) for line in page.lines
        ]
    assert sorted(found) == [(one.memory_id, one.version, one.key, text_of(one)) for one in memories]


def test_durable_memories_stand_under_their_sections_and_notes_on_their_day_in_the_users_zone() -> None:
    found = pages(ROLE, NOTE, COFFEE)
    assert list(found) == [MAIN, "memory/2026-05-20.md"]
    shown = [line for line in found[MAIN].split("-->\n", 1)[1].splitlines() if line]
    assert shown == [
        "# Memory",
        "## Preference",
        "- **coffee**: The user drinks flat white. <!-- mem_1 v1 -->",
        "## Work context",
        "- The user works as a nurse<br>in Kiel. <!-- mem_2 v3 -->",
        "## Personal context",
        "## Reading history",
        CLOSING,
    ]
    assert "# 2026-05-20\n\n- The user saw a heron. <!-- mem_3 v1 -->\n" in found["memory/2026-05-20.md"]


def test_ids_versions_and_header_are_not_seen_where_a_page_is_rendered() -> None:
    shown = MarkdownIt("commonmark").parse(pages(COFFEE)[MAIN])
    visible = [piece.content for block in shown for piece in block.children or () if piece.type == "text"]
    assert [text.strip() for text in visible if text.strip()] == [
        "Memory", "Preference", "coffee", ": The user drinks flat white.", "Work context", "Personal context",
        "Reading history",
    ]  # fmt: skip


def test_no_id_of_a_user_is_told() -> None:
    assert "ann" not in pages(COFFEE)[MAIN]


EDITORS: dict[str, Callable[[str], str]] = {
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "a byte order mark": lambda text: f"\ufeff{text}",
    "no blank lines": lambda text: text.replace("\n\n", "\n"),
    "more blank lines": lambda text: text.replace("\n\n", "\n\n\n"),
    "blanks at the end of lines": lambda text: text.replace("\n", "  \n"),
    "other bullets": lambda text: text.replace("\n- ", "\n*   "),
    "wrapped lines": lambda text: text.replace(" flat ", "\n  flat\n  "),
    "an end without a line break": lambda text: text.rstrip("\n"),
}


@pytest.mark.parametrize("laid_out", EDITORS.values(), ids=EDITORS)
def test_what_an_editor_makes_of_the_layout_is_no_edit(laid_out: Callable[[str], str]) -> None:
    written = pages(COFFEE, ROLE)[MAIN]
    page = parsed(laid_out(written))
    assert said(page) == said(parsed(written))
    assert (page.whole, page.edited, page.unread) == (True, False, ())


@pytest.mark.parametrize(
    "edit",
    [("flat white", "tea"), ("coffee", "drink"), ("v1 -->", "v2 -->"), (CLOSING, ""), ("# Memory", "# Memory\n\nHello.")],
)
def test_what_a_person_makes_of_it_is_one(edit: tuple[str, str]) -> None:
    assert parsed(pages(COFFEE)[MAIN].replace(*edit)).edited


def test_a_page_cut_anywhere_is_not_whole_and_holds_no_half_entry() -> None:
    written = pages(COFFEE, ROLE, NOTE)[MAIN]
    whole = said(parsed(written))
    for end in range(len(written) - 2):
        page = parse(MAIN, written[:end])
        if page is not None:
            assert not page.whole
            assert said(page) == whole[: len(page.lines)]


@pytest.mark.parametrize("text", ["", "# Notes\n\n- mine\n", "<!-- commonplace page 2\n-->\n- of a later version\n"])
def test_what_has_no_header_of_ours_is_somebody_elses(text: str) -> None:
    assert parse(MAIN, text) is None


def test_new_lines_are_entries_without_an_id() -> None:
    typed = (
        "## Preference\n\n- **tea**: The user likes Assam.\n* The user has a list:\n  - one\n\t- two\n1. The user counts.\n"
    )
    page = parsed(pages()[MAIN].replace("## Preference\n", typed))
    assert said(page) == [
        ("The user likes Assam.", "tea", None),
        ("The user has a list:\n- one\n- two", None, None),
        ("The user counts.", None, None),
    ]
    assert {line.section for line in page.lines} == {"preference"}


def test_an_entry_below_the_end_or_under_another_heading_has_no_section() -> None:
    page = parsed(pages()[MAIN].replace("## Work context", "## Hobbies\n\n- The user rows.") + "\n- The user sings.\n")
    assert [(line.text, line.section) for line in page.lines] == [("The user rows.", None), ("The user sings.", None)]
    assert len(page.unread) == 1


def test_lines_that_are_no_entries_are_told_by_their_numbers() -> None:
    text = pages(COFFEE)[MAIN].replace("## Work context", "Remember the milk.\n\n## Work context")
    assert parsed(text).unread == (text.splitlines().index("Remember the milk.") + 1,)


def test_what_a_merge_leaves_behind_is_no_part_of_an_entry() -> None:
    text = pages(COFFEE)[MAIN].replace("v1 -->\n", "v1 -->\n<<<<<<< ours\n- The user rows.\n")
    page = parsed(text)
    assert said(page) == [(COFFEE.content, "coffee", "mem_1"), ("The user rows.", None, None)]
    assert len(page.unread) == 1


def test_another_title_is_told() -> None:
    page = parsed(pages(COFFEE)[MAIN].replace("# Memory", "# My memory"))
    assert (page.edited, len(page.unread)) == (True, 1)


def test_two_entries_joined_are_the_first_of_them() -> None:
    lines = pages(memory("mem_1", "One."), memory("mem_2", "Two."))[MAIN].replace("v1 -->\n- Two.", "v1 --> Two.")
    assert said(parsed(lines)) == [("One. Two.", None, "mem_1")]


@pytest.mark.parametrize("name", ["memory/2026-02-30.md", "memory/notes.md", "2026-05-20.md", "memory/2026-05-20.md.bak"])
def test_only_real_days_have_pages(name: str) -> None:
    assert day_of(name) is None


def test_the_order_of_a_page_stays_the_same() -> None:
    later = memory("mem_0", "Later.", created_at=COFFEE.created_at + timedelta(days=1), event_time=None)
    first = memory("mem_9", "First.", event_time=None)
    for store in ([later, first, COFFEE], [COFFEE, first, later]):
        assert [line.text for line in parsed(pages(*store)[MAIN]).lines if line.section != "preference"] == [
            "First.",
            "Later.",
        ]

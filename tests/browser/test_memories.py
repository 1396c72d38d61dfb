"""The way of a person through their memories: found while they type, read, stored, corrected, deleted, erased."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from commonplace import Commonplace

pytestmark = pytest.mark.browser

MIA = "My daughter Mia is allergic to peanuts."
TEXTS = (MIA, "I drink green tea at noon.", "My bicycle is red.", "We moved to Leipzig in spring.")


@pytest.fixture(scope="module")
def ui_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ui") / "memory.db"
    with Commonplace(path, user_id="ana") as memory:
        memory.store_memories([{"content": text} for text in TEXTS])
    return path


def shown(page: Page) -> list[str]:
    return page.locator("#found .words").all_inner_texts()


def test_a_question_is_answered_while_it_is_typed(page: Page) -> None:
    assert shown(page) == list(reversed(TEXTS))
    page.get_by_role("searchbox").press_sequentially("is anybody allergic to something?", delay=10)
    expect(page.locator("#found .words").first).to_have_text(MIA)
    expect(page.locator("#found")).to_contain_text("% match")
    expect(page).to_have_url(re.compile(r"\?q=is\+anybody"))
    page.reload()
    expect(page.locator("#found .words").first).to_have_text(MIA)


def test_a_memory_is_stored_corrected_deleted_and_brought_back(page: Page) -> None:
    page.get_by_role("link", name="Remember something").click()
    page.get_by_label("What to remember").fill("My piano lesson is on Tuesdays.")
    page.get_by_role("button", name="Remember", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Stored.")

    page.get_by_role("link", name="Change").click()
    page.get_by_label("What is true now").fill("My piano lesson is on Wednesdays.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".whole-memory")).to_have_text("My piano lesson is on Wednesdays.")
    later = page.locator("section[data-later]")
    expect(later.get_by_role("heading", name="History")).to_be_visible()
    expect(later).to_contain_text("My piano lesson is on Tuesdays.")

    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status").first).to_contain_text("Deleted: My piano lesson is on Wednesdays.")
    assert not any("piano" in text for text in shown(page))
    page.get_by_role("button", name="Undo").click()
    assert shown(page)[0] == "My piano lesson is on Wednesdays."


def test_what_is_to_be_erased_is_asked_for_first(page: Page, allowed: list[str]) -> None:
    allowed.append("status of 400")
    page.get_by_role("link", name="Open: My bicycle is red.").click()
    page.get_by_role("link", name="Erase for good").click()
    page.get_by_role("button", name="for good").click()
    word = page.get_by_label(re.compile("to continue"))
    expect(word).to_have_attribute("aria-invalid", "true")
    word.fill("erase")
    page.get_by_role("button", name="for good").click()
    expect(page.locator("div.notice")).to_contain_text("Erased for good")
    assert "My bicycle is red." not in shown(page)


def test_a_mistake_is_told_at_its_field(page: Page, allowed: list[str]) -> None:
    allowed.append("status of 400")
    page.get_by_role("link", name="Remember something").click()
    page.get_by_label("What to remember").fill("  .  ")
    page.get_by_role("button", name="Remember", exact=True).click()
    field = page.get_by_label("What to remember")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("  .  ")


def test_no_mouse_is_needed(page: Page) -> None:
    keys = page.keyboard
    keys.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    keys.press("Enter")
    keys.press("/")
    keys.type("green tea")
    expect(page.locator("#found .words").first).to_have_text("I drink green tea at noon.")
    keys.press("Tab")  # out of the field, where letters are letters
    keys.press("j")
    expect(page.locator(":focus")).to_have_attribute("aria-label", "Open: I drink green tea at noon.")
    keys.press("Enter")
    expect(page.locator(".whole-memory")).to_have_text("I drink green tea at noon.")
    for _ in range(30):
        keys.press("Tab")
        if page.locator(":focus").inner_text() == "Delete":
            break
    outline = page.locator(":focus").evaluate("one => getComputedStyle(one).outlineStyle")
    assert outline == "solid"
    keys.press("Enter")
    expect(page.locator("div.notice")).to_contain_text("Deleted: I drink green tea at noon.")

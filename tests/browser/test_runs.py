"""A person over what was done for them: runs looked at, approved, discarded, taken back; memories brought and taken out."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from commonplace import Commonplace
from tests.browser.served import Served
from tests.integration.test_page_runs import PEANUTS, with_plan_of_tags
from tests.scripted_nights import current, told

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def ui_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night and a plan that waits."""
    path = tmp_path_factory.mktemp("ui") / "memory.db"
    with Commonplace(path, user_id="ana") as memory:
        memory.record_interactions([told("talk-1", PEANUTS)])
        memory.nightly("rules")
        with_plan_of_tags(memory, path.parent)
    return path


def open_run(page: Page, name: str) -> None:
    page.get_by_role("link", name="Nights").click()
    page.get_by_role("link", name=name, exact=True).first.click()


def in_use(ui_file: Path) -> set[str]:
    with Commonplace(ui_file, user_id="ana") as memory:
        return {one.tag for one in memory.tags().tags}


def test_a_night_is_taken_back_and_done_again(page: Page, ui_file: Path) -> None:
    open_run(page, "Night")
    expect(page.locator(".operations")).to_contain_text("Mia is allergic to peanuts")
    page.get_by_role("button", name="Undo the run").click()
    expect(page.locator("div.notice")).to_contain_text("Undone: 1 of 1 changes.")
    with Commonplace(ui_file, user_id="ana") as memory:
        assert not any("peanuts" in text for text in current(memory))
    page.get_by_role("link", name="undone", exact=True).click()
    page.get_by_role("button", name="Redo").click()
    with Commonplace(ui_file, user_id="ana") as memory:
        assert any("peanuts" in text for text in current(memory))


def test_a_plan_is_discarded_made_again_and_approved(page: Page, ui_file: Path) -> None:
    open_run(page, "Merge of tags")
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("div.notice")).to_contain_text("the waiting changes are not applied")
    assert "kubernets" in in_use(ui_file)
    page.get_by_role("link", name="Tags", exact=True).click()
    page.get_by_role("button", name="Find tags with the same meaning").click()
    expect(page.get_by_role("row", name="kubernets kubernetes")).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("div.notice")).to_contain_text("Approved: 1 done.")
    assert "kubernets" not in in_use(ui_file)


def test_memories_are_brought_along_and_taken_back(page: Page, ui_file: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "animals.md").write_text("# Animals\n\n- I have a cat called Miso.\n- I had a dog called Bruno.\n", "utf-8")
    page.get_by_role("link", name="Import").click()
    page.get_by_label("Or a folder of notes").set_input_files(notes)
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Plan of the import")
    expect(page.locator("dl.facts")).to_contain_text("markdown")
    with Commonplace(ui_file, user_id="ana") as memory:
        assert not any("Miso" in text for text in current(memory))
    page.get_by_role("button", name="Import 2 memories").click()
    expect(page.locator("div.notice")).to_contain_text("2 memories added")
    expect(page.locator(".operations")).to_contain_text("I have a cat called Miso.")
    page.get_by_role("button", name="Undo the run").click()
    expect(page.locator("div.notice")).to_contain_text("Undone: 2 of 2 changes.")


def test_a_file_that_is_too_large_is_told_before_it_is_sent(page: Page, tmp_path: Path) -> None:
    page.get_by_role("link", name="Import").click()
    files, show = page.get_by_label("One or more files"), page.get_by_role("button", name="Show the plan")
    large = tmp_path / "turns.json"
    large.write_bytes(b" " * 33_000_000)
    files.set_input_files(large)
    show.click()
    told = files.evaluate("field => field.validationMessage")
    assert told == "This is more than 32 MB: run commonplace import FILE."
    expect(page.get_by_role("heading", level=1)).to_have_text("Import memories")
    files.set_input_files(FilePayload(name="turns.json", mimeType="application/json", buffer=b"[]"))
    assert files.evaluate("field => field.checkValidity()")
    show.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Plan of the import")


def test_all_memories_are_downloaded(page: Page, ui: Served, tmp_path: Path) -> None:
    page.get_by_role("link", name="Export").click()
    page.get_by_label("JSON Lines").check()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download").click()
    file = tmp_path / downloading.value.suggested_filename
    downloading.value.save_as(file)
    assert file.suffix == ".jsonl"
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert lines[0] == {"commonplace_export": 1}
    assert PEANUTS in {one["raw_text"] for one in lines[1:]}

"""One memory on the page: looked at, stored, changed, deleted and brought back, erased."""

import re
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import CommonplaceError
from tests.conftest import found
from tests.contract.damage import damage_in_file
from tests.integration.opened_page import Opened, opened

pytestmark = pytest.mark.integration
TEA = "I drink green tea at noon."


@pytest.fixture
def tea(memory: Commonplace) -> str:
    return memory.store_memory(TEA).memory_id


@pytest.fixture
def page(memory: Commonplace) -> Opened:
    return opened(memory)


def path_of(memory_id: str) -> str:
    return f"/ui/memories/{memory_id}"


def test_one_memory_with_all_that_is_known_of_it(page: Opened, tea: str, memory: Commonplace) -> None:
    shown = page.get(path_of(tea))
    kept = memory.get_memory(tea).memory
    assert TEA in shown
    for told in (tea, kept.tags[0], kept.filed_under.capitalize(), f"Importance {kept.importance} of 5"):
        assert told in shown
    assert f'data-later="{path_of(tea)}/beside?part=yes"' in shown
    assert f'href="{path_of(tea)}/beside"' in shown


def test_beside_it_stand_its_history_and_what_is_like_it(page: Opened, tea: str, memory: Commonplace) -> None:
    other = memory.store_memory("I drink black tea in the morning.").memory_id
    new = memory.update_memory(memory_id=tea, value="I drink white tea at noon.").memory_id
    for query, whole in (("", True), ("?part=yes", False)):
        shown = page.get(f"{path_of(new)}/beside{query}")
        assert ("<html" in shown) is whole
        assert shown.index("I drink white tea at noon.") < shown.index(TEA)
        assert f'href="{path_of(other)}"' in shown
    closed = page.get(path_of(tea))
    assert "This memory is closed" in closed
    assert f'href="{path_of(new)}"' in closed


def test_what_is_no_memory_is_told(page: Opened) -> None:
    assert "no memory has this id" in page.get(path_of("mem_01KS2D7V804VFDE2Y0R2015D1F"), 404)


def test_something_is_remembered(page: Opened, memory: Commonplace) -> None:
    answer = page.send(
        "/ui/new", "/ui/new", content="My locker is number 12.", force_category="references", force_importance="5",
        additional_tags="gym, locker room", user_note="since May", expires_at="",
    )  # fmt: skip
    shown = page.get(answer.headers["Location"])
    assert "Stored." in shown
    (kept,) = memory.list_memories().memories
    assert (kept.value, kept.filed_under, kept.importance) == ("My locker is number 12.", "references", 5)
    assert (kept.user_note, "gym" in kept.tags) == ("since May", True)
    assert "Stored." not in page.get(answer.headers["Location"])  # told once


def test_a_secret_is_taken_out_and_told(page: Opened, memory: Commonplace) -> None:
    answer = page.send("/ui/new", "/ui/new", content="My wifi password is blue-monkey-42, the router is upstairs.")
    shown = page.get(answer.headers["Location"])
    assert "Removed before storing" in shown
    assert "blue-monkey-42" not in shown


def test_what_a_new_memory_may_leave_untrue_is_linked(page: Opened, memory: Commonplace) -> None:
    old = memory.store_memory("I live in Leeds.").memory_id
    new = page.send("/ui/new", "/ui/new", content="I moved to York last week.").headers["Location"]
    told = memory.history(memory_id=new.rsplit("/", 1)[1])
    assert told.values
    assert f'<a href="{path_of(old)}"><bdi>May no longer be true: I live in Leeds.' in page.get(new)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"content": "  "}, "content"),
        ({"content": "é" * 8_001}, "content"),
        ({"content": TEA, "expires_at": "soon"}, "expires_at"),
    ],
)
def test_a_refused_statement_stays_in_its_form(page: Opened, memory: Commonplace, given: dict[str, str], field: str) -> None:
    shown = page.send("/ui/new", "/ui/new", 400, **given).text
    assert f'id="flaw-{field}"' in shown
    assert given["content"].strip() in shown
    assert not memory.list_memories().count


def test_a_correction_can_be_taken_back(page: Opened, memory: Commonplace, tea: str) -> None:
    edit = f"{path_of(tea)}/edit"
    place = page.send(edit, edit, value="I drink white tea at noon.").headers["Location"]
    assert place != path_of(tea)
    page.send(place, "/ui/undo")
    assert memory.get_memory(tea).memory.value == TEA


def test_only_what_was_changed_is_corrected(page: Opened, memory: Commonplace, tea: str) -> None:
    edit, before = f"{path_of(tea)}/edit", memory.get_memory(tea).memory
    place = page.send(
        edit, edit, value=TEA, tags="tea, noon", importance=before.importance, type=before.type, filed_under="references"
    )
    assert place.headers["Location"] == path_of(tea)
    after = memory.get_memory(tea).memory
    assert (after.tags, after.filed_under, after.type) == (["tea", "noon"], "references", before.type)
    page.send(edit, edit, value=TEA, tags="noon, tea", filed_under="references")
    page.send(edit, edit, value=TEA, tags="")
    assert memory.get_memory(tea).memory.tags == []


def test_what_changed_since_the_form_was_opened_stays(page: Opened, memory: Commonplace, tea: str) -> None:
    edit, before = f"{path_of(tea)}/edit", memory.get_memory(tea).memory
    shown = page.get(edit)
    form = dict(re.findall(r'<input type="hidden" name="(was_\w+)" value="([^"]*)">', shown))
    assert form["was_importance"] == str(before.importance)
    other = 5 if before.importance < 5 else 1
    memory.update_memory(memory_id=tea, importance=other)
    page.send(edit, edit, **form, value=TEA, tags="noon", importance=before.importance, type=before.type)
    after = memory.get_memory(tea).memory
    assert (after.importance, after.tags) == (other, ["noon"])


def test_line_breaks_of_a_form_change_nothing(page: Opened, memory: Commonplace) -> None:
    kept = memory.store_memory("First I boil water.\nThen I wait.").memory_id
    edit = f"{path_of(kept)}/edit"
    page.send(edit, edit, value="First I boil water.\r\nThen I wait.", tags=", ".join(memory.get_memory(kept).memory.tags))
    assert len(memory.history(memory_id=kept).values) == 1


def test_a_refused_correction_stays_in_its_form(page: Opened, memory: Commonplace, tea: str) -> None:
    edit = f"{path_of(tea)}/edit"
    shown = page.send(edit, edit, 400, value="?!", tags="tea").text
    assert 'id="flaw-value"' in shown
    assert "?!</textarea>" in shown
    assert memory.get_memory(tea).memory.value == TEA


def test_what_is_deleted_comes_back_by_undo(page: Opened, memory: Commonplace, tea: str) -> None:
    place = page.send(path_of(tea), f"{path_of(tea)}/delete").headers["Location"]
    assert found(memory, "tea") == []
    shown = page.send(place, "/ui/undo").headers["Location"]
    assert TEA in page.get(shown)
    assert found(memory, "tea") == [TEA]


def test_erasing_asks_for_a_word(page: Opened, memory: Commonplace, tea: str) -> None:
    erase = f"{path_of(tea)}/erase"
    for word in ("", "delete"):
        assert 'id="flaw-word"' in page.send(erase, erase, 400, word=word).text
    assert TEA in page.get(erase)
    place = page.send(erase, erase, word=" Erase ").headers["Location"]
    shown = page.get(place)
    assert "Erased for good" in shown
    assert TEA not in shown
    with pytest.raises(CommonplaceError, match="erased"):
        memory.get_memory(tea)


def test_undo_leads_back_to_pages_of_ours_only(page: Opened, memory: Commonplace, tea: str) -> None:
    place = page.send(path_of(tea), f"{path_of(tea)}/delete").headers["Location"]
    assert page.send(place, "/ui/undo", back="https://evil.example/ui").headers["Location"] == "/ui"


def test_hostile_words_in_a_notice_and_a_title(page: Opened, memory: Commonplace) -> None:
    kept = memory.store_memory("</title><script>alert(1)</script> I like tea").memory_id
    assert not re.search(r"<script>", page.get(path_of(kept)))
    place = page.send(path_of(kept), f"{path_of(kept)}/delete").headers["Location"]
    assert not re.search(r"<script>", page.get(place))


def test_a_damaged_memory_is_told_and_can_be_erased(page: Opened, memory: Commonplace, memory_file: Path, tea: str) -> None:
    memory.store_memory("My bicycle is red.")
    damage_in_file(memory_file, tea, b"{")
    listed = page.get("/ui")
    assert "My bicycle is red." in listed
    assert "1 damaged memor" in listed
    assert "can only be erased" in page.get(path_of(tea), 404)
    erase = f"{path_of(tea)}/erase"
    page.send(erase, erase, word="erase")
    assert "damaged" not in page.get("/ui")

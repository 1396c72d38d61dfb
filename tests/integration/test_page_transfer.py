"""Bringing memories along on the page, with a plan first; taking them out."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.interfaces.ui.transfer import FORMATS
from commonplace.use_cases import import_memories
from tests.integration.opened_page import URL, Opened, opened
from tests.integration.test_page_runs import text_of
from tests.scripted_nights import current

pytestmark = pytest.mark.integration

ELSEWHERE = Path(__file__).parent / "elsewhere"
GIVEN = (
    "chatgpt.json",
    "claude",
    "mem0.json",
    "zep.json",
    "graphiti.json",
    "letta.af",
    "langgraph.json",
    "basic-memory",
    "notes",
    "memories",
)


def files_of(path: Path) -> dict[str, Any]:
    """What a browser sends of a file, or of a folder with the names that it gives them."""
    if path.is_file():
        return {"files": [(path.name, path.read_bytes())]}
    inside = sorted(one for one in path.rglob("*") if one.is_file())
    return {"folder": [(one.relative_to(path.parent).as_posix(), one.read_bytes()) for one in inside]}


def planned(page: Opened, status: int = 200, **given: Any) -> str:
    return page.send("/ui/import", "/ui/import", status, **given).text


def form_in(page: str, action: str) -> dict[str, str]:
    from tests.integration.opened_page import _Forms

    return _Forms(page).found[action]


def sent(page: Opened, plan: str, action: str) -> str:
    fields = form_in(plan, action)
    answer = page.client.post(action, data=fields, headers={"Origin": URL})
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


@pytest.mark.parametrize("name", GIVEN)
def test_what_other_stores_give_is_planned_and_brought_as_by_the_command(memory: Commonplace, name: str) -> None:
    would = memory.import_from(ELSEWHERE / name)
    page = opened(memory)
    plan = planned(page, **files_of(ELSEWHERE / name))
    assert f"Read as {would.kind}: " in text_of(plan)
    assert f"Entries {would.entries:,} Would be added {would.added:,}" in text_of(plan)
    assert current(memory) == []
    where = sent(page, plan, "/ui/import/apply")
    assert where.startswith("/ui/runs")
    assert f"{would.added:,} memories added" in page.get(where)
    assert len(list(memory.export())) == would.added
    again = planned(page, **files_of(ELSEWHERE / name))
    assert "Would be added 0" in text_of(again)


def test_of_several_people_one_is_chosen_on_the_page(memory: Commonplace) -> None:
    page = opened(memory)
    dump = json.dumps([{"id": name, "memory": f"I am {name}.", "user_id": name} for name in ("kim", "lee")])
    plan = planned(page, files=[("dump.json", dump.encode())])
    assert '<option value="lee">lee: 1</option>' in plan
    assert ("these are memories of 2 people: kim (1), lee (1)" in plan, "--only" in plan) == (True, False)
    fields = form_in(plan, "/ui/import/apply") | {"only": "lee"}
    answer = page.client.post("/ui/import/apply", data=fields, headers={"Origin": URL})
    assert (answer.status_code, [one["raw_text"] for one in memory.export()]) == (303, ["I am lee."])


def test_what_is_left_out_is_counted_on_the_page_by_its_reason(memory: Commonplace) -> None:
    page = opened(memory)
    note = "- I grow leeks.\n\n```\nmake ship\n```\n\n<!-- draft -->\n\n```\nmake test\n```\n"
    plan = planned(page, files=[("note.md", note.encode())])
    assert "Left out, and why Passages Because 2 code between fences 1 a comment" in text_of(plan)
    assert "Left out" not in planned(page, files=[("plain.md", b"- I grow leeks.")])


def test_entries_without_a_name_are_chosen_on_the_page(memory: Commonplace) -> None:
    page = opened(memory)
    dump: list[dict[str, str]] = [{"id": name, "memory": f"I am {name}.", "user_id": name} for name in ("kim", "lee")]
    dump += [{"id": "office", "memory": "The office has a garden."}]
    plan = planned(page, files=[("dump.json", json.dumps(dump).encode())])
    assert '<option value="(no name)">(no name): 1</option>' in plan
    fields = form_in(plan, "/ui/import/apply") | {"only": "(no name)"}
    answer = page.client.post("/ui/import/apply", data=fields, headers={"Origin": URL})
    assert (answer.status_code, [one["raw_text"] for one in memory.export()]) == (303, ["The office has a garden."])


def test_half_a_character_is_escaped_on_the_page(memory: Commonplace) -> None:
    page = opened(memory)
    dump = [{"id": f"{name}\udc01", "memory": "I row.", "user_id": f"{name}\ud800"} for name in ("kim", "lee")]
    plan = planned(page, files=[("dump.json", json.dumps([*dump, {"id": "x", "memory": "a\ud801b"}]).encode())])
    assert r'<option value="lee\ud800">lee\ud800: 1</option>' in plan
    fields = form_in(plan, "/ui/import/apply") | {"only": r"lee\ud800"}
    answer = page.client.post("/ui/import/apply", data=fields, headers={"Origin": URL})
    assert (answer.status_code, [one["raw_text"] for one in memory.export()]) == (303, ["I row."])


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_an_export_comes_back_and_is_taken_back(memory: Commonplace, tmp_path: Path, form: Any) -> None:
    with Commonplace(tmp_path / "other.db") as other:
        other.store_memory("I drink green tea at noon.")
        lines = "".join(other.export_lines(form)).encode()
    page = opened(memory)
    plan = planned(page, files=[("memories", lines)])
    assert "Read as commonplace" in text_of(plan)
    where = sent(page, plan, "/ui/import/apply")
    assert current(memory) == ["I drink green tea at noon."]
    page.send(where, f"{where}/undo")
    assert current(memory) == []


def test_a_zip_archive_is_what_is_in_it(memory: Commonplace) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(ELSEWHERE / "chatgpt.json", "export/conversations.json")
        archive.writestr("__MACOSX/export/._conversations.json", b"\0\0")
    assert "Read as chatgpt" in text_of(planned(opened(memory), files=[("export.zip", packed.getvalue())]))


@pytest.mark.usefixtures("word_vectors")
def test_the_plan_shows_the_memories_page_by_page(memory: Commonplace) -> None:
    memory.store_memory("Note 7 about the garden.")
    entries = [{"id": str(number), "memory": f"Note {number} about the garden."} for number in range(250)]
    page = opened(memory)
    plan = planned(page, files=[("mem0.json", json.dumps(entries).encode())])
    assert "entry 8 known Note 7 about the garden." in text_of(plan)
    assert ("entry 200 added Note 199" in text_of(plan), "entry 201" in text_of(plan)) == (True, False)
    fields = form_in(plan, "/ui/import/further")
    further = page.client.post("/ui/import/further", data=fields, headers={"Origin": URL}).text
    assert ("entry 201 added Note 200" in text_of(further), "entry 250 added" in text_of(further)) == (True, True)
    assert "/ui/import/further" not in further
    assert "249 memories added" in page.get(sent(page, further, "/ui/import/apply"))


def test_messages_are_read_as_by_the_command(memory: Commonplace) -> None:
    messages = [
        {"role": "system", "content": "The user lives in Oslo."},
        {"role": "user", "content": "I moved to Lyon in March."},
    ]
    page = opened(memory)
    plan = planned(page, files=[("messages.json", json.dumps(messages).encode())])
    assert ("I moved to Lyon in March." in plan, "Oslo" in plan) == (True, False)
    assert "Left out, and why Passages Because 1 not said by the user or the assistant: system" in text_of(plan)
    sent(page, plan, "/ui/import/apply")
    assert current(memory) == ["I moved to Lyon in March."]


def test_what_was_sent_can_be_left_and_is_gone(memory: Commonplace) -> None:
    page = opened(memory)
    plan = planned(page, **files_of(ELSEWHERE / "mem0.json"))
    assert sent(page, plan, "/ui/import/leave") == "/ui/import"
    fields = form_in(plan, "/ui/import/apply")
    headers = {"Origin": URL}
    answer = page.client.post("/ui/import/apply", data=fields, headers=headers)
    assert answer.status_code == 404
    assert current(memory) == []


@pytest.mark.parametrize(
    ("body", "name", "why"),
    [
        (b"[1, 2", "a.json", "Expecting"),
        (b"\0\1\2\0", "a.bin", "not a text file"),
        (b"# Notes", "a/b/c.dat", "its format is unknown"),
    ],
)
def test_what_cannot_be_read_is_told_at_the_form(memory: Commonplace, body: bytes, name: str, why: str) -> None:
    answer = opened(memory).send("/ui/import", "/ui/import", 400, files=[(name, body)])
    assert 'role="alert"' in answer.text
    assert why in answer.text
    assert 'id="files"' in answer.text


def test_a_plan_that_brings_nothing_cannot_be_applied(memory: Commonplace) -> None:
    plan = planned(opened(memory), files=[("a.json", b"{}")])
    assert "entry 1 content: there are no words" in text_of(plan)
    assert "/ui/import/apply" not in plan


@pytest.mark.parametrize(
    ("megabytes", "status", "says"), [(9, 200, "Plan of the import"), (32, 413, "the request is too large for this page")]
)
def test_a_large_file_is_taken_and_a_larger_one_is_told_so(
    memory: Commonplace, megabytes: int, status: int, says: str
) -> None:
    page = opened(memory)
    token = page.form("/ui/import", "/ui/import")["form_token"]
    parts = (("form_token", token), ('files"; filename="turns.json', "[" + " " * megabytes * 1_000_000 + "]"))
    body = (
        "".join(f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in parts)
        + "--b--\r\n"
    )
    answer = page.client.post(
        "/ui/import", content=body.encode(), headers={"Origin": URL, "Content-Type": "multipart/form-data; boundary=b"}
    )  # fmt: skip
    assert answer.status_code == status
    assert says in answer.text


def test_more_than_the_quota_is_told_at_the_form(memory: Commonplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_memories, "MOST_UPLOADED", 10)
    answer = opened(memory).send("/ui/import", "/ui/import", 413, **files_of(ELSEWHERE / "mem0.json"))
    assert 'role="alert"' in answer.text
    assert "import or discard one of them first" in answer.text


def test_a_folder_of_many_notes_is_taken(memory: Commonplace) -> None:
    notes = [(f"notes/{number}.md", b"") for number in range(1_100)]
    assert "Read as markdown" in text_of(planned(opened(memory), folder=notes))


@pytest.mark.parametrize("form", FORMATS)
def test_all_memories_are_taken_out(memory: Commonplace, form: Any) -> None:
    memory.store_memory("I drink green tea at noon.")
    answer = opened(memory).send("/ui/export", "/ui/export", 200, format=form)
    assert answer.text == "".join(memory.export_lines(form))
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="memories-2026-05-20.')


def test_no_other_format_is_taken_out(memory: Commonplace) -> None:
    opened(memory).send("/ui/export", "/ui/export", 400, format="../../etc")

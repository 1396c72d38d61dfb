"""MEMORY.md and its days, written from a memory and edited by a person: shown, applied as a run, taken back."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from commonplace import Commonplace, CommonplaceError
from commonplace.bootstrap import cloud
from commonplace.domain.errors import ErrorCode
from commonplace.domain.interactions import RunReport
from commonplace.domain.runs import Run
from commonplace.pages.page import owner_hash
from commonplace.pages.publishing import erase_pages
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.integration.command_line import run
from tests.unit.pages.test_page_text import MARKUP

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]

ROLE = "The user works as a nurse in Kiel."
TEA = "The user likes Assam tea."


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    return tmp_path / "pages"


@pytest.fixture
def filled(memory: Commonplace, pages: Path) -> Commonplace:
    """A job, a taste and a note of today, written to the folder."""
    memory.write_memory("role", ROLE, "work_context", "durable")
    memory.write_memory("tea", TEA, "preference", "durable")
    memory.write_memory("heron", "The user saw a heron.", "personal_context", "daily")
    memory.write_markdown(pages)
    return memory


def edit(pages: Path, *edits: tuple[str, str], name: str = "MEMORY.md") -> None:
    path = pages / name
    text = path.read_text("utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def line(pages: Path, words: str, name: str = "MEMORY.md") -> str:
    return next(one for one in (pages / name).read_text("utf-8").split("\n") if words in one) + "\n"


def state(memory: Commonplace) -> list[dict[str, Any]]:
    """Every record but for what each write brings with it."""
    own = {"version", "updated_at", "access_count", "last_accessed"}
    return [{name: value for name, value in one.items() if name not in own} for one in memory.export()]


def current(memory: Commonplace) -> dict[str, dict[str, Any]]:
    return {one["raw_text"]: one for one in memory.export() if one["status"] == "active"}


def did(run: Run) -> list[tuple[str, str]]:
    return [(one.kind, one.outcome) for one in run.operations]


def test_a_round_trip_changes_nothing_and_loses_nothing(memory: Commonplace, pages: Path) -> None:
    texts = [f"{piece} and a word{number} {piece}" for number, piece in enumerate(MARKUP)]
    texts += ["".join(MARKUP) + " longest", "x<br>&#32;!\\\n".ljust(8_000, "y")]
    for number, text in enumerate(text for text in texts if "\x85" not in text):
        memory.store_memory(text, context={"expires_at": (NOON + timedelta(days=9)).isoformat()} if number % 3 == 0 else None)
    before = list(memory.export())
    memory.write_markdown(pages)
    told = memory.apply_markdown(pages, dry_run=False)
    assert (told.operations, told.run.notes) == ((), ("the pages say what is remembered",))
    assert list(memory.export()) == before
    assert memory.runs() == []
    again = memory.write_markdown(pages)
    assert (again.written, again.removed, again.left) == ((), (), ())


def test_what_was_edited_is_shown_and_nothing_is_changed(filled: Commonplace, pages: Path) -> None:
    before, text = list(filled.export()), (pages / "MEMORY.md").read_text("utf-8")
    edit(pages, ("nurse", "doctor"), (line(pages, TEA), "- The user likes oolong.\n"))
    told = filled.apply_markdown(pages)
    shown = [(one.operation.kind, one.operation.outcome, one.closed, one.says) for one in told.operations]
    assert shown == [
        ("DELETE", "planned", (TEA,), None),
        ("UPDATE", "planned", (ROLE,), "The user works as a doctor in Kiel."),
        ("ADD", "planned", (), "The user likes oolong."),
    ]
    assert told.run.notes == ("a dry run: nothing was changed",)
    assert list(filled.export()) == before
    assert filled.runs() == []
    assert "doctor" in (pages / "MEMORY.md").read_text("utf-8") != text


def test_other_words_close_the_old_and_add_the_new_under_the_same_key(filled: Commonplace, pages: Path) -> None:
    edit(pages, ("nurse", "doctor"))
    run = filled.apply_markdown(pages, dry_run=False).run
    assert (run.kind, run.status, did(run)) == ("markdown", "done", [("UPDATE", "applied")])
    old, new = (one for one in filled.export() if one["key"] == "role")
    assert (old["status"], old["superseded_by"], old["raw_text"]) == ("superseded", new["memory_id"], ROLE)
    assert (new["supersedes"], new["section"], new["confidence"]) == (old["memory_id"], "work_context", 1.0)
    assert (new["durability"], new["raw_text"]) == ("durable", "The user works as a doctor in Kiel.")
    assert [hit.content for hit in filled.search_memory("where does the user work").results][:1] == [new["raw_text"]]
    assert f"{new['memory_id']} v1" in (pages / "MEMORY.md").read_text("utf-8")
    assert filled.apply_markdown(pages).operations == ()


def test_a_line_taken_out_is_closed_and_a_new_one_is_remembered(filled: Commonplace, pages: Path) -> None:
    edit(pages, (line(pages, TEA), "- **coffee**: The user drinks flat white.\n- The user owns a red bicycle.\n"))
    run = filled.apply_markdown(pages, dry_run=False).run
    assert did(run) == [("DELETE", "applied"), ("ADD", "applied"), ("ADD", "applied")]
    now = current(filled)
    assert TEA not in now
    assert (now["The user drinks flat white."]["key"], now["The user drinks flat white."]["section"]) == (
        "coffee",
        "preference",
    )
    assert now["The user owns a red bicycle."]["section"] == "preference"
    assert now["The user owns a red bicycle."]["tags"]


def test_a_line_under_another_heading_is_the_same_memory_in_another_section(filled: Commonplace, pages: Path) -> None:
    before = current(filled)[TEA]
    moved = line(pages, TEA)
    edit(pages, (moved, ""), ("## Reading history\n", f"## Reading history\n\n{moved}"))
    run = filled.apply_markdown(pages, dry_run=False).run
    assert did(run) == [("UPDATE", "applied")]
    after = current(filled)[TEA]
    changed = {name for name in after if after[name] != before[name]}
    assert (changed, after["section"]) == ({"section", "version"}, "reading_history")


def test_a_note_moved_to_the_main_page_is_kept_for_good_and_a_memory_moved_to_a_day_is_not(
    filled: Commonplace, pages: Path
) -> None:
    day, today = "memory/2026-05-20.md", NOON.date().isoformat()
    heron, tea = line(pages, "heron", day), line(pages, TEA)
    edit(pages, (heron, f"{tea}- The user swam in the lake.\n"), name=day)
    edit(pages, (tea, ""), ("## Work context\n", f"## Work context\n\n{heron}"))
    run = filled.apply_markdown(pages, dry_run=False).run
    assert did(run) == [("UPDATE", "applied"), ("UPDATE", "applied"), ("ADD", "applied")]
    now = current(filled)
    heron_now, tea_now, swam = now["The user saw a heron."], now[TEA], now["The user swam in the lake."]
    assert (heron_now["durability"], heron_now["expires_at"], heron_now["purge_at"]) == ("durable", None, None)
    assert (heron_now["section"], tea_now["durability"], swam["durability"]) == ("work_context", "daily", "daily")
    assert datetime.fromisoformat(tea_now["expires_at"]) == NOON + timedelta(days=90)
    assert swam["event_time"][:10] == tea_now["event_time"][:10] == today
    assert filled.apply_markdown(pages).operations == ()


def test_an_edited_note_stays_on_its_day_and_is_gone_when_it_was_to_go(
    open_memory: Opener, filled: Commonplace, pages: Path
) -> None:
    later = open_memory(now=lambda: NOON + timedelta(days=3))
    edit(pages, ("a heron", "two herons"), name="memory/2026-05-20.md")
    later.apply_markdown(pages, dry_run=False)
    note = current(later)["The user saw two herons."]
    assert note["event_time"] == NOON.isoformat()
    assert datetime.fromisoformat(note["expires_at"]) == NOON + timedelta(days=90)
    assert sorted(path.name for path in (pages / "memory").iterdir()) == ["2026-05-20.md"]


def test_the_run_is_told_and_taken_back_whole(filled: Commonplace, pages: Path) -> None:
    before = state(filled)
    moved = line(pages, TEA)
    edit(pages, ("nurse", "doctor"), (moved, "- New here.\n"), ("## Reading history\n", f"## Reading history\n\n{moved}"))
    edit(pages, (line(pages, "heron", "memory/2026-05-20.md"), ""), name="memory/2026-05-20.md")
    run = filled.apply_markdown(pages, dry_run=False).run
    assert sorted(did(run)) == [("ADD", "applied"), ("DELETE", "applied"), ("UPDATE", "applied"), ("UPDATE", "applied")]
    assert filled.run("last") == run
    assert [one.kind for one in filled.runs()] == ["markdown"]
    undone = filled.undo_run("last")
    assert {outcome for _, outcome in did(undone)} == {"undone"}
    assert [one for one in state(filled) if one["raw_text"] != "New here." and "doctor" not in one["raw_text"]] == before
    assert {one["status"] for one in state(filled)[len(before) :]} == {"deleted"}
    assert filled.write_markdown(pages).left == ()
    assert "nurse" in (pages / "MEMORY.md").read_text("utf-8")


def test_what_was_changed_in_between_stays_and_so_does_the_page(filled: Commonplace, pages: Path) -> None:
    filled.update_memory("role", "The user works as a midwife in Kiel.")
    filled.delete_memory("tea")
    edit(
        pages,
        ("nurse", "doctor"),
        (line(pages, TEA), ""),
        ("## Personal context\n", "## Personal context\n\n- The user rows.\n"),
    )
    told = filled.apply_markdown(pages, dry_run=False)
    assert did(told.run) == [("UPDATE", "lost"), ("ADD", "applied")]
    assert "MEMORY.md, line 17: it was closed since" in told.run.operations[0].why
    assert set(current(filled)) == {"The user works as a midwife in Kiel.", "The user rows.", "The user saw a heron."}
    assert "doctor" in (pages / "MEMORY.md").read_text("utf-8")
    again = filled.apply_markdown(pages, dry_run=False)
    assert did(again.run) == [("UPDATE", "lost"), ("NOOP", "applied")]
    assert filled.write_markdown(pages).left[0].name == "MEMORY.md"
    assert filled.write_markdown(pages, overwrite=True).written == ("MEMORY.md",)
    assert "midwife" in (pages / "MEMORY.md").read_text("utf-8")


def test_many_deletions_must_be_allowed(memory: Commonplace, pages: Path) -> None:
    for number in range(10):
        memory.store_memory(f"The user owns bicycle number {number}.")
    memory.write_markdown(pages)
    before = list(memory.export())
    edit(pages, *((line(pages, f"number {number}."), "") for number in range(4)))
    assert "4 of 10 entries were taken out; more than 3 must be allowed" in memory.apply_markdown(pages).run.notes
    with pytest.raises(CommonplaceError, match="more than 3") as caught:
        memory.apply_markdown(pages, dry_run=False)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert list(memory.export()) == before
    assert len(did(memory.apply_markdown(pages, dry_run=False, delete_many=True).run)) == 4
    assert len(current(memory)) == 6


def test_a_page_cut_in_its_midst_takes_nothing_out_and_is_made_whole(filled: Commonplace, pages: Path) -> None:
    before, text = list(filled.export()), (pages / "MEMORY.md").read_text("utf-8")
    for end in range(0, len(text) - 2, 7):
        (pages / "MEMORY.md").write_text(text[:end], "utf-8")
        told = filled.apply_markdown(pages)
        assert told.operations == ()
    cut = text[: text.index("## Work")]
    (pages / "MEMORY.md").write_text(cut, "utf-8")
    assert "has lost its last line" in filled.apply_markdown(pages, dry_run=False).run.notes[0]
    assert list(filled.export()) == before
    assert (pages / "MEMORY.md").read_text("utf-8") == text


def test_secrets_are_taken_out_of_what_is_typed(filled: Commonplace, pages: Path) -> None:
    edit(
        pages,
        (
            "## Personal context\n",
            "## Personal context\n\n- My card is 4111 1111 1111 1111, for shoes.\n- **gate_code**: 4471\n",
        ),
    )
    told = filled.apply_markdown(pages, dry_run=False)
    assert did(told.run) == [("ADD", "applied"), ("NOOP", "applied")]
    assert "contains only a secret" in told.run.operations[1].why
    assert any("secrets are never stored" in note for note in told.run.notes)
    kept = str(list(filled.export())) + filled.run("last").model_dump_json()
    assert "4111" not in kept
    assert "4471" not in kept


def test_what_is_remembered_already_is_not_added_again(filled: Commonplace, pages: Path) -> None:
    edit(pages, ("## Personal context\n", f"## Personal context\n\n- {TEA.upper()}\n- The user rows.\n- The user  rows.\n"))
    run = filled.apply_markdown(pages, dry_run=False).run
    assert sorted(did(run)) == [("ADD", "applied"), ("NOOP", "applied"), ("NOOP", "applied")]
    assert filled.write_markdown(pages).left == ()


def test_a_line_typed_anew_in_another_place_is_not_lost(filled: Commonplace, pages: Path) -> None:
    edit(pages, (line(pages, TEA), ""), ("## Reading history\n", f"## Reading history\n\n- **tea**: {TEA}\n"))
    assert did(filled.apply_markdown(pages, dry_run=False).run) == [("DELETE", "applied"), ("ADD", "applied")]
    now = current(filled)[TEA]
    assert (now["key"], now["section"]) == ("tea", "reading_history")


def test_an_edited_page_is_not_written_over(filled: Commonplace, pages: Path) -> None:
    edit(pages, ("nurse", "doctor"))
    filled.store_memory("The user owns a red bicycle.")
    done = filled.write_markdown(pages)
    assert (done.written, [page.name for page in done.left]) == ((), ["MEMORY.md"])
    assert "doctor" in (pages / "MEMORY.md").read_text("utf-8")
    assert did(filled.apply_markdown(pages, dry_run=False).run) == [("UPDATE", "applied")]
    assert "bicycle" in (pages / "MEMORY.md").read_text("utf-8")


def test_what_a_person_wrote_beside_the_entries_is_left_and_told(filled: Commonplace, pages: Path) -> None:
    edit(pages, ("nurse", "doctor"), ("## Work context\n", "## Work context\n\nAsk Mia about this.\n"))
    told = filled.apply_markdown(pages, dry_run=False)
    assert did(told.run) == [("UPDATE", "applied")]
    assert "MEMORY.md: no entries, and not read, are the lines 18" in told.run.notes
    assert "Ask Mia" in (pages / "MEMORY.md").read_text("utf-8")
    assert did(filled.apply_markdown(pages, dry_run=False).run) == []


def test_files_of_others_are_left_alone(filled: Commonplace, open_memory: Opener, pages: Path) -> None:
    foreign = {
        "MEMORY.md": "# My own notes\n",
        "memory/2026-05-21.md": "mine",
        "memory/ideas.md": "mine",
        "README.md": "mine",
    }
    for name, text in foreign.items():
        (pages / name).write_text(text, "utf-8")
    done = filled.write_markdown(pages, overwrite=True)
    assert (done.written, done.removed) == ((), ())
    assert [page.name for page in done.left] == ["MEMORY.md", "memory/2026-05-21.md"]
    ben = open_memory("ben")
    assert [page.name for page in ben.write_markdown(pages).left] == [
        "MEMORY.md",
        "memory/2026-05-20.md",
        "memory/2026-05-21.md",
    ]
    told = ben.apply_markdown(pages, dry_run=False)
    assert (told.operations, len(told.run.notes)) == ((), 4)
    assert {name: (pages / name).read_text("utf-8") for name in foreign} == foreign
    assert list(ben.export()) == []


def test_a_folder_without_pages_is_told(filled: Commonplace, tmp_path: Path) -> None:
    for dry_run in (True, False):
        with pytest.raises(CommonplaceError, match="dir: holds no page of this memory"):
            filled.apply_markdown(tmp_path / "another", dry_run=dry_run)
    assert not (tmp_path / "another").exists()


def test_days_of_which_nothing_is_left_go(filled: Commonplace, pages: Path) -> None:
    filled.delete_memory("heron")
    assert filled.write_markdown(pages).removed == ("memory/2026-05-20.md",)
    assert list((pages / "memory").iterdir()) == []


def settings(memory_file: Path, pages: Path) -> Settings:
    return Settings(db=memory_file, pages=pages)


def record(memory: Commonplace, *wishes: str) -> None:
    time = (NOON - timedelta(hours=2)).isoformat()
    number = len(memory.runs())
    memory.record_interactions(
        [{"type": "explicit", "id": f"{number}-{at}", "time": time, "text": wish} for at, wish in enumerate(wishes)]
    )


def kept_pages(folder: Path) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.glob("*/**/*.md")))


def test_where_pages_are_kept_they_are_written_after_each_run(memory_file: Path, pages: Path) -> None:
    with Commonplace(memory_file, user_id="ana", now=lambda: NOON, settings=settings(memory_file, pages)) as memory:
        record(memory, "Remember that I work as a nurse in Kiel.")
        assert memory.nightly("rules").operations
        assert "nurse in Kiel" in kept_pages(pages)
        assert "ana" not in "".join(path.name for path in pages.iterdir())
        memory.undo_run("last")
        assert "nurse in Kiel" not in kept_pages(pages)


def test_what_was_forgotten_goes_from_the_pages_even_if_they_were_edited(memory_file: Path, pages: Path) -> None:
    with Commonplace(memory_file, user_id="ana", now=lambda: NOON, settings=settings(memory_file, pages)) as memory:
        record(memory, "Remember that my sister Mia is allergic to peanuts.")
        memory.nightly("rules")
        (page,) = [path for path in pages.glob("*/MEMORY.md") if "peanuts" in path.read_text("utf-8")]
        page.write_text(page.read_text("utf-8") + "\n- The user rows.\n", "utf-8")
        record(memory, "Forget that my sister Mia is allergic to peanuts.")
        run = memory.nightly("rules")
        assert [one.kind for one in run.operations if one.closed] == ["FORGET"]
        assert "peanuts" not in kept_pages(pages)


def test_a_folder_that_can_not_be_written_fails_no_night(
    memory_file: Path, pages: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pages.write_text("a file", "utf-8")
    with Commonplace(memory_file, user_id="ana", now=lambda: NOON, settings=settings(memory_file, pages)) as memory:
        record(memory, "Remember that I work as a nurse in Kiel.")
        assert memory.nightly("rules").status == "done"
    assert "the pages were not written" in caplog.text


def test_a_run_that_died_is_finished_before_pages_change_anything(
    filled: Commonplace, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(pages, ("nurse", "doctor"), (line(pages, TEA), ""))

    def dies(*_: object) -> None:
        raise SystemExit

    operations = type(filled._local.ports.operations)
    with monkeypatch.context() as patched:
        patched.setattr(operations, "apply", dies)
        with pytest.raises(SystemExit):
            filled.apply_markdown(pages, dry_run=False)
    assert set(current(filled)) == {ROLE, TEA, "The user saw a heron."}
    filled.apply_markdown(pages, dry_run=False)
    assert set(current(filled)) == {"The user works as a doctor in Kiel.", "The user saw a heron."}
    assert [(one.kind, one.status) for one in filled.runs()] == [("markdown", "done")]


def test_on_aws_each_user_has_a_folder_of_the_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.setenv(f"AWS_{name}", "x")
    settings = Settings(table="memories", pages_bucket="pages", region="eu-central-1")
    opened = cloud.open_cloud(settings).night().pages
    assert opened is not None
    with mock_aws():
        boto3.client("s3", region_name="eu-central-1").create_bucket(
            Bucket="pages", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
        )
        opened("cognito|ana").write("MEMORY.md", "# Memory")
        opened("cognito|ben").write("MEMORY.md", "# Memory")
        erase_pages(opened("cognito|ben"))
        found = boto3.client("s3", region_name="eu-central-1").list_objects_v2(Bucket="pages")["Contents"]
    assert [one["Key"] for one in found] == [f"{owner_hash('cognito|ana')}/MEMORY.md"]


def commands(home: Path, *arguments: Sequence[str]) -> list[str]:
    done = [run(*one, "--db", str(home / "m.db"), home=home, environment={"COLUMNS": "160"}) for one in arguments]
    assert [one.code for one in done] == [0] * len(done), [one.err for one in done]
    return [one.out for one in done]


def test_on_the_command_line_pages_are_written_shown_and_applied(tmp_path: Path) -> None:
    folder = str(tmp_path / "pages")
    write, again = commands(tmp_path, ["store", ROLE], ["markdown", "write", folder], ["markdown", "write", folder])[1:]
    assert (write, again) == ("wrote MEMORY.md\n", "no page has changed\n")
    edit(tmp_path / "pages", ("nurse", "doctor"))
    shown, left = commands(tmp_path, ["markdown", "apply", folder], ["runs", "list"])
    assert "+ The user works as a doctor in Kiel." in shown
    assert shown.endswith("--yes makes these changes\n")
    assert "markdown" not in left
    failed = run("markdown", "apply", str(tmp_path), "--db", str(tmp_path / "m.db"), home=tmp_path)
    assert (failed.code, "DIR: holds no page of this memory" in failed.err) == (3, True)
    applied, undone = commands(tmp_path, ["markdown", "apply", folder, "--yes"], ["runs", "undo", "last"])
    assert "✓" in applied
    assert f"+ {ROLE}" in undone
    assert isinstance(
        RunReport.model_validate_json(commands(tmp_path, ["markdown", "apply", folder, "--json"])[0]), RunReport
    )


def test_what_a_reader_does_not_see_stands_on_no_page_and_is_no_edit(memory: Commonplace, pages: Path) -> None:
    memory.write_memory("tea", "The user likes\U000e0041 \u202eAssam tea.", "preference", "durable")
    memory.write_markdown(pages)
    shown = (pages / "MEMORY.md").read_text("utf-8")
    assert "The user likes Assam tea." in shown
    assert memory.write_markdown(pages).written == ()
    (pages / "MEMORY.md").write_text(shown.replace("## Preference", "## Preference\n\n- The user likes scones."), "utf-8")
    changes = [one.operation.kind for one in memory.apply_markdown(pages).operations]
    assert changes == ["ADD"]
    assert "\u202e" not in memory.read_memory("preference").markdown

"""Conversations of an export, read in order of their time: what was said after a message is not touched by it."""

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.extraction.decisions import KNOWN as RESTATED
from commonplace.importing import import_conversations
from commonplace.importing.import_conversations import KNOWN, TWICE
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.integration.command_line import run

pytestmark = pytest.mark.integration
ELSEWHERE = Path(__file__).parent / "elsewhere"
CHATGPT, CLAUDE = ELSEWHERE / "chatgpt.json", ELSEWHERE / "claude"
LISBON, PEANUTS = "I live in Lisbon.", "I am allergic to peanuts."
SPRING = datetime(2023, 4, 3, 9, 0, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Commonplace]:
    file = tmp_path / "memory.db"
    with Commonplace(file, now=lambda: NOON, settings=Settings(db=file)) as opened:
        yield opened


@pytest.fixture
def exported(tmp_path: Path) -> Callable[..., Path]:
    """An export of ChatGPT: of each talk the messages of the user, and how many days after the spring of 2023."""

    def write(*talks: tuple[float, str], name: str = "conversations.json") -> Path:
        file = tmp_path / name
        file.write_text(json.dumps([conversation(f"c{number}", *one) for number, one in enumerate(talks)]), encoding="utf-8")
        return file

    return write


def talk(name: str, *messages: tuple[float, str]) -> dict[str, Any]:
    """A conversation of ChatGPT: of each message the user's words, and how many minutes after its begin in the spring."""
    mapping, parent = dict[str, Any](), None
    for number, (minutes, text) in enumerate(messages):
        said = conversation(name, minutes / 1_440, text)["mapping"]["a"]["message"]
        mapping[f"n{number}"] = {"parent": parent, "message": said}
        parent = f"n{number}"
    return {"id": name, "create_time": SPRING.timestamp(), "current_node": parent, "mapping": mapping}


def moments(*times: str) -> list[int]:
    """How many minutes after that."""
    return [round((datetime.fromisoformat(one) - SPRING).total_seconds() / 60) for one in times]


def conversation(name: str, days: float, text: str) -> dict[str, Any]:
    time = (SPRING + timedelta(days=days)).timestamp()
    message = {"author": {"role": "user"}, "create_time": time, "content": {"content_type": "text", "parts": [text]}}
    return {"id": name, "create_time": time, "current_node": "a", "mapping": {"a": {"parent": None, "message": message}}}


def kept(memory: Commonplace) -> dict[str, dict[str, Any]]:
    return {one["raw_text"]: one for one in memory.export()}


def current(memory: Commonplace) -> set[str]:
    return {text for text, one in kept(memory).items() if one["status"] == "active"}


def test_an_export_of_2023_closes_nothing_that_was_said_since(memory: Commonplace) -> None:
    for said in (LISBON, PEANUTS):
        memory.store_memory(said)
    done = memory.import_from(CHATGPT, apply=True)
    assert {LISBON, PEANUTS} < current(memory)
    berlin = kept(memory)["I live in Berlin."]
    assert (berlin["status"], berlin["superseded_by"]) == ("superseded", kept(memory)[LISBON]["memory_id"])
    assert berlin["created_at"] == "2023-05-02T06:00:10+02:00"
    assert not [one for one in memory.run(done.runs[0]).operations if one.kind == "FORGET"]
    assert [one.why for one in memory.run(done.runs[0]).dropped] == ["it would close only memories that were said later"]


def test_each_message_of_a_talk_has_its_own_place_in_time(tmp_path: Path) -> None:
    now = SPRING + timedelta(minutes=20)
    with Commonplace(tmp_path / "memory.db", now=lambda: now, settings=Settings(db=tmp_path / "memory.db")) as memory:
        memory.store_memory("I live in Porto.")
        memory.store_memory("I work at Siemens.")
        now = NOON
        file = tmp_path / "conversations.json"
        said = (0, "I live in Berlin."), (40, "I work at Bosch now, not at Siemens.")
        file.write_text(json.dumps([talk("c", *said)]), encoding="utf-8")
        memory.import_from(file, apply=True)
        berlin, porto, siemens, bosch = (kept(memory)[text] for text in (
            "I live in Berlin.", "I live in Porto.", "I work at Siemens.", "I work at Bosch now, not at Siemens."
        ))  # fmt: skip
    assert (berlin["status"], berlin["superseded_by"], porto["status"]) == ("superseded", porto["memory_id"], "active")
    assert (siemens["status"], siemens["superseded_by"], bosch["status"]) == ("superseded", bosch["memory_id"], "active")
    assert moments(berlin["created_at"], berlin["event_time"], berlin["valid_to"]) == [0, 0, 20]
    assert moments(siemens["valid_to"], bosch["created_at"], bosch["event_time"]) == [40, 40, 40]


def test_of_two_talks_side_by_side_the_later_message_holds(memory: Commonplace, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    talks = talk("a", (0, "What a fine day it is."), (50, "I live in Lisbon.")), talk("b", (20, "I live in Berlin."))
    file.write_text(json.dumps(talks), encoding="utf-8")
    memory.import_from(file, apply=True)
    assert current(memory) == {LISBON}


def test_a_conversation_that_stands_there_twice_is_read_once(memory: Commonplace, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    longer = talk("a", (0, PEANUTS), (5, LISBON))
    file.write_text(json.dumps([longer, talk("a", (0, PEANUTS)), longer]), encoding="utf-8")
    done = memory.import_from(file, apply=True)
    assert (done.entries, done.added, current(memory)) == (3, 2, {PEANUTS, LISBON})


def test_a_long_message_leaves_those_after_it_their_times(memory: Commonplace, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    long = "Here is what I read. " + "The weather was grey and it rained. " * 700
    file.write_text(json.dumps([talk("a", (0, long), (30, PEANUTS))]), encoding="utf-8")
    memory.import_from(file, apply=True)
    assert moments(kept(memory)[PEANUTS]["created_at"]) == [30]


def test_what_was_said_in_it_follows_one_another_whatever_the_order_in_the_file(
    memory: Commonplace, exported: Callable[..., Path]
) -> None:
    file = exported((400, "I live in Porto."), (0, "I live in Berlin."), (200, LISBON))
    memory.import_from(file, apply=True)
    found = kept(memory)
    assert current(memory) == {"I live in Porto."}
    assert found["I live in Berlin."]["superseded_by"] == found[LISBON]["memory_id"]
    assert found["I live in Berlin."]["valid_to"][:10] == "2023-10-20"


def test_a_wish_to_forget_waits_for_a_person(memory: Commonplace, exported: Callable[..., Path]) -> None:
    done = memory.import_from(exported((0, PEANUTS), (20, f"Please forget that {PEANUTS}")), apply=True)
    assert current(memory) == {PEANUTS}
    assert done.notes is not None
    assert done.notes.warnings is not None
    assert "wait for review" in done.notes.warnings[0]
    waiting = next(one for one in memory.runs() if one.status == "needs_review")
    assert [(one.kind, one.outcome) for one in waiting.operations] == [("FORGET", "needs_review")]
    memory.approve_run(waiting.run_id)
    assert current(memory) == set()
    assert "peanuts" not in json.dumps(list(memory.export()))


def test_a_wish_of_then_leaves_what_was_told_again_since(memory: Commonplace, exported: Callable[..., Path]) -> None:
    memory.store_memory(PEANUTS)
    memory.import_from(exported((0, f"Please forget that {PEANUTS}"), (1, f"Please forget {PEANUTS}")), apply=True)
    assert current(memory) == {PEANUTS}
    assert [one for one in memory.runs() if one.status == "needs_review"] == []


def test_only_what_the_user_said_on_the_way_to_the_last_message_is_read(memory: Commonplace) -> None:
    done = memory.import_from(CHATGPT, apply=True)
    said = " ".join(kept(memory))
    assert [word for word in ("pirate", "Hamburg", "cloud", "tea") if word in said] == []
    assert {"My sister is called Ana.", "I play the cello every day."} < {*kept(memory)}
    assert [(one.where, one.field) for one in done.refused] == [
        ("conversation 4", "create_time"), ("conversation 5", "mapping"), ("conversation 6", None),
    ]  # fmt: skip


def test_a_folder_of_claude_is_read_with_the_times_of_its_messages(memory: Commonplace) -> None:
    done = memory.import_from(CLAUDE, apply=True)
    assert (done.kind, done.entries, done.added) == ("claude", 3, 2)
    assert {text: one["created_at"][:10] for text, one in kept(memory).items()} == {
        "I live in Berlin.": "2023-06-01", "My daughter Mia starts school in September.": "2023-06-02",
    }  # fmt: skip
    assert [one.where for one in done.refused] == ["conversations.json: conversation 3"]


@pytest.mark.parametrize("kind", ["chatgpt", "claude"])
def test_the_zip_of_an_export_gives_what_its_files_give(memory: Commonplace, tmp_path: Path, kind: str) -> None:
    file = CHATGPT if kind == "chatgpt" else CLAUDE / "conversations.json"
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(file, "conversations.json")
        archive.writestr("user.json", "{}")
    done = memory.import_from(tmp_path / "export.zip", apply=True)
    again = memory.import_from(file, apply=True)
    assert (done.kind, done.entries, len(done.refused)) == (kind, again.entries, len(again.refused))
    assert (again.added, again.runs, len(again.known)) == (0, [], done.entries - len(done.refused))


def test_a_plan_changes_nothing_again_all_is_known_and_undone_it_comes_again(memory: Commonplace) -> None:
    plan = memory.import_from(CHATGPT)
    assert (plan.applied, plan.added, kept(memory), memory.runs()) == (False, 5, {}, [])
    done = memory.import_from(CHATGPT, apply=True)
    assert (done.added, len(done.runs), done.known) == (plan.added, 1, [])
    again = memory.import_from(CHATGPT, apply=True)
    assert (again.added, again.runs, len(again.known)) == (0, [], 4)
    memory.undo_run(done.runs[0])
    assert current(memory) == set()
    assert memory.import_from(CHATGPT, apply=True).added == done.added


CHESS, CELLO, TEA = "I play chess.", "I play the cello every day.", "I drink green tea every morning."
Write = Callable[..., Path]
"""Writes an export of one conversation: of each message its id, the minutes after the begin, and the words."""
Spoken = tuple[str | None, float, str]


def chatgpt(*messages: Spoken) -> Any:
    told = talk("c", *((minutes, text.removeprefix("? ")) for _, minutes, text in messages))
    for node, (name, _, text) in zip(told["mapping"].values(), messages, strict=True):
        node["message"] |= {"id": name, "author": {"role": "assistant" if text.startswith("? ") else "user"}}
    return [told]


def claude(*messages: Spoken) -> Any:
    said = [
        {
            "uuid": name,
            "sender": "assistant" if text.startswith("? ") else "human",
            "text": text.removeprefix("? "),
            "created_at": (SPRING + timedelta(minutes=minutes)).isoformat(),
        }
        for name, minutes, text in messages
    ]
    return [{"uuid": "c", "created_at": SPRING.isoformat(), "chat_messages": said}]


def chat(*messages: Spoken) -> Any:
    return [
        {"role": "assistant" if text.startswith("? ") else "user", "content": text.removeprefix("? ")}
        for _, _, text in messages
    ]


@pytest.fixture(params=["chatgpt", "chatgpt without ids", "claude", "claude without ids", "messages", "messages in lists"])
def grow(request: pytest.FixtureRequest, tmp_path: Path) -> Write:
    """Writes an export of one conversation, of each kind: `Spoken` messages; "? " begins what the assistant asks."""

    def write(*messages: Spoken) -> Path:
        form = chatgpt if "chatgpt" in request.param else claude if "claude" in request.param else chat
        made = form(*((None if "without" in request.param else one[0], *one[1:]) for one in messages))
        file = tmp_path / ("chat.json" if form is chat else "conversations.json")
        file.write_text(json.dumps([{"messages": made}] if "lists" in request.param else made), encoding="utf-8")
        return file

    return write


def test_of_a_conversation_that_grew_the_new_messages_are_read_once(memory: Commonplace, grow: Write) -> None:
    first, second, third = ("a", 0.0, LISBON), ("b", 5.0, CHESS), ("c", 9.0, CELLO)
    memory.import_from(grow(first), apply=True)
    for messages in ((first, second), (first, second, third)):
        file = grow(*messages)
        plan = memory.import_from(file)
        done = memory.import_from(file, apply=True)
        again = memory.import_from(file, apply=True)
        assert (plan.added, done.added, len(done.runs), done.known) == (1, 1, 1, [])
        assert plan.left_out == done.left_out == {RESTATED: len(messages) - 1}
        assert plan.outcomes == {"added": 1, "known": len(messages) - 1}
        assert (again.added, again.runs, len(again.known), again.left_out) == (0, [], 1, {KNOWN: len(messages)})
    assert current(memory) == {LISBON, CHESS, CELLO}
    assert memory.import_from(grow(first, second, third, ("d", 10.0, "? How nice.")), apply=True).runs == []
    assert list(memory.nightly(mode="rules").interactions) == []


def test_undone_the_import_of_a_grown_conversation_takes_back_only_what_it_brought(memory: Commonplace, grow: Write) -> None:
    first = memory.import_from(grow(("a", 0.0, LISBON)), apply=True)
    file = grow(("a", 0.0, LISBON), ("b", 5.0, CHESS))
    for _ in range(2):
        done = memory.import_from(file, apply=True)
        assert (done.added, current(memory)) == (1, {LISBON, CHESS})
        memory.undo_run(done.run_id or "")
        assert current(memory) == {LISBON}
    memory.undo_run(first.run_id or "")
    assert current(memory) == set()
    assert memory.import_from(file, apply=True).added == 2
    assert memory.import_from(grow(("a", 0.0, LISBON), ("b", 5.0, CHESS), ("c", 9.0, CELLO)), apply=True).added == 1
    assert memory.import_from(file, apply=True).runs == []
    assert current(memory) == {LISBON, CHESS, CELLO}


def test_what_was_deleted_stays_so_when_its_conversation_grows(memory: Commonplace, grow: Write) -> None:
    memory.import_from(grow(("a", 0.0, LISBON)), apply=True)
    memory.delete_memory(kept(memory)[LISBON]["memory_id"])
    assert memory.import_from(grow(("a", 0.0, LISBON), ("b", 5.0, CHESS)), apply=True).added == 1
    assert current(memory) == {CHESS}


def test_a_new_message_answers_a_question_that_was_known(memory: Commonplace, grow: Write) -> None:
    asked = ("a", 0.0, LISBON), ("b", 1.0, "? Do you have a dog?")
    memory.import_from(grow(*asked), apply=True)
    memory.import_from(grow(*asked, ("c", 2.0, "Yes.")), apply=True)
    assert current(memory) == {LISBON, "Do you have a dog? Yes."}


def test_of_two_conversations_that_begin_alike_both_are_read(memory: Commonplace, grow: Write) -> None:
    begin = ("a", 0.0, LISBON)
    memory.import_from(grow(begin), apply=True)
    for name, text in (("b", CHESS), ("c", CELLO)):  # the user went back, and said something else
        file = grow(begin, (name, 5.0, text))
        assert memory.import_from(file, apply=True).left_out == {RESTATED: 1}
        assert memory.import_from(file, apply=True).left_out == {KNOWN: 2}
    assert current(memory) == {LISBON, CHESS, CELLO}


def test_a_conversation_that_grew_is_known_once_its_texts_are_gone(tmp_path: Path, grow: Write) -> None:
    now, file = NOON, tmp_path / "memory.db"
    with Commonplace(file, now=lambda: now, settings=Settings(db=file)) as memory:
        said = ("a", 0.0, LISBON), ("b", 5.0, CHESS), ("c", 9.0, CELLO)
        memory.import_from(grow(*said[:1]), apply=True)
        now += timedelta(days=20)
        memory.import_from(grow(*said[:2]), apply=True)
        for _ in range(2):  # the texts of the first part are gone, then all of them
            now += timedelta(days=20)
            memory.nightly(mode="rules")
            assert memory.import_from(grow(*said[:2]), apply=True).runs == []
        done = memory.import_from(grow(*said), apply=True)
        assert (done.added, done.left_out, current(memory)) == (1, {RESTATED: 2}, {LISBON, CHESS, CELLO})


def test_chats_that_go_on_from_the_same_words_are_each_read_for_themselves(memory: Commonplace, tmp_path: Path) -> None:
    file, begin = tmp_path / "chat.json", {"role": "user", "content": LISBON}
    file.write_text(json.dumps([begin]))
    memory.import_from(file, apply=True)
    asked = {"role": "assistant", "content": "Do you have a dog?"}
    chats = [[begin, asked, {"role": "user", "content": "Yes."}], [asked, asked, begin, {"role": "user", "content": CHESS}]]
    file.write_text(json.dumps([{"messages": one} for one in chats]))
    assert memory.import_from(file, apply=True).outcomes == {"added": 2, "known": 2}
    assert current(memory) == {LISBON, "Do you have a dog? Yes.", CHESS}


@pytest.mark.parametrize("longer_first", [True, False])
def test_of_a_conversation_in_two_files_the_longer_is_read(memory: Commonplace, tmp_path: Path, longer_first: bool) -> None:
    said = ("a", 0.0, LISBON), ("b", 5.0, CHESS)
    talks = [chatgpt(*said), chatgpt(*said[:1])]
    for number, one in enumerate(talks if longer_first else talks[::-1]):
        (tmp_path / "export").mkdir(exist_ok=True)
        (tmp_path / "export" / f"conversations-{number}.json").write_text(json.dumps(one))
    done = memory.import_from(tmp_path / "export", apply=True)
    assert (done.added, done.left_out, current(memory)) == (2, {TWICE: 1}, {LISBON, CHESS})


def test_what_died_before_it_was_marked_as_read_is_stored_once(memory: Commonplace, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(import_conversations._Import, "_record_as_read", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            memory.import_from(CHATGPT, apply=True)
    before = kept(memory)
    assert memory.import_from(CHATGPT, apply=True).known == []
    assert len(list(memory.export())) == len(before)


def test_no_night_reads_them_again(memory: Commonplace) -> None:
    memory.import_from(CHATGPT, apply=True)
    assert list(memory.nightly(mode="rules").interactions) == []


def test_many_talks_are_several_runs_each_in_its_time(
    memory: Commonplace, exported: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_conversations, "_RUN_SIZE", 2)
    file = exported((3, "I live in Porto."), (1, "I live in Berlin."), (2, LISBON))
    plan = memory.import_from(file)
    assert plan.notes is not None
    assert plan.notes.warnings == [
        "the plan read the oldest 2 of 3 conversations; the import reads the others when you apply it"
    ]
    seen: list[tuple[int, int | None]] = []
    done = memory.import_from(file, apply=True, progress=lambda at, of: seen.append((at, of)))
    assert (len(done.runs), seen[-1]) == (2, (3, 3))
    assert current(memory) == {"I live in Porto."}


def test_what_is_not_kept_of_a_talk_is_counted_by_its_reason(memory: Commonplace, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([talk("c", (0, f"{PEANUTS} What can I eat? Thanks a lot!"), (1, "```\nmake ship\n```"))]))
    plan = memory.import_from(file, listed=None)
    assert [(one.reason, one.text) for one in plan.passages] == [
        ("a question or a request", "What can I eat?"),
        ("small talk or a passing state", "Thanks a lot!"),
        ("not in the user's own words: quoted, pasted or code", "make ship"),
    ]
    assert memory.import_from(file, apply=True).left_out == plan.left_out
    assert memory.import_from(file).left_out == {"in a conversation that an earlier import read": 2}
    with pytest.raises(CommonplaceError, match="only: is for stores that several people share"):
        memory.import_from(file, only="kim")


def test_fields_of_a_conversation_that_no_reader_knows_are_counted_as_fields(memory: Commonplace, tmp_path: Path) -> None:
    one = talk("c", (0, PEANUTS), (1, "I play chess.")) | {
        "title": "Food", "custom": "goosander", "more": {"text": "merganser"}, "safe_urls": ["https://example.org/teal"],
        "moderation_results": [], "default_model_slug": "gpt-4o", "is_archived": False,
    }  # fmt: skip
    for name, node in one["mapping"].items():
        node |= {"id": name, "children": ["some-node"]}
        node["message"] |= {
            "id": name,
            "status": "finished_successfully",
            "metadata": {"model_slug": "gpt-4o", "mood": "smew"},
        }
    (tmp_path / "conversations.json").write_text(json.dumps([one]))
    plan = memory.import_from(tmp_path / "conversations.json", listed=None)
    field, title = "a field that no memory has", "the title of a conversation"
    assert {(passage.reason, passage.text) for passage in plan.passages} == {
        (title, "Food"), (field, "goosander"), (field, "merganser"), (field, "https://example.org/teal"), (field, "smew"),
    }  # fmt: skip
    assert plan.left_out == {title: 1, field: 5}


@pytest.mark.parametrize("kind", ["markdown", "claude"])
def test_links_and_hidden_files_of_a_folder_are_counted(memory: Commonplace, tmp_path: Path, kind: Any) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(CLAUDE if kind == "claude" else ELSEWHERE / "notes", folder)
    before = memory.import_from(folder, kind).left_out
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "app.json").write_text("{}")
    (folder / ".draft.md").write_text("I keep newts.")
    (tmp_path / "far.md").write_text("I keep frogs.")
    (folder / "far.md").symlink_to(tmp_path / "far.md")
    (folder / "up").symlink_to(tmp_path, target_is_directory=True)
    plan = memory.import_from(folder, kind)
    assert plan.left_out == before | {"a hidden file": 2, "a link, which is not followed": 2}


def test_a_person_sees_the_kind_and_what_would_come(memory_file: Path) -> None:
    done = run("import", str(CHATGPT), "--db", str(memory_file), home=memory_file.parent)
    assert (done.code, memory_file.exists()) == (5, False)
    assert "chatgpt: its conversations have a mapping" in done.out
    assert "to be added     5" in done.out

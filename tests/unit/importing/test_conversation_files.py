"""Conversations in a ZIP: read as a stream; what is damaged, locked, too large or leads out of the archive is refused."""

import json
import zipfile
from pathlib import Path

import pytest

from commonplace.domain.errors import CommonplaceError
from commonplace.domain.imports import RefusedEntry, Unread
from commonplace.importing import conversation_files as files
from commonplace.importing import entries
from commonplace.importing.chat_exports import read_chat_export
from commonplace.importing.conversation_files import ConversationFile, conversation_files
from commonplace.importing.import_conversations import sorted_by_time
from commonplace.importing.kinds import READERS, kind_of
from commonplace.importing.sources import Source

NAME = "conversations.json"
WORDS = [f"I have lived in street {number} for {number * number} days." for number in range(400)]


def conversation(text: str) -> dict[str, object]:
    message = {"sender": "human", "text": text, "created_at": "2025-03-01T10:00:00Z"}
    return {"uuid": text, "chat_messages": [message]}


TALKS = json.dumps([conversation(text) for text in WORDS])


def zipped(folder: Path, *contents: tuple[str, str], packed: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w", packed) as archive:
        for name, text in contents:
            archive.writestr(name, text)
    return path


def refusals(path: Path) -> list[tuple[str, str]]:
    return [(one.where, one.message) for one in conversation_files(Source(path)) if isinstance(one, RefusedEntry)]


@pytest.mark.parametrize("packed", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_the_conversations_of_a_zip_are_read_and_its_other_files_are_not(tmp_path: Path, packed: int) -> None:
    path = zipped(tmp_path, ("users.json", "[7]"), (f"data/{NAME}", TALKS), ("chat.html", "[7]"), packed=packed)
    assert kind_of(Source(path)).kind == "claude"
    users, found, chat = conversation_files(Source(path))
    assert found == ConversationFile(f"data/{NAME}", found.open)  # type: ignore[union-attr]
    assert [one.content for one in (users, chat) if isinstance(one, Unread)] == ["users.json", "chat.html"]
    assert sum(isinstance(one, dict) for one in read_chat_export(Source(path), "claude", None)) == len(WORDS)


@pytest.mark.parametrize("name", [f"../{NAME}", f"a/../../{NAME}", f"/{NAME}", f"C:/{NAME}", f"..\\{NAME}"])
def test_a_name_that_leads_out_of_the_archive_is_refused_and_the_others_are_read(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path, (name, TALKS), (NAME, TALKS))
    assert refusals(path) == [(name, "file: its name leads out of the archive")]
    assert sum(isinstance(one, dict) for one in read_chat_export(Source(path), "claude", None)) == len(WORDS)


def test_what_unpacks_to_much_more_than_it_is_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zipped(tmp_path, (NAME, "[" + " " * 10_000_001))
    assert [why for _, why in refusals(bomb)] == [
        "the file is more than 200 times as large when it is unpacked; take it in piece by piece"
    ]
    with pytest.raises(CommonplaceError, match="ZIP without conversations"):
        kind_of(Source(bomb))
    monkeypatch.setattr(files, "_MOST_UNPACKED", 10_000)
    assert "when it is unpacked" in refusals(zipped(tmp_path, (NAME, TALKS)))[0][1]


def test_one_entry_that_does_not_end_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MOST_BYTES", 10_000)
    pieces = iter(['[{"a": 1}, "', *["x" * 1_000] * 1_000])
    *whole, last = entries.array_elements(pieces)
    assert (whole, isinstance(last, CommonplaceError)) == ([{"a": 1}], True)
    assert sum(map(len, pieces)) > 900_000


def test_a_damaged_archive_tells_so_after_what_was_whole(tmp_path: Path) -> None:
    path = zipped(tmp_path, (NAME, TALKS))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    *whole, last = read_chat_export(Source(path), "claude", None)
    assert isinstance(last, RefusedEntry)
    assert len(whole) < len(WORDS)
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(CommonplaceError, match="not a valid ZIP file"):
        kind_of(Source(path))


def test_what_is_encrypted_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path, (NAME, TALKS))
    data = bytearray(path.read_bytes())
    directory = data.rindex(b"PK\x01\x02")
    for flags in (6, directory + 8):
        data[flags] |= 1
    path.write_bytes(data)
    assert refusals(path) == [(NAME, "file: it is encrypted")]


def test_a_zip_of_anything_else_asks_to_be_unpacked(tmp_path: Path) -> None:
    path = zipped(tmp_path, ("a.md", "- tea"))
    with pytest.raises(CommonplaceError, match="unpack it"):
        kind_of(Source(path))
    with pytest.raises(CommonplaceError, match="unpack it"):
        list(READERS["markdown"](Source(path)))


def test_all_messages_without_times_are_read_however_many(tmp_path: Path) -> None:
    messages = [{"sender": "human", "text": f"I have {number} books."} for number in range(1_200)]
    whole = {"uuid": "c1", "created_at": "2026-05-20T09:00:00Z", "chat_messages": messages}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([whole]))
    refused = list[RefusedEntry]()
    talks_there = (one for one in read_chat_export(Source(path), "claude", None) if not isinstance(one, Unread))
    with sorted_by_time(talks_there, refused) as (talks, entries):
        read = [message["content"] for talk in talks for message in talk.load()["messages"]]
    assert (sorted(read), entries, refused) == (sorted(one["text"] for one in messages), 3, [])

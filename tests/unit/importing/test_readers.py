"""What readers make of entries that nobody would write, and of notes in every form."""

import itertools
import json
import os
import sqlite3
import stat
import threading
from contextlib import closing, nullcontext
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ForeignFact, RefusedEntry, Unread
from commonplace.domain.taxonomy import ImportKind
from commonplace.importing import sources
from commonplace.importing.chat_exports import Message, split_by_pauses
from commonplace.importing.entries import Fingerprints, array_elements, entries
from commonplace.importing.kinds import READERS, kind_of
from commonplace.importing.notes import front_matter, statements
from commonplace.importing.sources import Source, decoded, read_file

VALUES: list[object] = [None, "", 7, -1e300, True, [], {}, [None, 7], {"a": {"b": []}}, "\ud800", "x" * 9_000, "0000-99-99"]
NAMES = (
    "id memory metadata categories created_at expiration_date role uuid fact name valid_at invalid_at attributes label value"
    " core_memory blocks agents passages text tags namespace key items edges results turns messages content speaker session_id"
).split()


@pytest.mark.parametrize("kind", READERS)
def test_a_reader_tells_what_is_wrong_with_an_entry_and_goes_on(kind: ImportKind) -> None:
    entries = [{name: value, other: value} for name, other in itertools.pairwise(NAMES) for value in VALUES]
    for given in (*VALUES, entries, {"results": entries, "core_memory": entries, "passages": entries}):
        source = Source(None, json.dumps(given))
        try:
            found = list(READERS[kind](source))
        except CommonplaceError:
            continue
        assert all(isinstance(one, (ForeignFact, RefusedEntry, Unread)) for one in found)
        assert all(0 < len(one.alias) <= 128 for one in found if isinstance(one, ForeignFact))


@pytest.mark.parametrize(
    "text", ["", "{", "[1,", "\0", "nothing", "- [x] done", '{"a": 1}\n{', "---\n- \n: x\n---", "```\nopen"]
)
def test_a_text_that_is_nothing_is_no_crash(text: str) -> None:
    for reader in READERS.values():
        try:
            list(reader(Source(None, text)))
            kind_of(Source(None, text))
        except CommonplaceError:
            continue


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One line\nand its end.\n\nAnother.", [(1, "", "One line and its end."), (4, "", "Another.")]),
        ("# Home #\n- tea\n  green\n  - at four\n", [(2, "Home", "tea green"), (4, "Home", "at four")]),
        ("1. first\n2) second", [(1, "", "first"), (2, "", "second")]),
        ("- [x] paid\n- [ ] packed\n* * *\n- [kind] said", [(1, "", "paid"), (2, "", "packed"), (4, "", "[kind] said")]),
        ("~~~\ncode\n~~~\nafter", [(4, "", "after")]),
        ("a <!-- b\nc --> d", [(1, "", "a d")]),
        ("#hashtag is no heading", [(1, "", "#hashtag is no heading")]),
    ],
)
def test_a_note_is_a_statement_for_each_bullet_and_paragraph(text: str, said: list[tuple[int, str, str]]) -> None:
    lines = [(line, heading, " ".join(words.split())) for line, heading, words in statements(text)]
    assert lines == said


def test_the_head_of_a_note_is_read_and_the_lines_after_it_keep_their_numbers() -> None:
    fields, body = front_matter("---\ntitle: 'Tea: green'\ntags:\n  - a\n  - \"b\"\nlist: [x, y]\nempty:\n---\n- said\n")
    assert fields == {"title": "Tea: green", "tags": ["a", "b"], "list": ["x", "y"], "empty": ""}
    assert list(statements(body)) == [(9, "", "said")]
    assert front_matter("---\nat:\n  city: Porto\n  floor: 3\n---\n")[0] == {"at": ["city: Porto", "floor: 3"]}
    assert front_matter("---\nno end") == ({}, "---\nno end")


@pytest.mark.parametrize(("encoding", "text"), [("utf-8-sig", "Grüße"), ("utf-16", "日本"), ("cp1252", "Café – “so”")])
def test_texts_are_read_in_the_encoding_that_they_have(encoding: str, text: str) -> None:
    assert decoded(text.encode(encoding)) == text


def test_hidden_files_and_links_of_a_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "a.md").write_text("- hidden", "utf-8")
    (tmp_path / "b.md").write_text("- seen", "utf-8")
    (tmp_path / "c.md").symlink_to("/etc/hostname")
    found = [one for one in READERS["markdown"](Source(tmp_path)) if isinstance(one, ForeignFact)]
    assert [one.content for one in found] == ["seen"]


def test_devices_and_sockets_are_refused_before_they_are_opened(tmp_path: Path) -> None:
    os.mknod(tmp_path / "s", stat.S_IFSOCK | 0o600)
    for path in (tmp_path / "s", Path("/dev/zero")):
        for read in (Source.of, read_file):
            with pytest.raises(CommonplaceError, match=r"file: is a device or a socket.*standard input"):
                read(path)
    with pytest.raises(CommonplaceError, match="path: is a folder; name a file"):
        read_file(tmp_path, "path")


@pytest.mark.parametrize(("most", "told"), [(100, None), (20, "is larger than")])
def test_a_pipe_is_read_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, told: str | None) -> None:
    os.mkfifo(tmp_path / "pipe")
    text = json.dumps([{"id": 1, "memory": "User keeps bees."}])
    writing = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(text))
    writing.start()
    monkeypatch.setattr(read_file, "__defaults__", ("file", most))
    with pytest.raises(CommonplaceError, match=told) if told else nullcontext():
        assert kind_of(Source.of(tmp_path / "pipe")).kind == "mem0"
    writing.join()


FORMS = {
    "a list": '[{"id": 1, "memory": "a"}, 7, {"id": 2, "memory": "b"}]',
    "results": '{"count": 2, "results": [{"id": 1, "memory": "a"}, 7, {"id": 2, "memory": "b"}], "next": null}',
    "memories": '\ufeff {"memories":\n[{"id": 1, "memory": "a"}, 7,\n{"id": 2, "memory": "b"}]}\n',
    "lines": '\n{"id": 1, "memory": "a"}\n\n7\n{"id": 2, "memory": "b"}\n',
    "lines of Windows": '{"id": 1, "memory": "a"}\r\n7\r\n{"id": 2, "memory": "b"}\r\n',
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 3, 1_000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entries_come_one_by_one_in_every_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, size: int, encoding: str
) -> None:
    monkeypatch.setattr(sources, "_PIECE", size)
    (tmp_path / "dump").write_bytes(FORMS[form].encode(encoding))
    source = Source(tmp_path / "dump")
    assert kind_of(source).kind == "mem0"
    first, left_out, number, second, *beside = READERS["mem0"](source)
    assert [one.content for one in (left_out, *beside) if isinstance(one, Unread)] == [7]
    assert [one.content for one in (first, second) if isinstance(one, ForeignFact)] == ["a", "b"]
    assert isinstance(number, RefusedEntry)


@pytest.mark.parametrize(
    "text", ["[1,", "[1 2]", "[1,]", '{"results": [1]', '{"results": [1]} x', '{"a" 1}', "{1: 2}", '{"a": 1,}', "7", '[{"a": NaN}]',
             '[{"a": 1, "a": 2}]', '{"results": [], "results": [1]}', "[" * 100_000, "nothing"],
)  # fmt: skip
def test_a_file_that_is_no_json_is_refused_as_a_whole(text: str) -> None:
    with pytest.raises(CommonplaceError) as refused:
        list(entries(Source(None, text), "results"))
    assert refused.value.code is ErrorCode.INVALID_JSON


def test_of_what_was_there_a_file_keeps_a_hash_that_nobody_can_make_again() -> None:
    with closing(sqlite3.connect(":memory:")) as one, closing(sqlite3.connect(":memory:")) as other:
        for file in (one, other):
            seen = Fingerprints(file)
            assert [seen.add(b"bees", None), seen.add(b"bees", None), seen.add(b"tea", "mem_1")] == [None, (None, True), None]
            assert (seen.add(b"tea", None), seen.add(b"tea", None, b"a tag")) == (("mem_1", True), ("mem_1", False))
        kept = [
            [value for row in file.execute("SELECT hex(fingerprint), hex(fields) FROM seen") for value in row]
            for file in (one, other)
        ]
    assert [len(value) for value in kept[0]] == [32] * 4
    assert not {*kept[0]} & {*kept[1]}


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize("blank", ["", " \n"])
def test_the_elements_of_a_large_array_come_one_by_one(size: int, blank: str) -> None:
    values = [{"a": "é\u2028]["}, [], "x" * 50, 12, 3.5, None, {"b": [[{}]]}]
    text = blank + json.dumps(values, indent=1 if blank else None, ensure_ascii=False) + blank
    assert list(array_elements(text[at : at + size] for at in range(0, len(text), size))) == values


@pytest.mark.parametrize("text", ["", "{}", '[{"a": 1}, {"b": ', '[{"a": 1} 7x', '[{"a": 1}', "[" * 100_000])
def test_an_array_that_breaks_off_tells_so_after_what_was_whole(text: str) -> None:
    *whole, last = array_elements(iter([text]))
    assert isinstance(last, CommonplaceError)
    assert whole in ([], [{"a": 1}], [{"a": 1}, 7])


@pytest.mark.parametrize(
    ("zone", "times", "sections"),
    [
        ("Europe/Berlin", ("2026-05-20T21:50:00Z", "2026-05-20T22:10:00Z"), 2),
        ("Europe/Berlin", ("2026-05-20T23:50:00Z", "2026-05-21T00:10:00Z"), 1),
        ("UTC", ("2026-05-20T23:50:00Z", "2026-05-21T00:10:00Z"), 2),
        ("UTC", ("2026-05-20T21:50:00Z", "2026-05-20T22:10:00Z"), 1),
    ],
)
def test_a_conversation_is_split_at_midnight_where_the_user_is(zone: str, times: tuple[str, ...], sections: int) -> None:
    messages = [Message("user", "I swim.", datetime.fromisoformat(time)) for time in times]
    assert len(list(split_by_pauses(messages, ZoneInfo(zone)))) == sections

"""Files that a browser sends: they are laid out in a folder of their own, and nowhere else."""

import io
import tracemalloc
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import pytest

from commonplace import CommonplaceError
from commonplace.interfaces.ui import uploads
from tests.conftest import refusal

Sent = tuple[str, bytes]
"""A file that is sent: its name and its bytes."""


def file(name: str, body: bytes = b"- I like tea") -> Sent:
    return name, body


@contextmanager
def packed(files: Iterable[Sent]) -> Iterator[IO[bytes]]:
    """The files as they are kept, sent as a browser sends them."""
    parts = [b'--b\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n' % (name.encode(), body)
             for name, body in files]  # fmt: skip
    with TemporaryDirectory() as folder:
        uploads.read_form(io.BytesIO(b"".join(parts) + b"--b--\r\n"), "multipart/form-data; boundary=b", Path(folder))
        with uploads.packed(Path(folder)) as archive:
            yield archive


def laid_out(*files: Sent) -> dict[str, bytes]:
    """The files as they are read, by their paths; of one alone, by its name."""
    with packed(files) as archive, uploads.laid_out(archive) as source:
        assert source.path is not None
        if source.path.is_file():
            return {source.path.name: source.path.read_bytes()}
        return {str(one.relative_to(source.path)): one.read_bytes() for one in source.path.rglob("*") if one.is_file()}


def test_a_file_is_a_file_and_a_folder_keeps_its_name() -> None:
    assert laid_out(file("mem0.json", b"[]")) == {"mem0.json": b"[]"}
    with packed([file("memories/a.md"), file("memories/b/c.md")]) as archive, uploads.laid_out(archive) as source:
        assert source.path is not None
        assert source.path.name == "memories"
        assert sorted(path.name for path in source.path.iterdir()) == ["a.md", "b"]
    assert not source.path.exists()


@pytest.mark.parametrize(
    "name", ["../../a.md", "/etc/a.md", "..\\..\\a.md", "./a.md", "C:\\notes\\a.md", "a\0.md", "x/" * 90 + "a.md"]
)
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    found = laid_out(file(name), file("b.md"))
    assert len(found) == 2
    assert not any(Path(path).is_absolute() or ".." in Path(path).parts for path in found)


@pytest.mark.parametrize("name", ["../../a.md", "/tmp/a.md", "a/../../b.md"])
def test_no_name_in_an_archive_leads_out_of_it(name: str) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(name, b"- I like tea")
        opened.writestr("c.md", b"- I like coffee")
    found = laid_out(file("notes.zip", archive.getvalue()))
    assert sorted(found.values()) == [b"- I like coffee", b"- I like tea"]


def test_a_very_long_name_is_cut_where_its_ending_stays() -> None:
    (path,) = laid_out(file("日" * 300 + ".md"))
    assert path.endswith("日.md")


def test_the_same_name_twice_is_one_file() -> None:
    assert laid_out(file("a.md", b"1"), file("a.md", b"2")) == {"a.md": b"2"}


def test_what_an_archive_holds_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with packed([file(f"{number}.md", b"x" * 100) for number in range(5)]) as archive:
        for name, most in (("MOST_FILES", 4), ("MOST_UNPACKED", 499)):
            with monkeypatch.context() as changed:
                changed.setattr(uploads, name, most)
                assert refusal(lambda: uploads.laid_out(archive).__enter__()).code.status == 413
        with uploads.laid_out(archive):
            pass


def test_a_file_where_a_folder_is_to_be_is_told() -> None:
    with pytest.raises(CommonplaceError, match="can't be stored"):
        laid_out(file("a", b"1"), file("a/b.md", b"2"))


def test_no_name_leads_to_another_drive() -> None:
    assert all(":" not in path for path in laid_out(file("D:/notes/a.md"), file("D:b.md"), file("c.md:hidden")))


def test_damage_anywhere_in_an_archive_is_told() -> None:
    with packed([file("a.md", b"- I like tea\n" * 50), file("b.md", bytes(range(256)) * 4)]) as archive:
        archive.seek(0)
        whole = archive.read()
    for place in range(0, len(whole), 3):
        damaged = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        try:
            laid_out(file("notes.zip", damaged))
        except CommonplaceError as error:
            assert error.field == "files"  # noqa: PT017 - most places do no harm


def test_files_of_an_archive_are_as_old_as_it_tells() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(zipfile.ZipInfo("old.md", (2023, 5, 4, 10, 30, 0)), b"- I like tea")
        opened.writestr(zipfile.ZipInfo("new.md", (1980, 1, 1, 0, 0, 0)), b"- I like tea")
    with uploads.laid_out(archive) as source:
        assert source.path is not None
        old, new = (datetime.fromtimestamp((source.path / name).stat().st_mtime).year for name in ("old.md", "new.md"))
    assert old == 2023
    assert new >= 2026


def test_nothing_chosen_is_told() -> None:
    assert refusal(lambda: packed([file("")]).__enter__()).field == "files"


def test_a_large_archive_is_never_held_in_memory(tmp_path: Path) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("notes.md", b"- I like tea\n" * 1_000_000)
    with (tmp_path / "body").open("wb") as body:
        body.write(b'--b\r\nContent-Disposition: form-data; name="files"; filename="export.zip"\r\n\r\n')
        body.write(archive.read_bytes() + b"\r\n--b--\r\n")
    (tmp_path / "files").mkdir()
    tracemalloc.start()
    try:
        with (tmp_path / "body").open("rb") as sent:
            uploads.read_form(sent, "multipart/form-data; boundary=b", tmp_path / "files")
        with uploads.packed(tmp_path / "files") as kept, uploads.laid_out(kept) as source:
            assert source.path is not None
            assert source.path.stat().st_size == 13_000_000
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_the_fields_of_a_form(tmp_path: Path) -> None:
    multipart = b'--b\r\nContent-Disposition: form-data; name="kind"\r\n\r\nmem0 \xc3\xa9\r\n--b--\r\n'
    assert uploads.read_form(io.BytesIO(multipart), "multipart/form-data; boundary=b", tmp_path) == {"kind": "mem0 é"}
    encoded = "application/x-www-form-urlencoded; charset=utf-8"
    fields = {"kind": "mem0 é", "empty": ""}
    assert uploads.read_form(io.BytesIO(b"kind=mem0+%C3%A9&empty="), encoded, tmp_path) == fields
    assert uploads.read_form(io.BytesIO(b"{}"), "application/json", tmp_path) == {}
    assert uploads.read_form(io.BytesIO(b"kind=mem0"), "", tmp_path) == {}


@pytest.mark.parametrize("body", [b"tea", b"--b\r\nno header", b"--b\r\n: x\r\n\r\n"])
def test_a_damaged_form_is_told(tmp_path: Path, body: bytes) -> None:
    read = partial(uploads.read_form, io.BytesIO(body), "multipart/form-data; boundary=b", tmp_path)
    assert refusal(read).code.status == 400


def test_a_form_of_too_many_files_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_FILES", 2)
    assert refusal(lambda: packed([file(f"{number}.md") for number in range(3)]).__enter__()).code.status == 413

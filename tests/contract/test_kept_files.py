"""Files kept for a user: in the memory file, and in a bucket."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import cast, get_args

import pytest

from commonplace.adapters.s3 import S3StoredFiles, connect
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.stored_files import SqliteStoredFiles
from commonplace.domain.transfer import FileKind, StoredFile
from commonplace.ports.documents import StoredFiles
from tests.conftest import NOON
from tests.s3_buckets import BUCKET

pytestmark = pytest.mark.integration
ANA, BEN = "local|ana", "local|ben"


@pytest.fixture(params=["file", "bucket"])
def files(request: pytest.FixtureRequest, memory_file: Path) -> Iterator[StoredFiles]:
    if request.param == "file":
        with closing(Database(memory_file)) as database:
            yield SqliteStoredFiles(database)
        return
    request.getfixturevalue("bucket")
    yield S3StoredFiles(connect("eu-central-1"), BUCKET)


def kept(number: int, kind: FileKind = "export", at: datetime = NOON) -> StoredFile:
    until = at + timedelta(hours=1)
    return StoredFile(
        file_id=f"{kind}_{number:026d}", kind=kind, format="jsonl", made_at=at, expires_at=until, bytes=3, sha256="0" * 64
    )


def test_there_is_nothing_at_first(files: StoredFiles) -> None:
    assert files.listed(ANA, "export", NOON) == []
    assert files.get(ANA, "export", "export_1", NOON) is None
    assert not files.copy(ANA, "export", "export_1", NOON, BytesIO())
    files.delete(ANA, "export", "export_1")
    files.delete_all(ANA)


def test_a_file_is_given_back_as_it_was_put(files: StoredFiles) -> None:
    body = "één\r\n東京\0".encode()
    files.put(ANA, kept(1), b"an older one")
    files.put(ANA, kept(1), body)
    assert files.get(ANA, "export", kept(1).file_id, NOON) == (kept(1), body)


def test_a_file_goes_in_and_out_piece_by_piece(files: StoredFiles, tmp_path: Path) -> None:
    body, into = tmp_path / "sent", BytesIO()
    body.write_bytes(bytes(range(256)) * 10_000)
    with body.open("rb") as sent:
        sent.read(100)  # wherever it stands, it is kept whole
        files.put(ANA, kept(1, "upload"), sent)
    assert files.copy(ANA, "upload", kept(1, "upload").file_id, NOON, into)
    assert into.getvalue() == body.read_bytes()
    for user, kind, at in ((BEN, "upload", NOON), (ANA, "export", NOON), (ANA, "upload", kept(1).expires_at)):
        assert not files.copy(user, cast(FileKind, kind), kept(1, "upload").file_id, at, into)
    assert len(into.getvalue()) == 2_560_000


def test_the_newest_come_first_each_kind_and_each_user_apart(files: StoredFiles) -> None:
    for number in (1, 3, 2):
        files.put(ANA, kept(number), b"abc")
    files.put(ANA, kept(4, "upload"), b"abc")
    files.put(BEN, kept(5), b"abc")
    assert files.listed(ANA, "export", NOON) == [kept(3), kept(2), kept(1)]
    assert files.get(BEN, "export", kept(1).file_id, NOON) is None
    assert files.get(ANA, "upload", kept(1).file_id, NOON) is None


def test_what_has_expired_is_not_there(files: StoredFiles) -> None:
    files.put(ANA, kept(1), b"abc")
    over = kept(1).expires_at
    assert files.get(ANA, "export", kept(1).file_id, over) is None
    assert files.listed(ANA, "export", over) == []
    assert files.get(ANA, "export", kept(1).file_id, over - timedelta(seconds=1)) is not None


def test_what_is_put_by_a_clock_years_ahead_takes_nothing_away(files: StoredFiles) -> None:
    for kind in get_args(FileKind):
        files.put(ANA, kept(1, kind), b"abc")
    for user in (BEN, ANA):
        files.put(user, kept(2, at=NOON + timedelta(days=1_500)), b"abc")
    assert [files.get(ANA, kind, kept(1, kind).file_id, NOON) for kind in get_args(FileKind)] == [
        (kept(1, kind), b"abc") for kind in get_args(FileKind)
    ]


def test_what_is_deleted_is_gone_and_the_rest_stays(files: StoredFiles) -> None:
    for number in (1, 2):
        files.put(ANA, kept(number), b"abc")
    files.delete(ANA, "export", kept(1).file_id)
    assert files.listed(ANA, "export", NOON) == [kept(2)]


def test_all_of_a_kind_or_all_of_a_user_goes_and_nothing_of_others(files: StoredFiles) -> None:
    for user in (ANA, BEN):
        files.put(user, kept(1), b"abc")
        files.put(user, kept(2, "upload"), b"abc")
    files.delete_all(ANA, "export")
    assert (files.listed(ANA, "export", NOON), files.listed(ANA, "upload", NOON)) == ([], [kept(2, "upload")])
    files.delete_all(ANA)
    assert files.listed(ANA, "upload", NOON) == []
    assert (files.listed(BEN, "export", NOON), files.listed(BEN, "upload", NOON)) == ([kept(1)], [kept(2, "upload")])


@pytest.mark.usefixtures("bucket")
def test_a_bucket_keeps_no_version_of_what_was_deleted_and_gives_links() -> None:
    client = connect("eu-central-1")
    files = S3StoredFiles(client, BUCKET)
    for body in (b"one", b"two"):
        files.put(ANA, kept(1), body)
    link = files.link(ANA, kept(1), 60)
    assert "X-Amz-Expires=60" in link
    assert ANA not in link
    assert len(client.list_object_versions(Bucket=BUCKET)["Versions"]) == 1
    files.delete(ANA, "export", kept(1).file_id)
    there = client.list_object_versions(Bucket=BUCKET)
    assert "Versions" not in there
    assert "DeleteMarkers" not in there


def test_what_is_deleted_leaves_no_byte_in_the_file(memory_file: Path) -> None:
    with closing(Database(memory_file)) as database:
        files: StoredFiles = SqliteStoredFiles(database)
        files.put(ANA, kept(1), b"zanzibar" * 1_000)
        files.put(ANA, kept(2, at=NOON + timedelta(hours=2)), b"abc")
        assert _link(files) is None
    assert b"zanzibar" not in memory_file.read_bytes()
    with closing(sqlite3.connect(memory_file)) as connection:
        assert connection.execute("SELECT count(*) FROM kept_files").fetchone() == (1,)


def test_the_memory_file_shrinks_again_a_piece_with_each_write(memory_file: Path) -> None:
    with closing(Database(memory_file)) as database:
        files = SqliteStoredFiles(database)
        files.put(ANA, kept(1), b"x" * 40_000_000)
        files.put(ANA, kept(2), b"abc")
        sizes = [memory_file.stat().st_size]
        files.delete(ANA, "export", kept(1).file_id)
        for number in range(3, 8):
            sizes.append(memory_file.stat().st_size)
            files.put(ANA, kept(number), b"abc")
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > 40_000_000
        assert memory_file.stat().st_size < 10_000_000
        assert files.get(ANA, "export", kept(2).file_id, NOON) == (kept(2), b"abc")


def _link(files: StoredFiles) -> str | None:
    return files.link(ANA, kept(2), 60)

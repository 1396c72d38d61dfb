"""Pages kept by name: in a folder, and in a bucket."""

from pathlib import Path

import pytest

from commonplace.adapters.folder import FolderPages
from commonplace.adapters.s3 import S3Pages, connect
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.ports.documents import Pages
from tests.s3_buckets import BUCKET

pytestmark = pytest.mark.integration


@pytest.fixture(params=["folder", "bucket"])
def pages(request: pytest.FixtureRequest, tmp_path: Path) -> Pages:
    if request.param == "folder":
        return FolderPages(tmp_path / "new" / "pages")
    request.getfixturevalue("bucket")
    return S3Pages(connect("eu-central-1"), BUCKET, "ann")


def test_there_is_nothing_at_first(pages: Pages) -> None:
    assert pages.names() == []
    assert pages.read("MEMORY.md") is None
    pages.delete("MEMORY.md")
    pages.drop_versions()


def test_a_page_is_read_as_it_was_written(pages: Pages) -> None:
    text = "één\r\n東京\u2028\n\n"
    pages.write("memory/2026-05-20.md", "an older one")
    pages.write("memory/2026-05-20.md", text)
    pages.write("MEMORY.md", "")
    assert pages.names() == ["MEMORY.md", "memory/2026-05-20.md"]
    assert (pages.read("memory/2026-05-20.md"), pages.read("MEMORY.md")) == (text, "")


def test_what_is_deleted_is_gone_and_the_rest_stays(pages: Pages) -> None:
    for name in ("MEMORY.md", "memory/2026-05-20.md"):
        pages.write(name, name)
    pages.delete("MEMORY.md")
    assert pages.names() == ["memory/2026-05-20.md"]
    assert pages.read("MEMORY.md") is None


def test_only_markdown_of_the_first_two_floors_is_told(pages: Pages) -> None:
    for name in ("notes.txt", "a/b/deep.md", "a/b.md"):
        pages.write(name, name)
    assert pages.names() == ["a/b.md"]


def test_what_was_there_before_can_be_let_go_of(pages: Pages) -> None:
    for text in ("one", "two"):
        pages.write("MEMORY.md", text)
        pages.write("memory/2026-05-20.md", text)
    pages.delete("memory/2026-05-20.md")
    pages.drop_versions()
    assert (pages.read("MEMORY.md"), pages.names()) == ("two", ["MEMORY.md"])


@pytest.mark.usefixtures("bucket")
def test_a_bucket_holds_no_older_version_then_and_other_folders_stay() -> None:
    client = connect("eu-central-1")
    mine, other = S3Pages(client, BUCKET, "ann"), S3Pages(client, BUCKET, "anna")
    for pages in (mine, other):
        for text in ("one", "two"):
            pages.write("MEMORY.md", text)
            pages.write("memory/2026-05-20.md", text)
        pages.delete("memory/2026-05-20.md")
    mine.drop_versions()
    assert mine.names() == other.names() == ["MEMORY.md"]
    there = client.list_object_versions(Bucket=BUCKET)
    keys = [one["Key"] for one in there["Versions"]]
    assert (keys.count("ann/MEMORY.md"), keys.count("ann/memory/2026-05-20.md")) == (1, 0)
    assert (keys.count("anna/MEMORY.md"), keys.count("anna/memory/2026-05-20.md")) == (2, 2)
    assert {one["Key"] for one in there["DeleteMarkers"]} == {"anna/memory/2026-05-20.md"}


@pytest.mark.usefixtures("bucket")
def test_a_bucket_that_is_not_there_is_told_without_the_vendors_words() -> None:
    with pytest.raises(CommonplaceError, match="NoSuchBucket") as caught:
        S3Pages(connect("eu-central-1"), "another", "ann").write("MEMORY.md", "secret words")
    assert caught.value.code is ErrorCode.STORAGE_UNAVAILABLE
    assert "secret words" not in str(caught.value)


def test_what_is_no_text_is_told(tmp_path: Path) -> None:
    tmp_path.joinpath("MEMORY.md").write_bytes(b"caf\xe9")
    with pytest.raises(CommonplaceError, match=r"MEMORY\.md") as caught:
        FolderPages(tmp_path).read("MEMORY.md")
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


def test_no_link_is_followed_out_of_the_folder(tmp_path: Path) -> None:
    folder, outside = tmp_path / "pages", tmp_path / "pages-old"  # a name that begins like the folder's
    for made in (folder, outside):
        made.mkdir()
    outside.joinpath("2026-05-20.md").write_text("not ours", "utf-8")
    folder.joinpath("memory").symlink_to(outside)
    folder.joinpath("MEMORY.md").symlink_to(outside / "2026-05-20.md")
    pages = FolderPages(folder)
    for call in (pages.read, pages.delete, lambda name: pages.write(name, "ours")):
        for name in ("memory/2026-05-20.md", "MEMORY.md", "../pages-old/2026-05-20.md"):
            with pytest.raises(CommonplaceError, match="links that lead out of it"):
                call(name)
    assert outside.joinpath("2026-05-20.md").read_text("utf-8") == "not ours"


def test_a_write_that_fails_leaves_the_page_and_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = FolderPages(tmp_path)
    pages.write("MEMORY.md", "before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CommonplaceError, match="No space left"):
        pages.write("MEMORY.md", "after")
    assert pages.read("MEMORY.md") == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["MEMORY.md"]

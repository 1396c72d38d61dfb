"""Find the conversation files in an export and read them in chunks. An export is a file, a folder or a ZIP archive."""

import codecs
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO

from commonplace.domain.errors import CommonplaceError, invalid
from commonplace.domain.imports import RefusedEntry, Unread
from commonplace.domain.transfer import MOST_BYTES
from commonplace.importing.sources import OTHER_FILE, Source, decoded
from commonplace.use_cases.import_facts import refused
from commonplace.use_cases.record_files import too_large

_PIECE, _HEAD, _EMPTY = 1 << 20, 65_536, 4  # in bytes; an empty list may have line ends
_MOST_UNPACKED = 2_000_000_000
_SMALL, _MOST_DENSE = 10_000_000, 200  # in bytes; a compression ratio that real conversations never reach
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LOCKED = 0x1 | 0x20 | 0x40  # the flag bits of encrypted files and of patches
MEMORIES = "memories.json"
SEPARATE_MEMORIES = f"{MEMORIES}, what Claude remembers: unpack it, and import it on its own"
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError)


@dataclass(frozen=True)
class ConversationFile:
    """A file that contains conversations. `name` is the path of the file in the folder or archive."""

    name: str
    open: Callable[[], IO[bytes]]

    @property
    def head(self) -> bytes:
        return next(self._read_pieces(_HEAD), b"")

    def text(self) -> Iterator[str]:
        return codecs.iterdecode(self._read_pieces(_PIECE), "utf-8-sig", errors="replace")

    def _read_pieces(self, size: int) -> Iterator[bytes]:
        try:
            with self.open() as file:
                yield from iter(partial(file.read, size), b"")
        except _DAMAGED:
            return  # after the complete entries, the JSON reader reports the truncated text


def conversation_files(source: Source) -> Iterator[ConversationFile | RefusedEntry | Unread]:
    """Yield the conversation files in a source. Unsafe files are yielded as refused, and all other files as `Unread`."""
    if source.path is None:
        yield ConversationFile("stdin", partial(BytesIO, (source.stdin_text or "").encode(errors="replace")))
    elif source.is_folder:
        skipped = list[Unread]()
        for name, path in source.files(skipped=skipped):
            yield ConversationFile(name, partial(_open_binary, path)) if _is_wanted(name) else _build_skipped_file(name)
        yield from skipped
    elif source.is_archive:
        with _open_archive(source.path) as archive:
            for info in archive.infolist():
                if _is_wanted(info.filename):
                    yield _build_archived_file(info, archive)
                elif not info.is_dir():
                    yield _build_skipped_file(info.filename)
    else:
        yield ConversationFile(source.path.name, partial(_open_binary, source.path))


def unpacked(source: Source) -> Source:
    """Return the `memories.json` in a ZIP archive without conversations. Any other source is returned unchanged."""
    if not source.is_archive or source.path is None:
        return source
    with _open_archive(source.path) as archive:
        files = {info.filename: info for info in archive.infolist()}
        if MEMORIES not in files or any(_is_wanted(name) and files[name].file_size > _EMPTY for name in files):
            return source
        _check_archive_file(files[MEMORIES])
        if files[MEMORIES].file_size > MOST_BYTES:
            raise too_large(f"holds a {MEMORIES} of more than {MOST_BYTES // 1_000_000} MB")
        try:
            return Source(None, decoded(archive.read(MEMORIES)))
        except _DAMAGED:
            raise invalid("file", "is not a valid ZIP file") from None


def _build_skipped_file(name: str) -> Unread:
    is_memories = PurePosixPath(name.replace("\\", "/")).name == MEMORIES
    return Unread(name, SEPARATE_MEMORIES if is_memories else OTHER_FILE, name)


def _open_binary(path: Path) -> IO[bytes]:
    return path.open("rb")


def _is_wanted(name: str) -> bool:
    file = PurePosixPath(name.replace("\\", "/")).name
    return file.startswith("conversations") and file.endswith(".json")


def _build_archived_file(info: zipfile.ZipInfo, archive: zipfile.ZipFile) -> ConversationFile | RefusedEntry:
    try:
        _check_archive_file(info)
    except CommonplaceError as error:
        return refused(info.filename, error)
    return ConversationFile(info.filename, partial(archive.open, info))


def _check_archive_file(info: zipfile.ZipInfo) -> None:
    """Refuse files with an unsafe name, size or compression ratio. Real exports have no such files. Nothing is unpacked."""
    path = PurePosixPath(info.filename)
    if path.is_absolute() or ".." in path.parts or "\\" in info.filename or ":" in info.filename:
        raise invalid("file", "its name leads out of the archive")
    if info.flag_bits & _LOCKED:
        raise invalid("file", "it is encrypted")
    if info.compress_type not in _PACKED:
        raise invalid("file", "its compression method is not supported; unpack the archive")
    if info.file_size > _MOST_UNPACKED:
        raise too_large(f"is larger than {_MOST_UNPACKED // 1_000_000:,} MB when it is unpacked")
    if info.file_size > max(_SMALL, _MOST_DENSE * info.compress_size):
        raise too_large(f"is more than {_MOST_DENSE} times as large when it is unpacked")


@contextmanager
def _open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except (*_DAMAGED, ValueError, NotImplementedError):
        raise invalid("file", "is not a valid ZIP file") from None
    with archive:
        yield archive

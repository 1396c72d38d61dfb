"""Receive the files that a browser uploads for an import, pack them into one archive, and unpack an archive.

Files are never read into memory as a whole. A form is parsed in pieces, and its files are written to a folder.
"""

import lzma
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO
from urllib.parse import parse_qsl

from python_multipart import FormParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File, parse_options_header

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.importing.sources import Source

MOST_FILES, MOST_UNPACKED = 10_000, 500_000_000
"""The maximum number of files in one import, and the maximum total size of the unpacked files in bytes."""
_PIECE = 65_536  # bytes
_UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, OSError, ValueError)
_NO_YEAR = 1980  # the year of archive entries without a timestamp
_LONGEST = 200  # maximum length of a file name in UTF-8 bytes, because file systems limit it


def read_form(body: IO[bytes], content_type: str, folder: Path) -> dict[str, str]:
    """Return a form's fields, and write the form's files to a folder. Return no fields for an unknown content type."""
    kind, options = parse_options_header(content_type)
    if kind == b"application/x-www-form-urlencoded":
        return dict(parse_qsl(body.read().decode(errors="replace"), keep_blank_values=True))
    fields, files = dict[str, str](), 0
    if kind != b"multipart/form-data":
        return fields

    def on_field(field: Field) -> None:
        fields.setdefault((field.field_name or b"").decode(errors="replace"), (field.value or b"").decode(errors="replace"))

    def on_file(file: File) -> None:
        nonlocal files
        with file.file_object as sent:
            if file.file_name:
                files += 1
                if files > MOST_FILES:
                    raise _build_size_error(f"more than {MOST_FILES:,} files")
                sent.seek(0)
                store(sent, file.file_name.decode(errors="replace"), folder)

    try:
        parser = FormParser(
            kind.decode(), on_field, on_file, boundary=options.get(b"boundary"), config={"MAX_MEMORY_FILE_SIZE": _PIECE}
        )
        while piece := body.read(_PIECE):
            parser.write(piece)
        parser.finalize()
    except FormParserError as error:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "the form can't be read") from error
    return fields


def store(file: IO[bytes], name: str, folder: Path) -> None:
    """Write a file to a folder under the name that the browser sent, replacing any file with the same name."""
    path = folder / _own_path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stored:
            shutil.copyfileobj(file, stored)
    except OSError as error:  # a file exists where a folder is needed
        raise invalid("files", f"{name} can't be stored: {error.strerror}") from error


@contextmanager
def packed(folder: Path) -> Iterator[IO[bytes]]:
    """Yield an archive of a folder's files. A single ZIP file is yielded as it is. A folder without files is refused."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        raise invalid("files", "choose a file or a folder first")
    if len(files) == 1 and zipfile.is_zipfile(files[0]):
        with files[0].open("rb") as archive:
            yield archive
        return
    with TemporaryFile() as archive:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as whole:
            for path in files:
                whole.write(path, path.relative_to(folder))
        yield archive


@contextmanager
def laid_out(archive: IO[bytes]) -> Iterator[Source]:
    """Unpack an archive into a temporary folder and yield the folder. If the folder has a single entry, yield that entry."""
    with TemporaryDirectory() as named:
        folder = Path(named).resolve()
        _unpack(archive, folder)
        inside = list(folder.iterdir())
        yield Source(inside[0] if len(inside) == 1 else folder)


def _unpack(archive: IO[bytes], folder: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [info for info in opened.infolist() if not info.is_dir() and _is_shown(info.filename)]
            if len(entries) > MOST_FILES or sum(info.file_size for info in entries) > MOST_UNPACKED:
                raise _build_size_error(f"the archive has more than {MOST_FILES:,} files or {MOST_UNPACKED // 1_000_000} MB")
            for info in entries:
                path = folder / _own_path(info.filename)
                path.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(info) as entry, path.open("wb") as file:
                    shutil.copyfileobj(entry, file)
                if info.date_time[0] > _NO_YEAR:  # the import dates notes by their files' timestamps
                    at = datetime(*info.date_time).astimezone().timestamp()
                    os.utime(path, (at, at))
    except _UNREADABLE as error:
        # The archive is damaged, encrypted or not a ZIP file, or a file exists where a folder is needed.
        raise invalid("files", f"the archive can't be read: {error}") from error


def _is_shown(name: str) -> bool:
    """Return whether an archive entry is neither hidden nor macOS metadata."""
    return not any(part.startswith((".", "__MACOSX")) for part in _own_path(name).parts)


def _own_path(name: str) -> PurePosixPath:
    """Convert a name from a browser or archive to a relative path that can't lead outside the folder."""
    cleaned = name.replace("\\", "/").replace("\0", "").replace(":", "_")  # on Windows, colons mark drives and data streams
    parts = [part for part in cleaned.split("/") if part not in ("", ".", "..")]
    return PurePosixPath(*(part.encode()[-_LONGEST:].decode(errors="ignore") for part in parts or ["file"]))


def _build_size_error(why: str) -> CommonplaceError:
    return CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, f"files: {why}; import it in several parts", "files")

"""Files that a browser sends to be imported: packed into one, kept for an hour, and laid out in a folder to be read."""

import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from werkzeug.datastructures import FileStorage

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.importing.sources import Source

MOST_FILES, MOST_UNPACKED = 10_000, 500_000_000
"""Of one import: how many files, and their bytes when they are unpacked."""
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)
_NO_YEAR = 1980  # where an archive tells no time
_LONGEST = 200  # of a name, which a file system may hold in UTF-8


def packed(files: Iterable[FileStorage]) -> bytes:
    """The files as one archive; what is an archive alone stays as it is. Raises where there is nothing in them."""
    given = {str(_own_path(file.filename)): _read(file) for file in files if file.filename}
    if not given:
        raise _wrong("choose a file or a folder first")
    first = next(iter(given.values()))
    if len(given) == 1 and zipfile.is_zipfile(io.BytesIO(first)):
        return first
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, body in given.items():
            archive.writestr(path, body)
    return whole.getvalue()


@contextmanager
def laid_out(archive: bytes) -> Iterator[Source]:
    """What was packed, in a folder that goes afterwards: the one file, or the one folder, that it holds."""
    with TemporaryDirectory() as named:
        folder = Path(named).resolve()
        _unpack(archive, folder)
        inside = list(folder.iterdir())
        yield Source(inside[0] if len(inside) == 1 else folder)


def _unpack(archive: bytes, folder: Path) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            entries = [one for one in opened.infolist() if not one.is_dir() and _is_shown(one.filename)]
            if len(entries) > MOST_FILES or sum(one.file_size for one in entries) > MOST_UNPACKED:
                why = f"it holds more than {MOST_FILES:,} files or {MOST_UNPACKED // 1_000_000} MB"
                raise CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, f"files: {why}; take it in piece by piece", "files")
            for one in entries:
                path = folder / _own_path(one.filename)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(opened.read(one))
                _date(path, one.date_time)
    except _UNREADABLE as error:
        # damaged, of another kind, encrypted, or a file stands where a folder is to be
        raise _wrong(f"the archive can't be read: {error}") from error


def _date(path: Path, told: tuple[int, int, int, int, int, int]) -> None:
    """Gives a file the time that the archive tells: notes without a date in them are as old as their file."""
    if told[0] > _NO_YEAR:
        at = datetime(*told).astimezone().timestamp()
        os.utime(path, (at, at))


def _read(file: FileStorage) -> bytes:
    with file.stream as stream:
        return bytes(stream.read())


def _is_shown(name: str) -> bool:
    return not any(part.startswith((".", "__MACOSX")) for part in _own_path(name).parts)


def _own_path(name: str) -> PurePosixPath:
    """The path that a name tells, which leads nowhere but downwards."""
    told = name.replace("\\", "/").replace("\0", "").replace(":", "_")  # a colon names a drive, or a stream of a file
    parts = [part for part in told.split("/") if part not in ("", ".", "..")]
    return PurePosixPath(*(part.encode()[-_LONGEST:].decode(errors="ignore") for part in parts or ["file"]))


def _wrong(why: str) -> CommonplaceError:
    return CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"files: {why}", "files")

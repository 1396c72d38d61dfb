"""Read the files and folders that a user wants to import, within limits."""

import codecs
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.imports import RefusedEntry, Unread
from commonplace.domain.strict_json import read_json
from commonplace.domain.transfer import MOST_BYTES
from commonplace.use_cases.import_facts import refused
from commonplace.use_cases.record_files import too_large

_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_SQLITE = b"SQLite format 3\0"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PACKED = "file: is a ZIP; only exports of ChatGPT and Claude can be imported from a ZIP, so unpack it"
_HEAD = 65_536
_PIECE, _MOST_FILES = 1 << 20, 10_000
OTHER_FILE, HIDDEN_FILE, LINK = "a file of another kind", "a hidden file", "a link, which is not followed"


@dataclass(frozen=True)
class Text:
    """A text file. `name` is its path in the folder. `changed` is when it was last modified."""

    name: str
    text: str
    changed: datetime | None


@dataclass(frozen=True)
class Source:
    """The source of an import, which is a file, a folder, or the text from stdin (`stdin_text`)."""

    path: Path | None
    stdin_text: str | None = None

    @classmethod
    def of(cls, path: Path) -> "Source":
        """Return the source at a path. A pipe is read immediately, because it can be read only once."""
        return cls(None, decoded(read_file(path))) if _get_file_type(path, "file") == stat.S_IFIFO else cls(path)

    @property
    def is_folder(self) -> bool:
        return self.path is not None and self.path.is_dir()

    @property
    def changed(self) -> datetime | None:
        """When the file was last modified, or None for stdin."""
        return None if self.path is None else datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    @property
    def suffix(self) -> str:
        return self.path.suffix.lower() if self.path is not None else ""

    @cached_property
    def head(self) -> bytes:
        if self.path is None:
            return (self.stdin_text or "")[:_HEAD].encode(errors="replace")
        return next(self._read_bytes(_HEAD), b"")

    @property
    def is_database(self) -> bool:
        return not self.is_folder and self.head.startswith(_SQLITE)

    @property
    def is_archive(self) -> bool:
        return self.path is not None and not self.is_folder and self.head.startswith(_ZIP)

    @cached_property
    def text(self) -> str:
        """The whole text of a file of up to 50 MB, in UTF-8, UTF-16 with a byte order mark, or cp1252."""
        if self.path is None:
            return self.stdin_text or ""
        if self.is_archive:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, _PACKED, "file")
        return decoded(read_file(self.path))

    @cached_property
    def encoding(self) -> str:
        """The encoding of a file of any size. Raises `INVALID_ARGUMENT` if the file isn't text."""
        if self.path is None:
            return "utf-8"
        for tried in (_ENCODINGS.get(self.head[:2], "utf-8-sig"), "cp1252"):
            try:
                if not any("\0" in piece for piece in codecs.iterdecode(self._read_bytes(_PIECE), tried)):
                    return tried
            except UnicodeDecodeError:
                continue
        raise invalid("file", "is not a text file")

    def pieces(self) -> Iterator[str]:
        """Yield the text of a file of any size, a megabyte at a time."""
        if self.path is None:
            text = self.stdin_text or ""
            return (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
        if self.is_archive:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, _PACKED, "file")
        return codecs.iterdecode(self._read_bytes(_PIECE), self.encoding)

    def lines(self) -> Iterator[str]:
        """Yield the text line by line. Raises an error if a line is longer than 50 MB."""
        buffer = ""
        for piece in self.pieces():
            *whole, buffer = (buffer + piece).split("\n")
            yield from whole
            if len(buffer) > MOST_BYTES:
                raise too_large(f"has a line of more than {MOST_BYTES // 1_000_000} MB")
        yield buffer

    @cached_property
    def is_json_lines(self) -> bool:
        """Whether the file looks like JSON Lines. It has several lines, and the first starts with `{` and ends with `}`."""
        lines = (line for line in self.lines() if line.strip("\ufeff \t\r"))
        try:
            first, more = next(lines, "").strip("\ufeff \t\r"), next(lines, None)
        except CommonplaceError:
            return False  # the line is longer than an entry may be
        return more is not None and first.startswith("{") and first.endswith("}")

    @cached_property
    def json(self) -> Any:
        return read_json(self.text)

    def _read_bytes(self, size: int) -> Iterator[bytes]:
        assert self.path is not None
        with _convert_os_errors(), self.path.open("rb") as file:
            yield from iter(partial(file.read, size), b"")

    def texts(self, *suffixes: str) -> Iterator[Text | RefusedEntry | Unread]:
        """Yield the text files in a folder, sorted by path, or the single file. Unreadable files are yielded as refused, and
        hidden files, links and files with other suffixes as `Unread`."""
        if not self.is_folder:
            yield Text(self.path.name if self.path else "stdin", self.text, self.changed)
            return
        skipped = list[Unread]()
        for name, path in self.files(*suffixes, skipped=skipped):
            try:
                yield Text(name, Source(path).text, datetime.fromtimestamp(path.stat().st_mtime, UTC))
            except CommonplaceError as error:
                yield refused(name, error)
        yield from skipped

    def files(self, *suffixes: str, skipped: list[Unread] | None = None) -> Iterator[tuple[str, Path]]:
        """Yield the files in a folder that have one of the suffixes, or all files if there are none, sorted by path.

        Other files, hidden files and links are added to `skipped`. Raises `PAYLOAD_TOO_LARGE` for more than 10,000 files.
        """
        assert self.path is not None
        with _convert_os_errors():
            paths = sorted(path for path in self.path.rglob("*") if path.is_symlink() or not path.is_dir())
        shown = list[tuple[str, Path]]()
        for path in paths:
            name = path.relative_to(self.path).as_posix()
            wanted = path.is_file() and (not suffixes or path.suffix.lower() in suffixes)
            hidden = name.startswith(".") or "/." in name
            why = LINK if path.is_symlink() else HIDDEN_FILE if hidden else None if wanted else OTHER_FILE
            if why is None:
                shown.append((name, path))
            elif skipped is not None:
                skipped.append(Unread(name, why, name))
        if len(shown) > _MOST_FILES:
            raise too_large(f"is a folder of more than {_MOST_FILES:,} files")
        yield from shown


def read_file(path: Path, field: str = "file", most: int = MOST_BYTES) -> bytes:
    """Read a whole file or pipe. Errors mention the argument `field`, which contained the path.

    Raises `PAYLOAD_TOO_LARGE` beyond `most` bytes, and `INVALID_ARGUMENT` for folders, devices, sockets and system errors.
    """
    if _get_file_type(path, field) == stat.S_IFDIR:
        raise invalid(field, "is a folder; name a file")
    with _convert_os_errors(field), path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise too_large(f"is larger than {most // 1_000_000} MB", field)
    return data


def _get_file_type(path: Path, field: str) -> int:
    """Return the `stat` type of a path. Raises `INVALID_ARGUMENT` unless the path is a file, folder or pipe."""
    with _convert_os_errors(field):
        kind = stat.S_IFMT(path.stat().st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFIFO):
        raise invalid(field, "is a device or a socket; name a file, or give the text on standard input")
    return kind


def decoded(data: bytes) -> str:
    """Decode text as UTF-16 with a byte order mark, UTF-8 or cp1252, whichever fits first, and convert CRLF to LF.

    Raises `INVALID_ARGUMENT` if no encoding fits, or if the text contains NUL characters.
    """
    encoding = _ENCODINGS.get(data[:2], "utf-8-sig")
    for tried in (encoding, "cp1252"):
        try:
            text = data.decode(tried)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text.replace("\r\n", "\n")
    raise invalid("file", "is not a text file")


@contextmanager
def _convert_os_errors(field: str = "file") -> Iterator[None]:
    """Convert an `OSError` to an error about the argument `field`."""
    try:
        yield
    except OSError as error:
        why = error.strerror
        if isinstance(error, FileNotFoundError | NotADirectoryError) and error.filename:
            why = f"there is no {error.filename}; name an existing file or folder"
        raise invalid(field, f"{why}") from error

"""Files that a user names: read up to a limit, and no device; as what is to be imported: texts, pieces and times."""

import codecs
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import RefusedEntry, Unread
from commonplace.domain.strict_json import read_json
from commonplace.domain.transfer import MOST_BYTES
from commonplace.use_cases.import_facts import refused
from commonplace.use_cases.record_files import too_large

_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_SQLITE = b"SQLite format 3\0"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PACKED = "file: is a ZIP, of which only the conversations of ChatGPT and Claude are read; unpack it"
_HEAD = 65_536
_PIECE, _MOST_FILES = 1 << 20, 10_000
OTHER_FILE, HIDDEN_FILE, LINK = "a file of another kind", "a hidden file", "a link, which is not followed"


@dataclass(frozen=True)
class Text:
    """A text of a folder, or the one file. `name`: its path in the folder; `changed`: when it was written last."""

    name: str
    text: str
    changed: datetime | None


@dataclass(frozen=True)
class Source:
    """What is to be imported: a file, a folder, or a text from stdin (`given`)."""

    path: Path | None
    given: str | None = None

    @classmethod
    def of(cls, path: Path) -> "Source":
        """A file or a folder; a pipe, which can be read but once, as the text that comes out of it."""
        return cls(None, decoded(read_file(path))) if _kind_of(path, "file") == stat.S_IFIFO else cls(path)

    @property
    def is_folder(self) -> bool:
        return self.path is not None and self.path.is_dir()

    @property
    def changed(self) -> datetime | None:
        """When a file was written last; None of a text that was given."""
        return None if self.path is None else _changed(self.path)

    @property
    def suffix(self) -> str:
        return self.path.suffix.lower() if self.path is not None else ""

    @cached_property
    def head(self) -> bytes:
        """How a file begins: 64 KB of it."""
        if self.path is None:
            return (self.given or "")[:_HEAD].encode(errors="replace")
        return next(self._bytes(_HEAD), b"")

    @property
    def is_database(self) -> bool:
        return not self.is_folder and self.head.startswith(_SQLITE)

    @property
    def is_archive(self) -> bool:
        return self.path is not None and not self.is_folder and self.head.startswith(_ZIP)

    @property
    def is_several(self) -> bool:
        """Whether it may have several files."""
        return self.is_folder or self.is_archive

    @cached_property
    def text(self) -> str:
        """The whole text of a file of up to 50 MB; UTF-8, or UTF-16 with a mark, or else Windows' cp1252."""
        if self.path is None:
            return self.given or ""
        if self.is_archive:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, _PACKED, "file")
        return decoded(read_file(self.path))

    @cached_property
    def encoding(self) -> str:
        """The encoding of a file of any size, as of `text`. Raises `INVALID_ARGUMENT` for what is no text."""
        if self.path is None:
            return "utf-8"
        for tried in (_ENCODINGS.get(self.head[:2], "utf-8-sig"), "cp1252"):
            try:
                if not any("\0" in piece for piece in codecs.iterdecode(self._bytes(_PIECE), tried)):
                    return tried
            except UnicodeDecodeError:
                continue
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "file: is no text", "file")

    def pieces(self) -> Iterator[str]:
        """The text of a file of any size, a megabyte at a time."""
        if self.path is None:
            given = self.given or ""
            return (given[at : at + _PIECE] for at in range(0, len(given), _PIECE))
        if self.is_archive:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, _PACKED, "file")
        return codecs.iterdecode(self._bytes(_PIECE), self.encoding)

    def lines(self) -> Iterator[str]:
        """The same line by line."""
        held = ""
        for piece in self.pieces():
            *whole, held = (held + piece).split("\n")
            yield from whole
            if len(held) > MOST_BYTES:
                raise too_large(f"has a line of more than {MOST_BYTES // 1_000_000} MB")
        yield held

    @cached_property
    def stands_in_lines(self) -> bool:
        """Whether it has several lines, of which the first may be an object of its own, as JSON Lines do."""
        lines = (line for line in self.lines() if line.strip("\ufeff \t\r"))
        try:
            first, more = next(lines, "").strip("\ufeff \t\r"), next(lines, None)
        except CommonplaceError:
            return False  # its one line is longer than an entry may be
        return more is not None and first.startswith("{") and first.endswith("}")

    @cached_property
    def json(self) -> Any:
        """All the JSON of a file of up to 50 MB."""
        return read_json(self.text)

    def _bytes(self, size: int) -> Iterator[bytes]:
        assert self.path is not None
        with _told(), self.path.open("rb") as file:
            yield from iter(partial(file.read, size), b"")

    def texts(self, *suffixes: str) -> Iterator[Text | RefusedEntry | Unread]:
        """The texts of a folder by their paths, hidden ones left out, or the one file; what can't be read is refused, and
        files with other endings are counted."""
        if not self.is_folder:
            yield Text(self.path.name if self.path else "stdin", self.text, self.changed)
            return
        others = list[Unread]()
        for name, path in self.files(*suffixes, others=others):
            try:
                yield Text(name, Source(path).text, _changed(path))
            except CommonplaceError as error:
                yield refused(name, error)
        yield from others

    def files(self, *suffixes: str, others: list[Unread] | None = None) -> Iterator[tuple[str, Path]]:
        """The files of a folder with such endings, or all, by their paths in it; `others` gets the rest, as do links.

        `PAYLOAD_TOO_LARGE` beyond 10,000.
        """
        assert self.path is not None
        with _told():
            found = sorted(path for path in self.path.rglob("*") if path.is_symlink() or not path.is_dir())
        shown = list[tuple[str, Path]]()
        for path in found:
            name = path.relative_to(self.path).as_posix()
            wanted = path.is_file() and (not suffixes or path.suffix.lower() in suffixes)
            hidden = name.startswith(".") or "/." in name
            why = LINK if path.is_symlink() else HIDDEN_FILE if hidden else None if wanted else OTHER_FILE
            if why is None:
                shown.append((name, path))
            elif others is not None:
                others.append(Unread(name, why, name))
        if len(shown) > _MOST_FILES:
            raise too_large(f"is a folder of more than {_MOST_FILES:,} files")
        yield from shown


def read_file(path: Path, field: str = "file", most: int = MOST_BYTES) -> bytes:
    """All of a file that a user names, or what comes out of a pipe. `field`: the argument that named it.

    Raises `PAYLOAD_TOO_LARGE` beyond `most` bytes, and `INVALID_ARGUMENT` for a folder, a device or a socket, which may have
    no end, and for what the system refuses.
    """
    if _kind_of(path, field) == stat.S_IFDIR:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{field}: is a folder; name a file", field)
    with _told(field), path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise too_large(f"is larger than {most // 1_000_000} MB", field)
    return data


def _kind_of(path: Path, field: str) -> int:
    """Whether a path is a file, a folder or a pipe, by `stat`. Raises for all else before it is opened."""
    with _told(field):
        kind = stat.S_IFMT(path.stat().st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFIFO):
        why = f"{field}: is a device or a socket, which is not read; name a file, or give the text on standard input"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, field)
    return kind


def decoded(data: bytes) -> str:
    """A text in the encoding that it has; `INVALID_ARGUMENT` for what is no text."""
    encoding = _ENCODINGS.get(data[:2], "utf-8-sig")
    for tried in (encoding, "cp1252"):
        try:
            text = data.decode(tried)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text.replace("\r\n", "\n")
    raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "file: is no text", "file")


def _changed(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


@contextmanager
def _told(field: str = "file") -> Iterator[None]:
    """What the system refuses is told as the file's."""
    try:
        yield
    except OSError as error:
        why = error.strerror
        if isinstance(error, FileNotFoundError) and error.filename:
            why = f"there is no {error.filename}; name a file or a folder that is there"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{field}: {why}", field) from error

"""A file or a folder to be imported: its texts in whatever encoding they have, its JSON, its times."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import RefusedEntry, Unread
from commonplace.domain.strict_json import read_json
from commonplace.domain.transfer import MOST_BYTES
from commonplace.use_cases.import_facts import refused
from commonplace.use_cases.record_files import object_lines, stands_line_by_line, too_large

_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_SQLITE = b"SQLite format 3\0"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PACKED = "file: is a ZIP, of which only the conversations of ChatGPT and Claude are read; unpack it"
_HEAD = 65_536
_MOST_FILES = 10_000
OTHER_FILE = "a file of another kind"


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

    @property
    def is_folder(self) -> bool:
        return self.path is not None and self.path.is_dir()

    @property
    def suffix(self) -> str:
        return self.path.suffix.lower() if self.path is not None else ""

    @cached_property
    def head(self) -> bytes:
        """How a file begins: 64 KB of it."""
        if self.path is None:
            return (self.given or "")[:_HEAD].encode(errors="replace")
        with _told(), self.path.open("rb") as file:
            return file.read(_HEAD)

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
        with _told():
            if self.path.stat().st_size > MOST_BYTES:
                raise too_large(f"is larger than {MOST_BYTES // 1_000_000} MB")
            return decoded(self.path.read_bytes())

    @cached_property
    def json(self) -> Any:
        """The JSON of a file; of one with an object on each line, these, or why a line is none."""
        if "\n" in self.text.strip() and stands_line_by_line(self.text):
            return [found for _, found in object_lines(self.text)]
        return read_json(self.text)

    @property
    def lines(self) -> list[str]:
        """The lines of a file with an object on each, without blank ones."""
        return [line for line in self.text.split("\n") if line.strip()] if stands_line_by_line(self.text) else []

    def texts(self, *suffixes: str) -> Iterator[Text | RefusedEntry | Unread]:
        """The texts of a folder by their paths, hidden ones left out, or the one file; what can't be read is refused, and
        files with other endings are counted."""
        if not self.is_folder:
            yield Text(self.path.name if self.path else "stdin", self.text, _changed(self.path) if self.path else None)
            return
        others = list[str]()
        for name, path in self.files(*suffixes, others=others):
            try:
                yield Text(name, Source(path).text, _changed(path))
            except CommonplaceError as error:
                yield refused(name, error)
        yield from (Unread(name, OTHER_FILE, name) for name in others)

    def files(self, *suffixes: str, others: list[str] | None = None) -> Iterator[tuple[str, Path]]:
        """The files of a folder with such endings, or all, by their paths in it; `others` gets the names of the rest.

        `PAYLOAD_TOO_LARGE` beyond 10,000.
        """
        assert self.path is not None
        with _told():
            found = sorted(path for path in self.path.rglob("*") if path.is_file() and not path.is_symlink())
        named = [(path.relative_to(self.path), path) for path in found]
        seen = [(name.as_posix(), path) for name, path in named if not any(part.startswith(".") for part in name.parts)]
        shown = [(name, path) for name, path in seen if not suffixes or path.suffix.lower() in suffixes]
        if others is not None:
            others += [name for name, _ in set(seen) - set(shown)]
        if len(shown) > _MOST_FILES:
            raise too_large(f"is a folder of more than {_MOST_FILES:,} files")
        yield from shown


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
def _told() -> Iterator[None]:
    """What the system refuses is told as the file's."""
    try:
        yield
    except OSError as error:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"file: {error.strerror}", "file") from error

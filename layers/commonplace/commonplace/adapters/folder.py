"""Stores pages as files in a folder."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.folders import make_private


class FolderPages:
    """Stores each page as a file in a folder. The first write creates the folder. Links that lead out of it are refused."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser()

    def names(self) -> list[str]:
        paths = [*self._folder.glob("*.md"), *self._folder.glob("*/*.md")]
        return sorted(path.relative_to(self._folder).as_posix() for path in paths if path.is_file())

    def read(self, name: str) -> str | None:
        path = self._resolve_inside(name)
        try:
            return path.read_bytes().decode() if path.is_file() else None
        except UnicodeDecodeError as error:
            raise invalid("dir", f"holds {name}, which is no text in UTF-8") from error
        except OSError as error:
            raise _build_file_error(error, name) from error

    def write(self, name: str, text: str) -> None:
        path = self._resolve_inside(name)
        try:
            make_private(path.parent)
            _replace_file(path, text.encode())
        except OSError as error:
            raise _build_file_error(error, name) from error

    def delete(self, name: str) -> None:
        try:
            self._resolve_inside(name).unlink(missing_ok=True)
        except OSError as error:
            raise _build_file_error(error, name) from error

    def drop_versions(self) -> None:
        """Do nothing, because a folder keeps no old versions."""

    def _resolve_inside(self, name: str) -> Path:
        """Return the real path of a page. Raises `INVALID_ARGUMENT` if it leads out of the folder."""
        folder = self._folder.resolve()
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            raise invalid("dir", f"must not hold links that lead out of it, as {name} does")
        return path


def _replace_file(path: Path, body: bytes) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
            file.close()  # Windows can't replace an open file
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _build_file_error(error: OSError, name: str) -> CommonplaceError:
    return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"{name} can't be used: {error.strerror}", "dir")

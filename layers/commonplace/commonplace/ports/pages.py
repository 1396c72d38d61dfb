"""The port of one user's Markdown pages."""

from typing import Protocol


class Pages(Protocol):
    """One user's Markdown pages, kept by name: `MEMORY.md`, `memory/2026-05-20.md`.

    A page is written whole or not at all. Raises `STORAGE_UNAVAILABLE` when they can't be reached.
    """

    def names(self) -> list[str]:
        """The names of all that end in `.md`, there or one folder further in."""

    def read(self, name: str) -> str | None:
        """The text of one, None if it isn't there; `INVALID_ARGUMENT` if it is no text."""

    def write(self, name: str, text: str) -> None:
        """Puts it there, in place of what was."""

    def delete(self, name: str) -> None:
        """Takes it away, if it is there."""

    def drop_versions(self) -> None:
        """Deletes old versions of pages, where the storage keeps them: they may hold erased texts."""

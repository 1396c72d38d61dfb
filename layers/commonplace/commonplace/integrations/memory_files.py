"""Read and change documents as a tree of files and folders under `/memories`."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from commonplace.client.documents import Documents
from commonplace.domain.documents import Document, DocumentHead
from commonplace.domain.errors import CommonplaceError

ROOT = "memories"
_FOLDER = "."
"""The key of a document that represents an empty folder. No file can have this name."""
_MOST_DECODED = 5
_FOLDER_BYTES, _DEEPEST = 4_096, 2
Place = tuple[str, ...]
"""A path below the root, as a tuple of names. The empty tuple is the root itself."""


class PathError(ValueError):
    """Raised for a path that is not under `/memories`. The message explains the error to the model."""


def place_of(path: str) -> Place:
    """Return a path as a tuple with `.` and `..` resolved. Raises `PathError` if `..` is encoded or leads beyond the root."""
    if path != f"/{ROOT}" and not path.startswith(f"/{ROOT}/"):
        raise PathError(f"Path must start with /memories, got: {path}")
    names: list[str] = []
    for name in path.split("/"):
        if _is_climbing(name) or (name == ".." and not names):
            raise PathError(f"Path {path} would escape /memories directory")
        if name == "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    if names[:1] != [ROOT]:
        raise PathError(f"Path {path} would escape /memories directory")
    return tuple(names[1:])


def _is_climbing(name: str) -> bool:
    """Return whether a name like `%2e%2e` or `..%2f` would mean the parent folder once another program decodes it."""
    decoded = name
    for _ in range(_MOST_DECODED):
        decoded = unquote(decoded)
    return name != ".." and ".." in decoded.replace("\\", "/").split("/")


@dataclass(frozen=True)
class MemoryFiles:
    """The files and folders under `/memories` at the time of reading."""

    documents: Documents
    files: dict[Place, DocumentHead]
    folders: frozenset[Place]

    @classmethod
    def read(cls, documents: Documents) -> "MemoryFiles":
        """Read the existing files and folders."""
        heads = documents.listed((ROOT,))
        files = {(*head.namespace[1:], head.key): head for head in heads if head.key != _FOLDER}
        inside = {head.namespace[1 : end + 1] for head in heads for end in range(len(head.namespace))}
        return cls(documents, files, frozenset({(), *inside}))

    def exists(self, place: Place) -> bool:
        """Return whether a file or folder exists."""
        return place in self.files or place in self.folders

    def open(self, place: Place) -> Document:
        """Return a file with its text."""
        return self.documents.read((ROOT, *place[:-1]), place[-1])

    def write(self, place: Place, text: str) -> Document:
        """Write a file. Raises `CONFLICT` if the file was written since the tree was read."""
        version = self.files[place].version if place in self.files else 0
        return self.documents.write((ROOT, *place[:-1]), place[-1], text, version=version)

    def above(self, place: Place) -> Place | None:
        """Return the file that has the path of a parent folder of `place`, or None."""
        return next((place[:end] for end in range(1, len(place)) if place[:end] in self.files), None)

    def below(self, folder: Place) -> Iterator[Place]:
        """Return the direct children of a folder, sorted by name."""
        return iter(sorted(path for path in {*self.files, *self.folders} if path and path[:-1] == folder))

    def lines(self, folder: Place, path: str, depth: int = 0) -> list[str]:
        """List a folder and its contents with sizes, two levels deep. Names that begin with a dot are omitted."""
        lines = [f"{size_of(_FOLDER_BYTES)}\t{path}{'/' if depth else ''}"]
        for place in self.below(folder) if depth < _DEEPEST else ():
            inner = f"{path}/{place[-1]}"
            if place[-1].startswith("."):
                continue
            file = self.files.get(place)
            lines += [f"{size_of(file.size)}\t{inner}"] if file else self.lines(place, inner, depth + 1)
        return lines

    def delete(self, place: Place) -> None:
        """Delete a file, or a folder with its contents. The parent folder stays."""
        self._preserve_folder(place)
        heads = [self.files[place]] if place in self.files else self.documents.listed((ROOT, *place))
        for head in heads:
            self.documents.delete(head.namespace, head.key)

    def move(self, old: Place, new: Place) -> None:
        """Move a file, or a folder with its contents. If one file can't be moved, all files stay where they were.

        Raises `CONFLICT` if a file changes during the move. If the process dies halfway, each file still exists under its old
        path, its new path or both.
        """
        heads = [self.files[old]] if old in self.files else self.documents.listed((ROOT, *old))
        copied, copies, gone = list[DocumentHead](), list[DocumentHead](), list[DocumentHead]()
        try:
            for head in heads:
                document = self.documents.read(head.namespace, head.key)
                place = (*new, *(*head.namespace[1:], head.key)[len(old) :])
                copy = self.documents.write(
                    (ROOT, *place[:-1]), place[-1], document.body, version=0, form=document.form, fields=document.fields
                )
                copied.append(document.head)
                copies.append(copy.head)
            for old_head in copied:
                self.documents.delete(old_head.namespace, old_head.key, version=old_head.version)
                gone.append(old_head)
        except CommonplaceError:
            for old_head in gone:
                self.documents.undo(old_head.namespace, old_head.key)
            for old_head in copies:
                self.documents.delete(old_head.namespace, old_head.key, version=old_head.version)
            raise
        if new[: len(old) - 1] != old[:-1]:
            self._preserve_folder(old)

    def _preserve_folder(self, place: Place) -> None:
        """Keep the parent folder as an empty folder if `place` is the last item in it."""
        folder, own = place[:-1], len(place)
        siblings = [path for path in {*self.files, *self.folders} if path[: len(folder)] == folder and path[:own] != place]
        if folder and not any(len(path) > len(folder) for path in siblings):
            paths = {(*head.namespace[1:], head.key) for head in self.documents.listed((ROOT, *folder))}
            if (*folder, _FOLDER) not in paths:
                self.documents.write((ROOT, *folder), _FOLDER, "", version=0)


def size_of(count: int) -> str:
    """Return a readable number of bytes, such as "1.5K", in the format of the SDK's own tool."""
    power = min(max(count.bit_length() - 1, 0) // 10, 3)
    rounded = count / 1024**power
    return f"{rounded:.0f}{'BKMG'[power]}" if rounded == int(rounded) else f"{rounded:.1f}{'BKMG'[power]}"

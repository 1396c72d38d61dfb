"""Create folders that only their owner can enter."""

from pathlib import Path

OWNER_ONLY = 0o700


def make_private(folder: Path) -> None:
    """Create a folder, with any missing parents, that only the owner can enter. Existing folders keep their mode."""
    for path in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        path.mkdir(OWNER_ONLY, exist_ok=True)

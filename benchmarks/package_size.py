"""The size of the package: files and lines of Python in each room, counted."""

import argparse
from pathlib import Path

import commonplace
from benchmarks.report import Cell, Table, main

PACKAGE = Path(commonplace.__file__).parent
MOST_FILES, MOST_LINES = 580, 200


def sizes() -> dict[str, list[int]]:
    """Of each room the lines of its files; what stands at the root is a room of its own."""
    found: dict[str, list[int]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0]
        found.setdefault(room.removesuffix(".py"), []).append(len(path.read_text("utf-8").splitlines()))
    return found


def measure(_: argparse.Namespace) -> list[Table]:
    """A row per room, the largest first, and one for the whole."""
    rooms = sorted(sizes().items(), key=lambda room: -sum(room[1]))
    rows: list[tuple[Cell, ...]] = [_row(name, lines) for name, lines in rooms]
    rows.append(_row("all", [line for _, lines in rooms for line in lines]))
    target = f"at most {MOST_FILES} files, none over {MOST_LINES} lines (`tests/unit/test_architecture.py` checks this)"
    return [Table("Python files of the package", ("part", "files", "lines", "longest file"), rows, target)]


def _row(name: str, lines: list[int]) -> tuple[Cell, ...]:
    return name, len(lines), sum(lines), max(lines)


if __name__ == "__main__":
    main("package_size", "The package: files and lines", measure, False)

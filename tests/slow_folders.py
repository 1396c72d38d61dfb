"""Folders of which `make test` runs a sample: the whole of each is a slow check, run when its inputs change."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SLOW = ("conformance", "faults", "fuzz")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test of these folders as `slow`, except the samples."""
    folders = [TESTS / folder for folder in SLOW]
    slow = {path for path in {item.path for item in items} if any(path.is_relative_to(folder) for folder in folders)}
    for item in items:
        if item.path in slow and item.get_closest_marker("sample") is None:
            item.add_marker("slow")

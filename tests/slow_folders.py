"""Folders of which `make test` runs a sample: the whole of each is a slow check, run when its inputs change."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SLOW = ("conformance", "faults", "fuzz")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test of these folders as `slow`, except the samples."""
    for item in items:
        is_slow = any(item.path.is_relative_to(TESTS / folder) for folder in SLOW)
        if is_slow and item.get_closest_marker("sample") is None:
            item.add_marker("slow")

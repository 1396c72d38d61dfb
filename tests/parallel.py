"""How tests are shared out to workers (`pytest -n auto --dist loadgroup`): a real server runs once, in one worker.

The tests of each server are one group; the others go out file by file, so that a file's fixtures are made once.
"""

import pytest
from xdist.scheduler import LoadGroupScheduling

SERVERS = ("opensearch", "dynamodb")
"""Markers, and groups: who needs both belongs to the one that takes more to start."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks whatever uses a server's fixtures; tests that ask for them by name while they run are marked where they stand."""
    for item in items:
        used: list[str] = getattr(item, "fixturenames", [])
        for server in SERVERS:
            if f"{server}_url" in used and item.get_closest_marker(server) is None:
                item.add_marker(server)
        group = next((server for server in SERVERS if item.get_closest_marker(server)), None)
        if group:
            item.add_marker(pytest.mark.xdist_group(group))


class ByServerAndFile(LoadGroupScheduling):  # type: ignore[misc] # xdist tells no types
    """A group goes to one worker, and so does what is left of a file."""

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if scope == nodeid else scope


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadGroupScheduling | None:
    """Under `--dist loadgroup`, the one above."""
    return ByServerAndFile(config, log) if config.getvalue("dist") == "loadgroup" else None

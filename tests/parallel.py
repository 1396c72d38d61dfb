"""How tests are shared out to workers (`pytest -n auto`): a real server runs once, in the worker that has all its tests.

The other tests go out file by file, so that a file's fixtures are made once. Only workers know which test uses what: they
leave it in a file that the scheduler reads. xdist's own groups would do, but are lost with pytest 9.2, without a word.
"""

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

SERVERS = ("opensearch", "dynamodb", "browser")
"""Markers, and scopes: who needs two belongs to the one that takes more to start."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks whatever uses a server's fixtures; tests that ask for them by name while they run are marked where they stand."""
    for item in items:
        used: list[str] = getattr(item, "fixturenames", [])
        for server in SERVERS:
            if f"{server}_url" in used and item.get_closest_marker(server) is None:
                item.add_marker(server)
    if told := getattr(config, "workerinput", {}).get("servers"):
        by_test = {item.nodeid: server for item in items for server in reversed(SERVERS) if item.get_closest_marker(server)}
        Path(told).write_text(json.dumps(by_test), "utf-8")


class ByServerAndFile(LoadScopeScheduling):  # type: ignore[misc] # xdist tells no types
    """A server's tests go to one worker, and so does what is left of a file; in the order of their collection."""

    def _split_scope(self, nodeid: str) -> str:
        return self._servers.get(nodeid) or nodeid.partition("::")[0]

    @cached_property
    def _servers(self) -> dict[str, str]:
        """Asked for once every worker has collected: each has left the same."""
        told: dict[str, str] = json.loads(_told(self.config).read_text("utf-8"))
        return told


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a worker where to leave which tests use a server."""
    node.workerinput["servers"] = str(_told(node.config))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    """The one above, whichever `--dist` says."""
    config.option.loadscopereorder = False
    return ByServerAndFile(config, log)


def _told(config: pytest.Config) -> Path:
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    return factory.getbasetemp() / "servers.json"

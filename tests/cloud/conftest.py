"""These tests speak to servers of their own on the loopback, and to nobody else."""

from collections.abc import Iterator

import pytest
from pytest_socket import _remove_restrictions, socket_allow_hosts


@pytest.fixture(autouse=True)
def _loopback_only() -> Iterator[None]:
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"])
    yield
    _remove_restrictions()

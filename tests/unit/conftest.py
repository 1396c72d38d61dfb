"""Unit tests speak to nobody."""

import pytest
from pytest_socket import disable_socket, enable_socket


@pytest.fixture(autouse=True)
def _no_sockets() -> object:
    disable_socket(allow_unix_socket=True)  # by a pair of those an event loop wakes itself
    yield
    enable_socket()

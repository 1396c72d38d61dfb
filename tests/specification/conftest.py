"""The specification's examples speak to nobody."""

from tests.unit.conftest import _no_sockets

__all__ = ["_no_sockets"]

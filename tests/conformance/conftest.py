"""What others wrote to test servers of the protocol with, installed at the first use."""

from pathlib import Path

import pytest

from cloud.fetch import CannotRun
from tests.conformance import packages
from tests.real_servers import left_out


@pytest.fixture(scope="session")
def npm() -> Path:
    """The folder of the npm packages; where they can't be had the test is left out, or fails where it must run."""
    try:
        return packages.packages()
    except CannotRun as error:
        left_out("Node", str(error))

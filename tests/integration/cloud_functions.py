"""The functions as Lambda would run them, over the ports of a SQLite file."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

from commonplace.bootstrap import local as bootstrap_local
from commonplace.interfaces.aws import container
from commonplace.ports.bundle import Ports
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.integration.lambda_calls import GATEWAY


@pytest.fixture
def ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ports]:
    """What every function's container holds, at noon of the test's day."""
    local = bootstrap_local.open_local(Settings(db=tmp_path / "cloud.db"))
    monkeypatch.setattr(container, "ports", lambda: local.ports)
    monkeypatch.setattr(container, "models", lambda: local.ports)
    monkeypatch.setattr(container, "night", local.night)
    monkeypatch.setattr(container, "settings", lambda: Settings(agentcore_gateways=GATEWAY))
    monkeypatch.setattr(container, "now", at_noon)
    yield local.ports
    local.close()


def at_noon(zone: tzinfo) -> datetime:
    return NOON.astimezone(zone)


@contextmanager
def over_table(table: str, url: str, now: datetime) -> Iterator[None]:
    """Every function's container as AWS opens it, by its environment alone, over a table; its clock stands still."""
    opened = (container.settings, container.store, container.night)
    given = {"AWS_ENDPOINT_URL_DYNAMODB": url, "AWS_REGION": "eu-central-1", "COMMONPLACE_TABLE": table}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        patch.setattr(container, "now", now.astimezone)
        for one in opened:
            one.cache_clear()
        yield
    for one in opened:
        one.cache_clear()

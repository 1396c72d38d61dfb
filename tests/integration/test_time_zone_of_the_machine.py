"""The variable TZ as machines and containers set it: an IANA name, a POSIX form, or nonsense, which ends no command."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from commonplace.bootstrap.local import machine_zone
from tests.integration.command_line import run_process

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("name", "winter", "summer"),
    [
        ("MEZ-1", 1.0, 1.0),
        ("CET-1CEST", 1.0, 2.0),
        ("CET-1CEST,M3.5.0,M10.5.0/3", 1.0, 2.0),
        ("EST5EDT4,M3.2.0,M11.1.0", -5.0, -4.0),
        ("<+0330>-3:30", 3.5, 3.5),
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", 13.0, 12.0),
    ],
)
def test_a_posix_form_is_read(name: str, winter: float, summer: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tzlocal.get_localzone", unknown)
    machine_zone.cache_clear()
    zone = machine_zone(name)
    offsets = [datetime(2026, month, 15, tzinfo=zone).utcoffset() for month in (1, 7)]
    assert offsets == [timedelta(hours=winter), timedelta(hours=summer)]


@pytest.mark.parametrize("name", ["Nowhere/Land", "europe/berlin", "é1", "CET-1CEST,M99.5.0", "x" * 10_000])
def test_anything_else_is_utc_and_warns_once(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tzlocal.get_localzone", unknown)
    machine_zone.cache_clear()
    for _ in range(2):
        assert datetime(2026, 7, 15, tzinfo=machine_zone(name)).utcoffset() == timedelta(0)
    (warned,) = caplog.messages
    assert warned.startswith(f"TZ={name[:64]} names no time zone")


@pytest.mark.parametrize(("name", "warns"), [("Nowhere/Land", True), ("CET-1CEST", False), ("Europe/Berlin", False)])
def test_no_command_ends_with_it(tmp_path: Path, name: str, warns: bool) -> None:
    stored = run_process("store", "I keep bees.", home=tmp_path, environment={"TZ": name})
    assert stored.code == 0
    assert ("names no time zone" in stored.err) == warns
    assert run_process("list", "--json", home=tmp_path, environment={"TZ": name}).code == 0


def unknown() -> None:
    """What tzlocal says of a name that it does not know."""
    raise ValueError

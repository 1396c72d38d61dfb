"""What every test may ask for: a clock that stands still, and an engine over a fresh file."""

import functools
import gc
import signal
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, settings

from commonplace import Commonplace, CommonplaceError
from commonplace.adapters import sentence_encoder
from commonplace.bootstrap import local as bootstrap_local
from commonplace.settings import Settings
from tests.examples import count
from tests.word_vectors import WordVectors

pytest_plugins = [
    "tests.folders_in_memory",
    "tests.parallel",
    "tests.slow_folders",
    "tests.real_servers",
    "tests.dynamodb_tables",
    "tests.opensearch_indices",
    "tests.s3_buckets",
]

gc.disable()  # while tests are collected: what that makes stays until the end


def pytest_collection_finish() -> None:
    """Tests run with garbage collection as programs do."""
    gc.enable()


# Hypothesis's limits are of wall time, which tells nothing where workers share a machine; tests of time have their own.
_PROFILE = settings.get_profile(settings.get_current_profile_name())  # of CI, where that is set
settings.register_profile(
    "shared", _PROFILE, deadline=None, max_examples=count(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("shared")

# Tests say the same sentences again and again: each process embeds a text only once.
sentence_encoder._encode_text = functools.lru_cache(maxsize=8_192)(sentence_encoder._encode_text.__wrapped__)

# A shell starts what runs in the background deaf to SIGINT, and so would be each program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

NOON = datetime(2026, 5, 20, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # a Wednesday


@pytest.fixture
def memory_file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the encoders, for tests that store many memories and search none by meaning."""
    monkeypatch.setattr(bootstrap_local, "build_embedder", WordVectors)


@pytest.fixture
def open_memory(memory_file: Path) -> Iterator[Callable[..., Commonplace]]:
    """Opens the same file as often as asked, each time as a user of its own choice, by rules."""
    opened: list[Commonplace] = []

    def opener(user_id: str = "ana", now: Callable[[], datetime] = lambda: NOON, **more: Any) -> Commonplace:
        settings = Settings(db=memory_file)
        memory = Commonplace(memory_file, user_id=user_id, now=now, settings=settings, **more)
        opened.append(memory)
        return memory

    yield opener
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Commonplace]) -> Commonplace:
    return open_memory()


def refusal(call: Callable[[], object]) -> CommonplaceError:
    """The error that the call raises."""
    with pytest.raises(CommonplaceError) as caught:
        call()
    return caught.value


def found(memory: Commonplace, query: str) -> list[str]:
    """What a search finds, best first."""
    return [hit.content for hit in memory.search_memory(query).results]

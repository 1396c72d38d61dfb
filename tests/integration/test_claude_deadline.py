"""A function never waits for Claude until Lambda ends it: whatever the setting, two seconds are left to answer in."""

import time
from collections.abc import Callable, Iterator

import anthropic
import pytest

from commonplace.bootstrap.cloud import open_cloud, open_models
from commonplace.interfaces.aws import container
from commonplace.ports.bundle import Ports
from commonplace.ports.values import ModelUnavailable
from commonplace.settings import Settings
from tests.integration.scripted_messages_api import Hangs, ScriptedMessagesApi

pytestmark = pytest.mark.integration

LEFT = 5.0  # seconds, of which one is for the answer
assert anthropic.__version__  # imported now: the first import takes longer than that


@pytest.fixture
def settings() -> Iterator[Settings]:
    with ScriptedMessagesApi([Hangs(), Hangs()]) as api:
        yield Settings(anthropic_api_key="sk-ant-api03-scripted", anthropic_base_url=api.base_url, table="memories")


def seconds(ask: Callable[[], object]) -> float:
    container.begin(round(LEFT * 1000))
    start = time.monotonic()
    with pytest.raises(ModelUnavailable):
        ask()
    return time.monotonic() - start


def test_a_statement_is_read_in_the_time_that_is_left(settings: Settings) -> None:
    reader = open_models(settings, container.left).reader
    assert reader is not None
    assert 0.5 < seconds(lambda: reader.read("I am a nurse.", "user", None)) < LEFT - 1


def test_a_day_is_read_and_memories_are_summed_up_in_the_time_that_is_left(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    opened = open_cloud(settings, container.remaining, container.left)
    ports: Ports = opened.ports
    for model in (opened.night().model, ports.summarizer):
        assert model is not None
        talk = [{"role": "user", "content": "I am a nurse."}]
        assert 0.5 < seconds(lambda: model.reply("Sum up.", talk, seconds=20)) < LEFT - 1  # noqa: B023 - at once


def test_where_no_time_is_left_nobody_is_asked(settings: Settings) -> None:
    reader = open_models(settings, lambda: 1.0).reader
    assert reader is not None
    assert seconds(lambda: reader.read("I am a nurse.", "user", None)) < LEFT

"""Whose memories a caller sees: those of the user for all agents, and those of one agent."""

from datetime import UTC, datetime

import pytest

from commonplace.ports.values import Caller
from commonplace.retrieval.record_scan import visibility_of

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("own", "named", "agents"),
    [
        ("global", None, ("global",)),
        ("scout", None, ("global", "scout")),
        ("scout", "coach", ("coach", "global")),
        ("global", "coach", ("coach", "global")),
        ("scout", "global", ("global",)),
    ],
)
def test_a_caller_sees_global_memories_and_those_of_its_agent(own: str, named: str | None, agents: tuple[str, ...]) -> None:
    assert visibility_of(Caller("ana", NOW, own), named).agents == agents

"""Taking back on the real DynamoDB what is more than one of its transactions holds."""

import json
from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest

from commonplace.extraction.candidate import Decision, MemoryView
from commonplace.extraction.days import Day
from commonplace.interfaces.aws import container
from commonplace.interfaces.aws.nightly_functions import nights_of
from tests.integration.lambda_calls import ISSUER, Context, handler, http, token
from tests.integration.test_nights import asked, queue, recorded
from tests.scripted_nights import Script, heard, open_gates

pytestmark = pytest.mark.integration
__all__ = ["queue"]

ANA = f"{ISSUER}|ana"


def weight() -> Any:
    return container.ports().operations.holder(ANA, "default", "weight", container.now(UTC))


def the_next(day: Day, _: MemoryView) -> list[Decision]:
    (said,) = day.utterances
    return [Decision(heard(day, said.text), "UPDATE", (weight().memory_id,), why="changed")]


def test_a_value_that_a_run_changed_day_after_day_is_what_it_was(queue: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_gates(monkeypatch)
    first = {"key": "weight", "value": "I weigh 60 kg.", "category": "personal_context", "durability": "durable"}
    assert handler("write")(http("/tools/write_memory", first, authorizer=token("ana")), Context())["statusCode"] == 200
    days = [
        {"type": "explicit", "id": f"d{day}", "time": f"2026-05-{day:02}T10:00:00Z", "text": f"I weigh {60 + day} kg."}
        for day in range(1, 26)
    ]  # fmt: skip
    recorded("ana", {"interactions": days})
    list(replace(nights_of(ANA, UTC), read=Script(the_next).read).nightly())
    assert weight().content == "I weigh 85 kg."
    told = json.loads(asked("POST", "/runs/last/undo")["body"])
    assert ({one["outcome"] for one in told["operations"]}, told["status"]) == ({"undone"}, "done")
    there = list(container.ports().records.all(ANA))
    assert [memory.content for memory in there if memory.status == "active"] == ["I weigh 60 kg."]
    assert {memory.status for memory in there} == {"active", "deleted"}

"""Two functions whose clocks are two minutes apart store the same texts at the same moment; a third one searches."""

import json
from datetime import timedelta
from typing import Any

import pytest

from cloud.invoking import Context
from commonplace.interfaces.aws import index_functions
from tests.faults.conftest import Open, Tell
from tests.faults.world import said_of
from tests.two_processes import at_once

pytestmark = pytest.mark.integration

STORE = """
import json, sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from commonplace.adapters.dynamodb.calls import Table, connect
from commonplace.adapters.dynamodb.records import DynamoRecords
from commonplace.bootstrap.cloud import open_cloud
from commonplace.ports.values import Caller
from commonplace.settings import Settings
from commonplace.use_cases.dispatch import answer

settings, users, texts, skew = json.loads(sys.argv[1])
settings = Settings.model_validate(settings)
clock = lambda: datetime.now(UTC) + timedelta(seconds=skew)
table = Table(connect(settings.region), settings.table, lambda: 30)
ports = replace(open_cloud(settings, lambda: 30).ports, records=DynamoRecords(table, clock=clock))
answer("search_memory", {"query": "ready?"}, Caller(users[0], clock()), ports)
print("ready", flush=True)
sys.stdin.readline()
print(json.dumps([
    (user, text, *answer("store_memory", {"content": text}, Caller(user, clock()), ports))
    for user in users for text in texts
]))
"""


def test_two_stores_of_the_same_text_by_clocks_a_minute_off(
    open_world: Open, dynamodb_url: str, monkeypatch: pytest.MonkeyPatch, tell: Tell
) -> None:
    world = open_world()
    users, texts = world.users(2), [said_of("both", number) for number in range(10)]
    given = {name: getattr(world.settings, name) for name in ("table", "search_endpoint", "index_alias", "region")}
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url}
    answers: list[list[Any]] = at_once(STORE, [[json.dumps([given, users, texts, skew])] for skew in (-60, 60)], keys)
    both = [one for answered in answers for one in answered]
    for user, text, status, body in both:
        assert status == 200, body
        world.answered(user, text, body["memory_id"])
    known = sum("notes" in body for *_, body in both)
    soon = world.balance()  # found though half of it was written a minute from now
    monkeypatch.setattr(index_functions, "_TOO_LONG", timedelta(seconds=-120))
    index_functions.reconcile({}, Context("reconcile"))
    told = world.balance()
    tell(f"{told}; stores {len(both)}, of which already there {known}")
    assert (soon.not_found, soon.of_others, soon.pending) == (0, 0, 20)
    assert (told.answered, known) == (20, 20)
    assert told.sound, told

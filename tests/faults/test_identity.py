"""Tokens that are not good, and good ones of others, through the front and the very handlers: nobody's memories leave."""

import http.client
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from cloud.authorizer import Authorizer
from cloud.front import Front
from cloud.template import Template
from cloud.tokens import AUDIENCE, ISSUER, Issuer
from commonplace.contract.registry import TOOLS
from tests.faults.conftest import Open, Tell
from tests.faults.world import World

pytestmark = pytest.mark.integration

OURS, THEIRS = Issuer.new(), Issuer.new("https://issuer.localhost/another")
FORGED = Issuer.new()  # says that it is ours, under the id of our key
ANA, SECRET = f"{ISSUER}|ana", "Ana keeps the spare key under the blue pot."
REFUSED = {
    "none": None,
    "empty": "",
    "no token": "ana",
    "expired": OURS.token("ana", seconds=-1),
    "of another issuer": THEIRS.token("ana"),
    "of another issuer by our name": FORGED.token("ana"),
    "our key, another issuer": OURS.token("ana", iss=THEIRS.name),
    "for another audience": OURS.token("ana", audience="another"),
    "altered": OURS.token("ana")[:-4] + "AAAA",
}


@pytest.fixture
def world(open_world: Open) -> World:
    return open_world()


@pytest.fixture
def front(world: World) -> Iterator[Front]:
    with Front(Template().routes, Authorizer(ISSUER, [AUDIENCE], OURS.keys), port=0) as front:
        yield front


def ask(front: Front, path: str, token: str | None, arguments: Any, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(front.url.removeprefix("http://"), timeout=60)
    given = {"Content-Type": "application/json"} | ({} if token is None else {"Authorization": f"Bearer {token}"})
    connection.request(
        "POST", path, json.dumps(arguments), given | {name.replace("_", "-"): headers[name] for name in headers}
    )
    answer = connection.getresponse()
    told = answer.status, answer.read().decode()
    connection.close()
    return told


def example(name: str) -> dict[str, Any]:
    if name == "import":
        return {"turns": [{"text": SECRET, "speaker": "Ana", "session_id": "1", "position": 0}]}
    return dict.fromkeys(("query", "content", "raw_text", "normalized", "text", "type"), "blue pot")


def test_nothing_gets_in_or_out_without_a_good_token_of_ones_own(world: World, front: Front, tell: Tell) -> None:
    status, _ = ask(front, "/tools/store_memory", OURS.token("ana"), {"content": SECRET})
    assert status == 200
    before = sorted(memory.memory_id for memory in world.records.all(ANA))
    routes = ["/import", *(tool.route for tool in TOOLS)]
    refused: Counter[int] = Counter()
    for token in REFUSED.values():
        for route in routes:
            status, body = ask(front, route, token, example(route.strip("/")))
            refused[status] += 1
            assert "spare key" not in body
    acting = ask(front, "/tools/search_memory", OURS.token("ben"), {"query": "spare key"}, X_Commonplace_User="ana")
    others = {
        name: ask(front, "/tools/search_memory", token, {"query": SECRET}, **headers)
        for name, token, headers in (
            ("another user", OURS.token("ben"), {}),
            ("a name that begins so", OURS.token("an"), {}),
            ("another case", OURS.token("Ana"), {}),
            ("a backend's user of that name", OURS.token("ben", "commonplace/act-as"), {"X_Commonplace_User": "ana"}),
        )
    }
    tell(
        f"refused {dict(refused)}, asked as others {len(others)}, hits of ana's {sum(SECRET in body for _, body in others.values())}"
    )
    assert refused == {401: len(REFUSED) * len(routes)}
    assert acting[0] == 403
    assert [(status, json.loads(body)["results"]) for status, body in others.values()] == [(200, [])] * len(others)
    assert sorted(memory.memory_id for memory in world.records.all(ANA)) == before
    assert SECRET in ask(front, "/tools/search_memory", OURS.token("ana"), {"query": "spare key"})[1]

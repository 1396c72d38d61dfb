"""What is special about an agent of Bedrock: strings for everything, and who is to mend what went wrong."""

import json
from dataclasses import replace
from typing import Any

import pytest

from commonplace.contract.registry import TOOLS, Tool
from commonplace.contract.sent import as_declared
from commonplace.contract.validate import check
from commonplace.domain import requests
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.aws import container
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.use_cases import dispatch
from tests.conftest import NOON
from tests.integration.cloud_functions import ports as ports
from tests.integration.lambda_calls import Context, agent, handler
from tests.word_vectors import WordVectors

pytestmark = pytest.mark.integration

STATEMENT = {"raw_text": "I drink tea.", "normalized": "The user drinks tea.", "type": "habit"}
ANA = {"X-Commonplace-User": "ana"}


def asked(**changes: Any) -> Any:
    """The answer of a search whose event was changed."""
    return handler("search")({**agent("search_memory", {"query": "tea"}), **changes}, Context())["response"][
        "functionResponse"
    ]


def given(**strings: str) -> list[dict[str, str]]:
    return [{"name": name, "type": "string", "value": value} for name, value in strings.items()]


def test_strings_become_what_the_request_takes() -> None:
    strings = {
        "query": "5", "limit": "5", "category": "true", "options": '{"min_relevance": 0.5, "include_expired": true}',
    }  # fmt: skip
    assert as_declared(requests.SearchRequest, strings) == {
        "query": "5", "limit": 5, "category": "true", "options": {"min_relevance": 0.5, "include_expired": True},
    }  # fmt: skip
    tags = {"tags": '["tea", "5"]', "type": "habit"}
    assert as_declared(requests.StorePersonalRequest, tags) == {"tags": ["tea", "5"], "type": "habit"}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_example_is_the_same_after_the_way_through_strings(tool: Tool) -> None:
    for example in tool.examples:
        strings = {name: value if isinstance(value, str) else json.dumps(value) for name, value in example.items()}
        assert as_declared(tool.request, strings) == example


@pytest.mark.parametrize("text", ["five", "5.5", "1e2", "0x5", "true", "[5]", "null"])
def test_what_is_no_number_stays_as_it_is_for_the_check_to_refuse(text: str) -> None:
    assert as_declared(requests.SearchRequest, {"limit": text}) == {"limit": text}


@pytest.mark.parametrize("text", ["[tea, milk]", "tea", "{tags=tea}", "", '["tea"', "[NaN]"])
def test_a_list_that_is_no_json_is_refused_by_name(text: str) -> None:
    with pytest.raises(CommonplaceError) as caught:
        check(requests.StorePersonalRequest, as_declared(requests.StorePersonalRequest, {**STATEMENT, "tags": text}))
    assert (caught.value.code, caught.value.field) == (ErrorCode.INVALID_ARGUMENT, "tags")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"parameters": given(query=" ")}, "empty_text"),
        ({"parameters": given(query="tea", limit="many")}, "invalid_argument"),
        ({"parameters": given(query="tea", options="{limit: 5}")}, "invalid_argument"),
        ({"parameters": given(query="tea", user="bo")}, "unknown_field"),
        ({"parameters": []}, "missing_field"),
        ({"parameters": given(query="tea") * 2}, "invalid_argument"),
        ({"function": "find_everything"}, "unknown_tool"),
    ],
    ids=str,
)
def test_the_model_is_asked_again_for_what_it_can_mend(changes: Any, code: str, ports: Ports) -> None:
    answer = asked(**changes)
    assert answer["responseState"] == "REPROMPT"
    assert json.loads(answer["responseBody"]["TEXT"]["body"])["error"]["code"] == code


@pytest.mark.parametrize(
    "attributes", [{}, {"X-Commonplace-User": ""}, {**ANA, "X-Commonplace-Timezone": "Mars/Olympus"}], ids=str
)
def test_what_the_application_must_mend_fails(attributes: Any, ports: Ports) -> None:
    assert asked(sessionAttributes=attributes)["responseState"] == "FAILURE"


def test_what_is_ours_to_mend_fails(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    def down() -> Ports:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the record store is busy; try again")

    monkeypatch.setattr(container, "ports", down)
    assert asked()["responseState"] == "FAILURE"


def test_what_works_has_no_state_and_keeps_the_session(ports: Ports) -> None:
    response = handler("search")(agent("search_memory", {"query": "tea"}), Context())
    assert "responseState" not in response["response"]["functionResponse"]
    assert response["sessionAttributes"] == ANA
    assert response["promptSessionAttributes"] == {"today": "Wednesday"}


def test_an_api_schema_has_a_status_and_no_state(ports: Ports) -> None:
    event = agent("search_memory", {"query": "tea", "limit": 0}, by_api=True)
    answer = handler("search")(event, Context())["response"]
    assert (answer["httpStatusCode"], answer["apiPath"]) == (400, "/tools/search_memory")
    assert "responseState" not in answer


def test_an_answer_that_an_agent_cannot_take_is_cut_and_says_so(stored_much: int) -> None:
    answer = asked(parameters=given(query="green hot tea", limit="100", options=json.dumps({"min_relevance": 0.0})))
    body = json.loads(answer["responseBody"]["TEXT"]["body"])
    assert len(answer["responseBody"]["TEXT"]["body"].encode()) <= 24_000
    assert 0 < len(body["results"]) < stored_much
    assert f"the last {stored_much - len(body['results'])} of `results`" in body["notes"]["partial"]


@pytest.fixture
def stored_much(ports: Ports) -> int:
    user, storing = Caller("bedrock|ana", NOON), replace(ports, embedder=WordVectors())  # the encoders read long texts slowly
    for number in range(12):
        text = f"The user drinks tea number {number}. " + "It is green and hot. " * 190
        dispatch.call("store_memory", {"content": text}, user, storing)
    return 12

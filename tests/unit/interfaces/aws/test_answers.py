"""What Lambda can't send: the clear error of an answer that is too large, by every way in."""

import json
from typing import Any

import pytest

from commonplace.interfaces.aws import agentcore, direct, http_api

LAMBDA_SENDS = 6_291_556  # bytes
ASKED = {"rawPath": "/tools/search_memory", "requestContext": {"http": {"method": "POST"}}}


@pytest.mark.parametrize("text", ["x" * 5_600_000, '"' * 1_900_000, "ß" * 2_800_000])
def test_what_is_too_large_is_a_413_that_says_so(text: str) -> None:
    response = http_api.respond(ASKED, 200, {"text": text})
    assert response["statusCode"] == 413
    error = json.loads(response["body"])["error"]
    assert (error["code"], error["retryable"]) == ("payload_too_large", False)
    for way in (agentcore, direct):
        assert way.respond({}, 200, {"text": text})["error"]["code"] == "payload_too_large"


@pytest.mark.parametrize("text", ["x" * 5_400_000, '"' * 1_300_000, "ß" * 2_700_000, "\ud800"])
def test_what_is_not_arrives_as_it_is(text: str) -> None:
    body: dict[str, Any] = {"text": text}
    response = http_api.respond(ASKED, 200, body)
    assert (response["statusCode"], json.loads(response["body"])) == (200, body)
    assert len(json.dumps(response, ensure_ascii=False).encode(errors="surrogatepass")) < LAMBDA_SENDS
    assert agentcore.respond({}, 200, body) == direct.respond({}, 200, body) == body

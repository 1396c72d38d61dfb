"""The SDK's own client before the front: tokens of the local issuer, the handlers of the template, functions that ask others."""

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import mcp
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from cloud.authorizer import Authorizer
from cloud.front import Front
from cloud.invoke_api import invoke_api
from cloud.listener import Listener, Request, Response
from cloud.template import Template
from cloud.tokens import AUDIENCE, Issuer
from commonplace.bootstrap.functions import open_functions
from commonplace.contract.registry import TOOLS
from commonplace.interfaces.aws import container
from commonplace.settings import Settings
from tests.integration.cloud_functions import ports as ports
from tests.integration.mcp_client import ERAS, Era, found, spoken_by, stored

MIA = "My daughter Mia is allergic to peanuts."
OURS = Issuer.new()
WELL_KNOWN = "/.well-known/oauth-protected-resource"


class Issuing:
    """A scripted issuer, as the pool is one: OpenID's metadata without the methods of PKCE, one known client, no secret."""

    CLIENT, CALLBACK = "the-client-of-the-stack", "http://localhost:8080/callback"

    def __init__(self) -> None:
        self.asked: dict[str, str] = {}
        self.listener = Listener(0, self._answer)
        self.url = f"http://127.0.0.1:{self.listener.server_port}/pool"
        self.issuer = Issuer(OURS.key, self.url)

    def _answer(self, request: Request) -> Response:
        given = dict(parse_qsl(request.body.decode()))
        if request.path == "/pool/.well-known/openid-configuration":
            return self._json(200, {
                "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token",
                "response_types_supported": ["code"], "scopes_supported": ["openid", "email"],
            })  # fmt: skip
        if request.path != "/pool/token":
            return self._json(404, {})
        proof = base64.urlsafe_b64encode(hashlib.sha256(given["code_verifier"].encode()).digest()).decode().rstrip("=")
        known = (given["client_id"], given["code"], given["redirect_uri"]) == (self.CLIENT, "the-code", self.CALLBACK)
        if not known or proof != self.asked["code_challenge"]:
            return self._json(400, {"error": "invalid_grant"})
        token = self.issuer.token("ana", "openid", audience=self.CLIENT)
        return self._json(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600})

    async def signed_in(self, url: str) -> None:
        """A person signs in by the page of this address."""
        self.asked = dict(parse_qsl(urlsplit(url).query))
        assert url.startswith(f"{self.url}/authorize?")

    async def came_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code="the-code", state=self.asked["state"])

    def _json(self, status: int, body: object) -> Response:
        return Response(status, {"Content-Type": "application/json"}, json.dumps(body).encode())


@pytest.fixture
def issuing() -> Iterator[Issuing]:
    made = Issuing()
    yield made
    made.listener.end()


class Kept:
    """What a client keeps: the client id that a person entered, and the tokens that it got."""

    tokens: OAuthToken | None = None

    def __init__(self) -> None:
        self.client = OAuthClientInformationFull(client_id=Issuing.CLIENT)

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.fixture
def front(ports: Any, issuing: Issuing, monkeypatch: pytest.MonkeyPatch) -> Iterator[Front]:
    template = Template()
    serving = {tool.function for tool in TOOLS}
    with invoke_api({name: template.functions[name].handler() for name in serving}) as url:
        for name, value in {"AWS_ENDPOINT_URL_LAMBDA": url, "AWS_ACCESS_KEY_ID": "t", "AWS_SECRET_ACCESS_KEY": "t"}.items():
            monkeypatch.setenv(name, value)
        settings = Settings(
            tool_functions=",".join(f"{name}={name}" for name in serving), issuer=issuing.url, mcp_scopes="openid"
        )
        monkeypatch.setattr(container, "settings", lambda: settings)
        functions = open_functions(settings)
        monkeypatch.setattr(container, "functions", lambda: functions)
        authorizer = Authorizer(issuing.url, [AUDIENCE, Issuing.CLIENT], issuing.issuer.keys)
        with Front(template.routes, authorizer, port=0) as running:
            yield running


@pytest.mark.parametrize("era", ERAS)
def test_a_client_with_a_token_stores_and_finds(front: Front, issuing: Issuing, era: Era) -> None:
    async def ana(client: mcp.Client) -> None:
        assert "store_memory" in {tool.name for tool in (await client.list_tools()).tools}
        memory_id = await stored(client, MIA)
        assert await found(client, "is anybody allergic?") == [MIA]
        assert MIA in (await client.read_resource(f"memory://{memory_id}")).contents[0].text  # type: ignore[union-attr]
        assert MIA in (await client.read_resource("memory://pages/MEMORY.md")).contents[0].text  # type: ignore[union-attr]
        assert len((await client.list_prompts()).prompts) == 2

    async def ben(client: mcp.Client) -> list[str]:
        return await found(client, "is anybody allergic?")

    spoken_by(issuing.issuer.token("ana"), f"{front.url}/mcp", ana, era)
    assert spoken_by(issuing.issuer.token("ben"), f"{front.url}/mcp", ben, era) == []


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_knows_its_id_alone_gets_a_token_by_itself(front: Front, issuing: Issuing, era: Era) -> None:
    async def talk(client: mcp.Client) -> list[str]:
        await stored(client, MIA)
        return await found(client, "is anybody allergic?")

    about = OAuthClientMetadata.model_validate(
        {"redirect_uris": [Issuing.CALLBACK], "token_endpoint_auth_method": "none", "client_name": "a client"}
    )
    kept = Kept()
    auth = OAuthClientProvider(f"{front.url}/mcp", about, kept, issuing.signed_in, issuing.came_back)
    assert spoken_by(auth, f"{front.url}/mcp", talk, era) == [MIA]
    asked = issuing.asked
    assert (asked["response_type"], asked["code_challenge_method"], asked["scope"]) == ("code", "S256", "openid")
    assert (asked["client_id"], asked["resource"]) == (Issuing.CLIENT, f"{front.url}/mcp")
    assert kept.tokens is not None


def test_who_has_no_token_is_sent_away_and_told_where_tokens_come_from(front: Front, issuing: Issuing) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    refused = httpx2.post(f"{front.url}/mcp", json=asked)
    assert refused.status_code == 401
    assert "resource_metadata" not in refused.headers["WWW-Authenticate"]  # the service can't be made to say it
    told = json.loads(httpx2.get(f"{front.url}{WELL_KNOWN}/mcp").content)
    assert (told["resource"], told["authorization_servers"]) == (f"{front.url}/mcp", [issuing.url])
    assert httpx2.get(f"{front.url}/.well-known/openid-configuration").status_code == 404

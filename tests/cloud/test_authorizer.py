"""Tokens, checked as API Gateway's JWT authorizer does: only what our issuer signed, for us, and for now."""

import base64
import hmac
import json
import time
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from cloud.authorizer import Authorizer, Refused
from cloud.tokens import AUDIENCE, ISSUER, Issuer

OURS = Issuer.new()
AUTHORIZER = Authorizer(ISSUER, [AUDIENCE], OURS.keys)


GOOD = {"iss": ISSUER, "sub": "ana", "aud": AUDIENCE, "exp": 4_000_000_000}


def written(head: object, body: object) -> str:
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in (head, body))
    return ".".join(parts)


def without_signature() -> str:
    return written({"alg": "none", "kid": OURS.key_id}, GOOD) + "."


def signed_with_the_public_key() -> str:
    """By hand: no library does it any more, and whoever attacks needs none."""
    public = OURS.key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    text = written({"alg": "HS256", "kid": OURS.key_id}, GOOD)
    signature = base64.urlsafe_b64encode(hmac.digest(public, text.encode(), "sha256")).rstrip(b"=").decode()
    return f"{text}.{signature}"


def changed() -> str:
    return f"{written({'alg': 'RS256', 'kid': OURS.key_id}, GOOD)}.{OURS.token('ana').rpartition('.')[2]}"


@pytest.mark.parametrize("prefix", ["Bearer ", ""])
def test_a_good_token_gives_its_claims_as_text(prefix: str) -> None:
    claims = AUTHORIZER.claims(prefix + OURS.token("ana", "a b", groups=["x", "y"], email_verified=True))
    assert (claims["iss"], claims["sub"], claims["aud"], claims["scope"]) == (ISSUER, "ana", AUDIENCE, "a b")
    assert (claims["groups"], claims["email_verified"], claims["exp"].isdigit()) == ("[x y]", "true", True)


@pytest.mark.parametrize(
    ("token", "why"),
    [
        (None, "no token"),
        ("Bearer ", "no token"),
        ("Bearer abc", "segments"),
        (OURS.token("ana", seconds=-1), "expired"),
        (OURS.token("ana", seconds=0), "expired"),
        (OURS.token("ana", exp=None), "exp"),
        # An hour: where much is collected, more than a minute goes by before it is used
        (OURS.token("ana", nbf=int(time.time()) + 3600), "not yet valid"),
        (OURS.token("ana", iat=int(time.time()) + 3600), "not yet valid"),
        (OURS.token("ana", audience="somebody else"), "audience"),
        (OURS.token("ana", aud=None), "audience"),
        (OURS.token("ana", iss="https://elsewhere.example"), "issuer"),
        (Issuer.new().token("ana"), "Signature"),
        (Issuer(OURS.key, ISSUER, "other-key").token("ana"), "not known"),
        (without_signature(), "alg"),
        (signed_with_the_public_key(), "alg"),
        (changed(), "Signature"),
    ],
)
def test_any_other_is_refused_with_401(token: str | None, why: str) -> None:
    with pytest.raises(Refused) as caught:
        AUTHORIZER.claims(token)
    assert caught.value.status == 401
    assert why.lower() in caught.value.why.lower()


def test_a_client_stands_for_the_audience_only_when_there_is_none() -> None:
    """Access tokens of Cognito have no audience."""
    now = int(time.time())
    bare = {"iss": ISSUER, "sub": "ana", "exp": now + 60, "client_id": AUDIENCE}
    assert AUTHORIZER.claims(jwt.encode(bare, OURS.key, "RS256", {"kid": OURS.key_id}))["client_id"] == AUDIENCE
    with pytest.raises(Refused):
        AUTHORIZER.claims(OURS.token("ana", audience="other", client_id=AUDIENCE))


@pytest.mark.parametrize(("scope", "passes"), [("", False), ("a", True), ("c b", True), ("ab", False)])
def test_a_route_with_scopes_asks_for_one_of_them(scope: str, passes: bool) -> None:
    if passes:
        assert AUTHORIZER.claims(OURS.token("ana", scope), ["a", "b"])
        assert AUTHORIZER.claims(OURS.token("ana", scp=scope.split()), ["a", "b"])
        return
    with pytest.raises(Refused) as caught:
        AUTHORIZER.claims(OURS.token("ana", scope), ["a", "b"])
    assert (caught.value.status, caught.value.error) == (403, "insufficient_scope")


def test_the_kept_key_stays_and_nobody_else_may_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_CACHE", str(tmp_path / "cache"))
    token = Issuer.kept().token("ana")
    assert Authorizer(ISSUER, [AUDIENCE], Issuer.kept().keys).claims(token)["sub"] == "ana"
    (file,) = (tmp_path / "cache").iterdir()
    assert file.stat().st_mode & 0o077 == 0

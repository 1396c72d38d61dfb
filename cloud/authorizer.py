"""Checks tokens as the JWT authorizer of an HTTP API does, against a key set of our own."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey


@dataclass
class Refused(Exception):  # noqa: N818 - an answer
    """Why a request may not pass: 401 for a token that isn't good, 403 for one that lacks the route's scope."""

    status: int
    error: str
    why: str


@dataclass(frozen=True)
class Authorizer:
    """Who issues good tokens, for whom, and with which keys."""

    issuer: str
    audience: Collection[str]
    keys: Mapping[str, RSAPublicKey]

    def claims(self, authorization: str | None, scopes: Sequence[str] = ()) -> dict[str, str]:
        """The claims of a good token that has one of the scopes, if any are asked for; all as text, as handlers get them."""
        claims = self._checked((authorization or "").removeprefix("Bearer ").strip())
        granted = " ".join(_text(claims.get(name, "")).strip("[]") for name in ("scope", "scp")).split()
        if scopes and not set(scopes) & set(granted):
            raise Refused(403, "insufficient_scope", "the token lacks a scope of this route")
        return {name: _text(value) for name, value in claims.items()}

    def _checked(self, token: str) -> dict[str, Any]:
        if not token:
            raise Refused(401, "", "there is no token")
        try:
            key = self.keys.get(jwt.get_unverified_header(token).get("kid", ""))
            if key is None:
                raise Refused(401, "invalid_token", "the token is signed with a key that is not known here")
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                ["RS256"],
                {"require": ["exp", "iss"], "verify_aud": False, "verify_sub": False},
                issuer=self.issuer,
            )
        except jwt.InvalidTokenError as error:
            raise Refused(401, "invalid_token", str(error)) from error
        given = claims.get("aud", claims.get("client_id"))  # a client is looked at only when no audience is there
        if not set(given if isinstance(given, list) else [given]) & set(self.audience):
            raise Refused(401, "invalid_token", "the token does not have a valid audience")
        return claims


def _text(value: object) -> str:
    if isinstance(value, list):
        return f"[{' '.join(map(_text, value))}]"
    return value if isinstance(value, str) else json.dumps(value)

"""Tokens of a local issuer, in the place of Cognito: `python -m cloud.tokens --user ana` prints one.

Its key is made once and kept in the cache, so that a token goes on working when the front is started again. It opens
nothing but the front on this machine.
"""

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key

from cloud.fetch import cache

ISSUER = "https://issuer.localhost/commonplace"
AUDIENCE = "commonplace-local"
ACT_AS = "commonplace/act-as"


@dataclass(frozen=True)
class Issuer:
    """An issuer with one key."""

    key: RSAPrivateKey
    name: str = ISSUER
    key_id: str = "local-1"

    @classmethod
    def new(cls, name: str = ISSUER) -> Self:
        """With a key that nobody else has."""
        return cls(generate_private_key(65537, 2048), name)

    @classmethod
    def kept(cls) -> Self:
        """With the key of the cache, which is made if it isn't there."""
        file = cache() / "issuer.pem"
        if not file.exists():
            _keep(generate_private_key(65537, 2048), file)
        key = serialization.load_pem_private_key(file.read_bytes(), None)
        assert isinstance(key, RSAPrivateKey)
        return cls(key)

    @property
    def keys(self) -> dict[str, RSAPublicKey]:
        """The key set: public keys by their ids."""
        return {self.key_id: self.key.public_key()}

    def token(self, user: str, scope: str = "", seconds: float = 3600, audience: str = AUDIENCE, **more: object) -> str:
        """A signed token for a user. `scope`: words apart by spaces; `more`: further claims, or others in place of these."""
        now = int(time.time())
        claims: dict[str, object] = {"iss": self.name, "sub": user, "aud": audience, "iat": now, "exp": now + int(seconds)}
        claims |= {"scope": scope} if scope else {}
        return jwt.encode(claims | more, self.key, "RS256", {"kid": self.key_id})


def _keep(key: RSAPrivateKey, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    own = file.with_suffix(f".{os.getpid()}")
    own.touch(0o600)
    own.write_bytes(key.private_bytes(*form))
    own.replace(file)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m cloud.tokens", description="A token for the front of make cloud.")
    parser.add_argument("--user", default="ana")
    parser.add_argument("--scope", default="", help=f"{ACT_AS} lets its holder name other users")
    parser.add_argument("--hours", type=float, default=12)
    given = parser.parse_args()
    print(Issuer.kept().token(given.user, given.scope, given.hours * 3600))


if __name__ == "__main__":
    main()

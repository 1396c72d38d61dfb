"""The token file of a server for several users. It contains each token's name, user and hash, but not the token itself."""

import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from filelock import FileLock, Timeout
from pydantic import BaseModel, Field, ValidationError

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid, refuse_half_characters
from commonplace.domain.folders import make_private
from commonplace.domain.strict_json import read_object
from commonplace.interfaces.replacing import replace

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PREFIX, _BYTES = "cpl_", 32  # tokens of 256 random bits need no slow or salted hash
_MOST_USER = 256  # characters


class Holder(BaseModel, frozen=True, extra="forbid"):
    """The owner of a token. `name` names the token. The token opens the memories of `user`. `made` is an ISO 8601 time."""

    name: str
    user: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    made: str


class _Contents(BaseModel, extra="forbid"):
    tokens: tuple[Holder, ...]


class TokenFile:
    """The token file, which is read again whenever it has changed. Only the owner of the file may have access to it."""

    def __init__(self, path: Path) -> None:
        self._path = path.expanduser()
        self._stamp: tuple[int, int, int] | None = None
        self._holders: tuple[Holder, ...] = ()

    def holders(self) -> tuple[Holder, ...]:
        """Return the owners of all tokens. Raises `INVALID_ARGUMENT` if the file is missing, invalid or open to others."""
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                if os.name == "posix" and status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                    raise self._build_refusal(f"may be read by others: chmod 600 {self._path}")
                stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
                if stamp != self._stamp:
                    self._holders, self._stamp = self._parse_holders(file.read()), stamp
        except FileNotFoundError:
            raise self._build_refusal('is not there; "commonplace token add NAME" makes it') from None
        except OSError as error:
            raise self._build_refusal(f"can't be read: {error.strerror}") from error
        return self._holders

    def holder_of(self, token: str) -> Holder | None:
        """Return the owner of a token, or None. The hash is compared with every stored hash, each in constant time."""
        digest = sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
        same = [holder for holder in self.holders() if hmac.compare_digest(holder.sha256, digest)]
        return same[0] if same else None

    def add(self, name: str, user: str) -> str:
        """Create and return a token, which can't be shown again later. Raises `CONFLICT` if the name already exists."""
        if not _NAME.fullmatch(name):
            raise invalid("name", "must be 1 to 64 letters, digits, dots, dashes or underscores of ASCII")
        if not user.strip() or len(user) > _MOST_USER:
            raise invalid("user", f"must have 1 to {_MOST_USER} characters")
        refuse_half_characters(user, "user")
        token = _PREFIX + secrets.token_urlsafe(_BYTES)
        digest, made = sha256(token.encode()).hexdigest(), datetime.now(UTC).isoformat(timespec="seconds")
        holder = Holder(name=name, user=user, sha256=digest, made=made)
        with self._lock_file():
            holders = self.holders() if self._path.exists() else ()
            if any(holder.name == name for holder in holders):
                raise CommonplaceError(ErrorCode.CONFLICT, f"name: there is a token {name} already; remove it first", "name")
            self._write_holders((*holders, holder))
        return token

    def remove(self, name: str) -> Holder:
        """Revoke the token with this name and return its owner. Raises `NOT_FOUND` for an unknown name."""
        with self._lock_file():
            holders = self.holders()
            gone = [holder for holder in holders if holder.name == name]
            if not gone:
                raise CommonplaceError(ErrorCode.NOT_FOUND, f"there is no token {name}", "name")
            self._write_holders(tuple(holder for holder in holders if holder.name != name))
        return gone[0]

    @contextmanager
    def _lock_file(self) -> Iterator[None]:
        """Lock the file against changes by other processes."""
        try:
            make_private(self._path.parent)
            with FileLock(f"{self._path}.lock", timeout=10, mode=0o600):
                yield
        except Timeout as error:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"{self._path} is being changed by another") from error
        except OSError as error:
            raise self._build_refusal(f"can't be changed: {error.strerror}") from error

    def _parse_holders(self, body: bytes) -> tuple[Holder, ...]:
        try:
            return _Contents.model_validate(read_object(body)).tokens
        except CommonplaceError as error:
            raise self._build_refusal(f"is no file of tokens: {error.message}") from None
        except ValidationError:
            raise self._build_refusal("is no file of tokens") from None

    def _write_holders(self, holders: tuple[Holder, ...]) -> None:
        replace(self._path, (_Contents(tokens=holders).model_dump_json(indent=2) + "\n").encode())

    def _build_refusal(self, why: str) -> CommonplaceError:
        return invalid("tokens", f"{self._path} {why}")

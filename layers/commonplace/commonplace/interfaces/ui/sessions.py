"""Who may see the page: whoever opened it by its token, until this process ends."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple


class Also(NamedTuple):
    """A memory that what was done has to do with."""

    memory_id: str
    says: str


@dataclass(frozen=True)
class Notice:
    """What was just done, for the next page to tell. `undo`: the operation that can be taken back."""

    says: str
    undo: str | None = None
    also: tuple[Also, ...] = ()


@dataclass
class Session:
    """One browser that the page was opened in. `form_token`: what each of its forms carries."""

    form_token: str = field(default_factory=secrets.token_urlsafe)
    notice: Notice | None = None

    def taken_notice(self) -> Notice | None:
        """What was just done; told once."""
        notice, self.notice = self.notice, None
        return notice


class Sessions:
    """The browsers that may see the page of one process at one port. They are kept nowhere: another process knows none.

    Browsers send cookies to every port of a host, so the name of this one tells the port, and is one of its own.
    """

    def __init__(self, port: int, token: str) -> None:
        self.cookie = f"commonplace_{port}_{secrets.token_hex(4)}"
        self._token: str | None = token
        self._opened: dict[str, Session] = {}
        self._lock = Lock()

    def open(self, token: str) -> str | None:
        """A new session's value of the cookie for the token, which is then used up; None for any other."""
        with self._lock:
            if self._token is None or not secrets.compare_digest(token.encode(), self._token.encode()):
                return None
            self._token = None
            value = secrets.token_urlsafe(32)
            self._opened[value] = Session()
            return value

    def of(self, cookies: Mapping[str, str]) -> Session | None:
        """The session that a browser's cookies name."""
        return self._opened.get(cookies.get(self.cookie, ""))

"""What a view gets and gives: the browser that may see the page, one request of it, and the ways to answer that."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from jinja2 import Environment
from starlette.responses import Response

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError

HOME = "/ui"


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
        notice: Notice | None = vars(self).pop("notice", None)  # at once: of two requests only one tells it
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


@dataclass(frozen=True)
class Visit:
    """One request. `query`: the parameters of the address; `fields`: those of the form that was sent.

    `folder`: where the files that came with the form are, for as long as the request takes.
    """

    memory: Commonplace
    path: str
    query: Mapping[str, str]
    session: Session
    look: Environment
    fields: Mapping[str, str] = field(default_factory=dict)
    folder: Path = Path()

    @property
    def arguments(self) -> dict[str, str]:
        """The parameters of the address that are not blank."""
        return _filled(self.query)

    @property
    def form(self) -> dict[str, str]:
        """The fields of the form that are not blank."""
        return _filled(self.fields)

    def show(self, template: str, status: int = 200, /, **shown: Any) -> Response:
        """A page made of a template; `error`, where something went wrong, is a `CommonplaceError`."""
        given = {"error": None, **shown, "path": self.path, "form_token": self.session.form_token}
        text = self.look.get_template(template).render(notice=self.session.taken_notice(), now=self.memory.now(), **given)
        return Response(text, status, media_type="text/html")

    def show_again(self, template: str, error: CommonplaceError, /, **shown: Any) -> Response:
        """A form as it was sent, with what is wrong with it."""
        return self.show(template, error.code.status, **shown, error=error)

    def go(self, path: str, says: str | None = None, undo: str | None = None, also: tuple[Also, ...] = ()) -> Response:
        """On to another page of ours, which tells what was done; `undo`: the operation by which it is taken back."""
        if says is not None:
            self.session.notice = Notice(says, undo, also)
        return Response(status_code=303, headers={"Location": path})


def own_path(given: str | None) -> str:
    """The path to go back to that a form names, where it is one of the page."""
    return given if given is not None and given.split("?")[0].split("/")[:2] == ["", "ui"] else HOME


def whole_number(given: str | None) -> Any:
    """A number as an address or a form gives it; what is none as it is, for the tool to refuse by its field's name."""
    return int(given) if given is not None and given.isascii() and given.isdecimal() and len(given) < 10 else given


def with_line_breaks(text: str) -> str:
    """A text with the line breaks that are kept: a form sends others."""
    return text.replace("\r\n", "\n")


def _filled(given: Mapping[str, str]) -> dict[str, str]:
    return {name: with_line_breaks(value) for name, value in given.items() if value.strip()}

"""The input and output of views. A `Session` stands for one browser, and a `Visit` for one request and its response."""

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
    """A memory that is related to the last action. `says` is the text that the page shows about this memory."""

    memory_id: str
    says: str


@dataclass(frozen=True)
class Notice:
    """A message about the last action, shown on the next page. `undo` is the id of an operation that can be undone."""

    says: str
    undo: str | None = None
    also: tuple[Also, ...] = ()


@dataclass
class Session:
    """A browser that has access. Every form that the server sends to the browser contains `form_token`."""

    form_token: str = field(default_factory=secrets.token_urlsafe)
    notice: Notice | None = None

    def taken_notice(self) -> Notice | None:
        """Return the notice about the last action, and remove it, so that only one page shows it."""
        notice: Notice | None = vars(self).pop("notice", None)  # atomic, so that only one of two requests shows the notice
        return notice


class Sessions:
    """The sessions of one server process on one port, which are never written to disk.

    The cookie's name includes the port and a random part, because browsers send a host's cookies to all of its ports.
    """

    def __init__(self, port: int, token: str) -> None:
        self.cookie = f"commonplace_{port}_{secrets.token_hex(4)}"
        self._token: str | None = token
        self._opened: dict[str, Session] = {}
        self._lock = Lock()

    def open(self, token: str) -> str | None:
        """Start a session and return its cookie's value, or None if the token is invalid. The token can be used only once."""
        with self._lock:
            if self._token is None or not secrets.compare_digest(token.encode(), self._token.encode()):
                return None
            self._token = None
            value = secrets.token_urlsafe(32)
            self._opened[value] = Session()
            return value

    def of(self, cookies: Mapping[str, str]) -> Session | None:
        """Return the session to which a browser's cookies belong, or None."""
        return self._opened.get(cookies.get(self.cookie, ""))


@dataclass(frozen=True)
class Visit:
    """A request. `query` contains the URL parameters, and `fields` contains the fields of a submitted form.

    `folder` contains the uploaded files and is deleted after the request.
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
        """The URL parameters that are not blank."""
        return _select_filled(self.query)

    @property
    def form(self) -> dict[str, str]:
        """The fields of the submitted form that are not blank."""
        return _select_filled(self.fields)

    def show(self, template: str, status: int = 200, /, **shown: Any) -> Response:
        """Render a template with the values in `shown`. If `shown` contains `error`, the page displays that error."""
        values = {"error": None, **shown, "path": self.path, "form_token": self.session.form_token}
        text = self.look.get_template(template).render(notice=self.session.taken_notice(), now=self.memory.now(), **values)
        return Response(text.encode(errors="backslashreplace"), status, media_type="text/html")

    def show_error(self, template: str, error: CommonplaceError, /, **shown: Any) -> Response:
        """Show a submitted form again, together with the error."""
        return self.show(template, error.code.status, **shown, error=error)

    def go(self, path: str, says: str | None = None, undo: str | None = None, also: tuple[Also, ...] = ()) -> Response:
        """Redirect to another page, which shows the message `says`. `undo` is the id of an operation that can be undone."""
        if says is not None:
            self.session.notice = Notice(says, undo, also)
        return Response(status_code=303, headers={"Location": path})


def own_path(path: str | None) -> str:
    """Return the path from a form if it leads to a page below `/ui`, and `HOME` otherwise."""
    return path if path is not None and path.split("?")[0].split("/")[:2] == ["", "ui"] else HOME


def whole_number(text: str | None) -> Any:
    """Convert text from a URL or form to a whole number. Return any other text unchanged, so that the tool refuses it."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else text


def with_line_breaks(text: str) -> str:
    """Replace the line breaks `\\r\\n`, which browsers send in forms, with `\\n`."""
    return text.replace("\r\n", "\n")


def _select_filled(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: with_line_breaks(value) for name, value in fields.items() if value.strip()}

"""Input and output of a view. `Session` is one browser. `Visit` is one request, with methods that build the answer."""

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
    """A memory related to the last action."""

    memory_id: str
    says: str


@dataclass(frozen=True)
class Notice:
    """The last action, shown on the next page. `undo` is the operation that can be undone."""

    says: str
    undo: str | None = None
    also: tuple[Also, ...] = ()


@dataclass
class Session:
    """One browser with access. Each form that the browser gets contains `form_token`."""

    form_token: str = field(default_factory=secrets.token_urlsafe)
    notice: Notice | None = None

    def taken_notice(self) -> Notice | None:
        """Return the notice of the last action. The next call returns None."""
        notice: Notice | None = vars(self).pop("notice", None)  # atomic: only one of two requests shows it
        return notice


class Sessions:
    """The browsers with access to one process at one port. Sessions exist only in the memory of this process.

    Browsers send cookies to every port of a host. Therefore the name of the cookie includes the port and a random part.
    """

    def __init__(self, port: int, token: str) -> None:
        self.cookie = f"commonplace_{port}_{secrets.token_hex(4)}"
        self._token: str | None = token
        self._opened: dict[str, Session] = {}
        self._lock = Lock()

    def open(self, token: str) -> str | None:
        """Start a session and return the cookie value. The token can't be used again. Returns None for a wrong token."""
        with self._lock:
            if self._token is None or not secrets.compare_digest(token.encode(), self._token.encode()):
                return None
            self._token = None
            value = secrets.token_urlsafe(32)
            self._opened[value] = Session()
            return value

    def of(self, cookies: Mapping[str, str]) -> Session | None:
        """Return the session that a browser's cookies name, or None."""
        return self._opened.get(cookies.get(self.cookie, ""))


@dataclass(frozen=True)
class Visit:
    """One request. `query` has the parameters of the address. `fields` has the fields of the submitted form.

    `folder` contains the uploaded files. The folder is deleted after the request.
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
        return _select_filled(self.query)

    @property
    def form(self) -> dict[str, str]:
        """The fields of the form that are not blank."""
        return _select_filled(self.fields)

    def show(self, template: str, status: int = 200, /, **shown: Any) -> Response:
        """Render a template. `error` is the `CommonplaceError` to show, if any."""
        values = {"error": None, **shown, "path": self.path, "form_token": self.session.form_token}
        text = self.look.get_template(template).render(notice=self.session.taken_notice(), now=self.memory.now(), **values)
        return Response(text, status, media_type="text/html")

    def show_error(self, template: str, error: CommonplaceError, /, **shown: Any) -> Response:
        """Show a submitted form again, with the error."""
        return self.show(template, error.code.status, **shown, error=error)

    def go(self, path: str, says: str | None = None, undo: str | None = None, also: tuple[Also, ...] = ()) -> Response:
        """Redirect to another page. That page shows `says` as the notice. `undo` is the operation that can be undone."""
        if says is not None:
            self.session.notice = Notice(says, undo, also)
        return Response(status_code=303, headers={"Location": path})


def own_path(path: str | None) -> str:
    """Return the path that a form gives as the way back, or `HOME` if the path is not below `/ui`."""
    return path if path is not None and path.split("?")[0].split("/")[:2] == ["", "ui"] else HOME


def whole_number(text: str | None) -> Any:
    """Return a number from an address or form. Other text is returned unchanged. The tool then refuses the text."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else text


def with_line_breaks(text: str) -> str:
    """Return a text with `\\n` line breaks. Forms send `\\r\\n`."""
    return text.replace("\r\n", "\n")


def _select_filled(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: with_line_breaks(value) for name, value in fields.items() if value.strip()}

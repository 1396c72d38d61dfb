"""What a view gets and gives: one request of a person who may see the page, and the ways to answer it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from jinja2 import Environment
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.wrappers import Request, Response

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError
from commonplace.interfaces.ui.sessions import Also, Notice, Session

HOME = "/ui"


@dataclass(frozen=True)
class Visit:
    """One request. `arguments`: those of the address, `form`: what was sent; both without the empty ones."""

    memory: Commonplace
    request: Request
    session: Session
    look: Environment

    @property
    def arguments(self) -> dict[str, str]:
        return _filled(self.request.args)

    @property
    def form(self) -> dict[str, str]:
        return _filled(self.request.form)

    @property
    def files(self) -> MultiDict[str, FileStorage]:
        return self.request.files

    def show(self, template: str, status: int = 200, /, **shown: Any) -> Response:
        """A page made of a template; `error`, where something went wrong, is a `CommonplaceError`."""
        given = {"error": None, **shown, "path": self.request.path, "form_token": self.session.form_token}
        text = self.look.get_template(template).render(notice=self.session.taken_notice(), now=self.memory.now(), **given)
        return Response(text, status, mimetype="text/html")

    def show_again(self, template: str, error: CommonplaceError, /, **shown: Any) -> Response:
        """A form as it was sent, with what is wrong with it."""
        return self.show(template, error.code.status, **shown, error=error)

    def go(self, path: str, says: str | None = None, undo: str | None = None, also: tuple[Also, ...] = ()) -> Response:
        """On to another page of ours, which tells what was done; `undo`: the operation by which it is taken back."""
        if says is not None:
            self.session.notice = Notice(says, undo, also)
        return Response(status=303, headers={"Location": path})


def own_path(given: str | None) -> str:
    """The path to go back to that a form names, where it is one of the page."""
    return given if given is not None and given.split("?")[0].split("/")[:2] == ["", "ui"] else HOME


class Route(NamedTuple):
    """A path of the page, and the view that answers it; what stands in brackets in the path the view gets by name.

    `most_bytes`: of what is sent there, where that may be more than elsewhere.
    """

    path: str
    view: Callable[..., Response]
    method: str = "GET"
    most_bytes: int | None = None


def whole_number(given: str | None) -> Any:
    """A number as an address or a form gives it; what is none as it is, for the tool to refuse by its field's name."""
    return int(given) if given is not None and given.isascii() and given.isdecimal() and len(given) < 10 else given


def with_line_breaks(text: str) -> str:
    """A text with the line breaks that are kept: a form sends others."""
    return text.replace("\r\n", "\n")


def _filled(given: MultiDict[str, str]) -> dict[str, str]:
    return {name: with_line_breaks(value) for name, value in given.items() if value.strip()}

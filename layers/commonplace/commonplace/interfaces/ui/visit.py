"""What a view gets and gives: one request of a person who may see the page, and the ways to answer it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment
from starlette.responses import Response

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError
from commonplace.interfaces.ui.sessions import Also, Notice, Session

HOME = "/ui"


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

"""The page over a memory, opened as a browser opens it: with a cookie, and forms that are sent as they stand."""

from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from werkzeug.test import Client, TestResponse

from commonplace import Commonplace
from commonplace.interfaces.http.app import LocalApp
from commonplace.interfaces.ui.page import Page

PORT, TOKEN = 8787, "the-token"
URL = f"http://127.0.0.1:{PORT}"


class _Forms(HTMLParser):
    """The forms of a page by where they lead, each with its fields."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, dict[str, str]] = {}
        self._into: tuple[dict[str, str], str] | None = None
        self._fields: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._fields = self.found.setdefault(given.get("action", ""), {})
        elif tag == "input" and "name" in given and (given.get("type") != "checkbox" or "checked" in given):
            self._fields[given["name"]] = given.get("value", "")
        elif tag == "option" and "selected" in given:
            self._fields.setdefault("selected", given["value"])


@dataclass(frozen=True)
class Opened:
    """A browser in which the page is open."""

    client: Client

    def get(self, path: str, status: int = 200) -> str:
        """A page's text."""
        answer = self.client.get(path, base_url=URL)
        assert answer.status_code == status, answer.text
        return answer.text

    def form(self, page: str, action: str) -> dict[str, str]:
        """The fields of the form of a page that leads there."""
        return _Forms(self.get(page)).found[action]

    def send(self, page: str, action: str, status: int = 303, **given: Any) -> TestResponse:
        """Fills in that form of a page and sends it."""
        sent = {**self.form(page, action), **given}
        answer = self.client.post(action, data=sent, base_url=URL, headers={"Origin": URL})
        assert answer.status_code == status, answer.text
        return answer


def client_of(memory: Commonplace) -> Client:
    """A browser in which the page is not open yet."""
    return Client(LocalApp(memory, PORT, page=Page(memory, PORT, TOKEN)))


def opened(memory: Commonplace) -> Opened:
    client = client_of(memory)
    assert client.get(f"/ui?token={TOKEN}", base_url=URL).status_code == 303
    return Opened(client)

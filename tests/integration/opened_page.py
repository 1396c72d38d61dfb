"""The page over a memory, opened as a browser opens it: with a cookie, and forms that are sent as they stand."""

from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import httpx2
from starlette.testclient import TestClient

from commonplace import Commonplace
from commonplace.interfaces.ui.page import Page
from tests import asgi

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

    client: TestClient

    def get(self, path: str, status: int = 200) -> str:
        """A page's text."""
        answer = self.client.get(path)
        assert answer.status_code == status, answer.text
        return answer.text

    def form(self, page: str, action: str) -> dict[str, str]:
        """The fields of the form of a page that leads there."""
        return _Forms(self.get(page)).found[action]

    def send(self, page: str, action: str, status: int = 303, **given: Any) -> httpx2.Response:
        """Fills in that form of a page and sends it; a file is given as its name and its bytes, several in a list."""
        sent = {**self.form(page, action), **given}
        files = [(name, one) for name, value in sent.items() if isinstance(value, list) for one in value]
        fields = {name: value for name, value in sent.items() if not isinstance(value, list)}
        answer = self.client.post(action, data=fields, files=files or None, headers={"Origin": URL})
        assert answer.status_code == status, answer.text
        return answer


def client_of(memory: Commonplace) -> TestClient:
    """A browser in which the page is not open yet."""
    return asgi.client_of(memory, PORT, page=Page(memory, PORT, TOKEN))


def opened(memory: Commonplace) -> Opened:
    client = client_of(memory)
    assert client.get(f"/ui?token={TOKEN}").status_code == 303
    return Opened(client)

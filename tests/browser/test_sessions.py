"""Who may see the page, in a real browser: whom its address let in, once, and no page of anybody else."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from commonplace import Commonplace
from tests.browser.conftest import NewPage
from tests.browser.served import Served, served

pytestmark = pytest.mark.browser

CLOSED = "This page is not opened in this browser"


@contextmanager
def another_site(html: str) -> Iterator[str]:
    """A page of somebody else on this machine, at a port of its own: for cookies that is the same site."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_address_opens_one_browser_once(new_page: NewPage, ui: Served, allowed: list[str]) -> None:
    first = ui.opened(new_page())
    assert first.url == f"{ui.root}/ui"
    expect(first.locator("h1")).to_have_text("Memories")
    first.goto(ui.address)  # as from its history: it is in already
    expect(first.locator("h1")).to_have_text("Memories")

    allowed.append("status of 401")
    second = new_page()
    for address in (ui.address, f"{ui.root}/ui", f"{ui.root}/ui/runs"):
        second.goto(address)
        expect(second.locator("h1")).to_have_text(CLOSED)


def test_the_cookie_is_for_the_page_alone(new_page: NewPage, ui_file: Path) -> None:
    with served(ui_file) as fresh:
        page = fresh.opened(new_page())
    (cookie,) = page.context.cookies()
    assert (cookie.get("httpOnly"), cookie.get("sameSite"), cookie.get("path")) == (True, "Strict", "/ui")
    assert cookie.get("expires") == -1  # it goes with the browser
    assert str(urlsplit(fresh.root).port) in str(cookie.get("name"))
    assert page.evaluate("document.cookie") == ""


def test_another_process_knows_no_cookie_of_this_one(page: Page, ui_file: Path, allowed: list[str]) -> None:
    allowed.append("status of 401")
    with served(ui_file) as other:
        page.goto(f"{other.root}/ui")
        expect(page.locator("h1")).to_have_text(CLOSED)


def test_no_form_of_another_site_is_taken(page: Page, ui: Served, allowed: list[str]) -> None:
    allowed.append("status of 403")
    form = f'<form method="post" action="{ui.root}/ui/import/leave"><input name="form_token" value="x"><button>Go</button></form>'
    with another_site(form) as site:
        page.goto(site)
        page.get_by_role("button").click()
        expect(page.locator("body")).to_contain_text("this server does not answer web pages")


def test_no_script_of_another_site_reaches_the_tools(page: Page, ui: Served, ui_file: Path, allowed: list[str]) -> None:
    allowed += ["blocked by CORS policy", "net::ERR_FAILED", "status of 403"]
    body = json.dumps({"content": "I like to be fooled."})
    with another_site("<p>Nothing to see</p>") as site:
        page.goto(site)
        for path in ("/tools/store_memory", "/mcp", "/ui/import/leave"):
            asked = (
                f"fetch({json.dumps(ui.root + path)}, {{method: 'POST', credentials: 'include', body: {json.dumps(body)}}})"
            )
            assert page.evaluate(f"{asked}.then(() => 'answered', () => 'refused')") == "refused"
    with Commonplace(ui_file, user_id="ana") as memory:
        assert memory.list_memories().memories == []

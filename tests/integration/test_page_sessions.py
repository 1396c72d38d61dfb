"""Who may see the page, and what every answer of it carries."""

import re
from http.cookies import SimpleCookie
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.interfaces.ui import page
from commonplace.interfaces.ui.page import Page
from tests import asgi
from tests.integration.opened_page import PORT, TOKEN, URL, client_of, opened

UI = Path(page.__file__).parent
pytestmark = pytest.mark.integration


def test_without_its_token_it_says_how_it_is_opened(memory: Commonplace) -> None:
    client = client_of(memory)
    for path in ("/ui", "/ui/memories/mem_1", "/ui/nothing-here", "/ui?token=another", "/ui?token="):
        answer = client.get(path)
        assert answer.status_code == 401
        assert "commonplace ui" in answer.text
        assert "Set-Cookie" not in answer.headers


def test_the_token_opens_it_once(memory: Commonplace) -> None:
    memory.store_memory("I drink green tea at noon.")
    client = client_of(memory)
    answer = client.get(f"/ui?token={TOKEN}")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/ui")
    assert "green tea" in client.get("/ui").text
    assert client.get(f"/ui?token={TOKEN}").status_code == 303  # to load it again where it is open is no harm
    another = asgi.another(client)
    assert another.get(f"/ui?token={TOKEN}").status_code == 401


def test_the_cookie_is_of_this_page_alone(memory: Commonplace) -> None:
    (given,) = client_of(memory).get(f"/ui?token={TOKEN}").headers.get_list("Set-Cookie")
    ((name, cookie),) = SimpleCookie(given).items()
    assert re.fullmatch(rf"commonplace_{PORT}_[0-9a-f]{{8}}", name)
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["max-age"]) == (True, "Strict", "/ui", "")
    assert len(cookie.value) >= 43
    (other,) = client_of(memory).get(f"/ui?token={TOKEN}").headers.get_list("Set-Cookie")
    assert name not in other


def test_another_process_knows_no_browser_of_this_one(memory: Commonplace) -> None:
    cookies = opened(memory).client.cookies
    again = asgi.client_of(memory, PORT, page=Page(memory, PORT, TOKEN))
    again.cookies = cookies
    assert again.get("/ui").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Host": "evil.example"}, {"Origin": "null"}],
)
def test_the_cookie_lets_no_foreign_page_in_anywhere(memory: Commonplace, headers: dict[str, str]) -> None:
    client = client_of(memory)
    cookie = client.get(f"/ui?token={TOKEN}").headers["Set-Cookie"].partition(";")[0]
    without = asgi.another(client)
    assert without.get("/ui", headers={"Cookie": cookie}).status_code == 200
    for path in ("/tools/search_memory", "/memories", "/ui", "/ui/undo"):
        answer = without.post(path, content="{}", headers={"Cookie": cookie, **headers})
        assert answer.status_code == 403


def test_a_form_is_taken_from_this_page_alone(memory: Commonplace) -> None:
    stored = memory.store_memory("I drink green tea at noon.").memory_id
    browser = opened(memory)
    action = f"/ui/memories/{stored}/delete"
    form = browser.form(f"/ui/memories/{stored}", action)
    for data, headers in (
        ({}, {"Origin": URL}),
        ({"form_token": "another"}, {"Origin": URL}),
        ({"form_token": ""}, {"Origin": URL}),
        (form, {}),
        (form, {"Origin": "null"}),
        (form, {"Origin": "http://127.0.0.1:9999"}),
        (form, {"Origin": f"http://localhost:{PORT}"}),
    ):
        answer = browser.client.post(action, data=data, headers=headers)
        assert answer.status_code == 403
    assert memory.get_memory(stored).memory.value == "I drink green tea at noon."
    assert browser.client.post(action, data=form, headers={"Origin": URL}).status_code == 303


def test_what_every_page_carries(memory: Commonplace) -> None:
    client = opened(memory).client
    for path in ("/ui", "/ui/nothing-here", "/ui?token=wrong"):
        headers = client.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] in ("same-origin", "no-referrer")


def test_the_server_alone_has_no_page(memory: Commonplace) -> None:
    answer = asgi.client_of(memory, PORT).get("/ui")
    assert answer.status_code == 404


def test_everything_that_a_browser_loads_is_small_and_from_here(memory: Commonplace) -> None:
    client = client_of(memory)
    files = [client.get(f"/ui/static/{path.name}") for path in (UI / "static").iterdir()]
    assert all(file.status_code == 200 for file in files)
    assert 0 < sum(len(file.content) for file in files) <= 150_000
    for path in (*(UI / "templates").iterdir(), *(UI / "static").iterdir()):
        text = path.read_text("utf-8")
        assert not re.search(r"(?:src|href|action|url\(|import|fetch\()\s*[=(]?\s*[\"']?(?:https?:)?//", text), path.name
        assert not re.search(r"<script>|<style|\sstyle=|\son\w+=", text), path.name  # what the policy would not let run


def test_a_file_that_has_not_changed_is_not_sent_again(memory: Commonplace) -> None:
    client = client_of(memory)
    tag = client.get("/ui/static/ui.css").headers["ETag"]
    assert client.get("/ui/static/ui.css", headers={"If-None-Match": tag}).status_code == 304

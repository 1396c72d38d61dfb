"""A real Chromium for all tests of the page, and the page of a memory file served by `commonplace ui`."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_socket import _remove_restrictions, socket_allow_hosts

from tests.browser import chromium
from tests.browser.served import Served, served
from tests.real_servers import left_out

NewPage = Callable[..., Page]
PATIENCE = 15_000
"""Milliseconds until what is waited for is missing: other tests may keep the machine busy."""


@pytest.fixture(autouse=True)
def _loopback_only() -> Iterator[None]:
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"])
    yield
    _remove_restrictions()


@pytest.fixture(scope="package")  # not longer: while Playwright runs, no other test of this process can have an event loop
def browser() -> Iterator[Browser]:
    if chromium.path() is None:
        left_out("Chromium", chromium.MISSING)
    expect.set_options(timeout=PATIENCE)
    with chromium.started() as browser:
        yield browser


@pytest.fixture(scope="module")
def ui_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The memory file that the page of a file of tests shows; who wants memories in it makes this fixture anew."""
    return tmp_path_factory.mktemp("ui") / "memory.db"


@pytest.fixture(scope="module")
def ui(ui_file: Path) -> Iterator[Served]:
    """The page of that file, of a process that its tests share."""
    with served(ui_file) as server:
        yield server


@pytest.fixture
def allowed() -> list[str]:
    """What a test expects the browser to complain of, by a part of it."""
    return []


@pytest.fixture
def new_page(browser: Browser, allowed: list[str]) -> Iterator[NewPage]:
    """Makes pages, each in a context of its own: no cookies; `options` are those of a context.

    At the end nothing may have gone wrong in any of them.
    """
    watches = list[chromium.Watch]()
    with ExitStack() as opened:

        def make(**options: Any) -> Page:
            context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
            opened.callback(context.close)
            context.set_default_timeout(PATIENCE)
            watches.append(chromium.Watch.over(context))
            return context.new_page()

        yield make
    wrong = [line for watch in watches for line in watch.seen if not any(part in line for part in allowed)]
    assert not wrong


@pytest.fixture
def page(new_page: NewPage, ui: Served) -> Page:
    """A page that was let in, at the first view."""
    return ui.opened(new_page())

"""The local server's application without a server: a client that calls it in this process."""

from collections.abc import Callable

from starlette.testclient import TestClient

from commonplace import Commonplace
from commonplace.interfaces.http.app import App
from commonplace.interfaces.ui.page import Page


def client_of(
    memory: Commonplace, port: int = 8787, ending: Callable[[], float | None] = lambda: None, page: Page | None = None
) -> TestClient:
    """A client of the application over a memory, which follows no redirect and keeps cookies."""
    return client_over(App(memory, port, ending=ending, page=page), port)


def client_over(app: App, port: int = 8787) -> TestClient:
    """A client of an application that is served at a port."""
    return TestClient(app, f"http://127.0.0.1:{port}", follow_redirects=False)


def another(client: TestClient) -> TestClient:
    """A second client of the same application, with no cookies of the first."""
    return TestClient(client.app, str(client.base_url), follow_redirects=False)

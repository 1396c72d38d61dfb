"""The local server's application without a server: a client that calls it in this process."""

from collections.abc import Callable

from starlette.testclient import TestClient

from commonplace import Commonplace
from commonplace.interfaces.http.access import LocalAccess
from commonplace.interfaces.http.app import App, Site


def client_of(
    memory: Commonplace, port: int = 8787, ending: Callable[[], float | None] = lambda: None, page: Site | None = None
) -> TestClient:
    """A client of the application over a memory, which follows no redirect and keeps cookies."""
    return client_over(App(LocalAccess(memory), port, ending=ending, page=page), port)


def client_over(app: App, port: int = 8787) -> TestClient:
    """A client of an application that is served at a port."""
    return TestClient(app, f"http://127.0.0.1:{port}", follow_redirects=False)

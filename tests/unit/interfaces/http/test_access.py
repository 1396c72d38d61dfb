from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.interfaces.http import app as application
from commonplace.interfaces.http.access import Household
from commonplace.interfaces.http.app import App
from commonplace.interfaces.http.open_memories import OpenMemories
from commonplace.interfaces.http.routing import Table
from commonplace.interfaces.http.tokens import TokenFile
from tests.asgi import client_over


def test_the_routes_are_made_once_for_all_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def counted(*given: object) -> Table:
        made.append(given)
        return Table(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(application, "Table", counted)
    tokens = TokenFile(tmp_path / "tokens.json")
    given = {user: tokens.add(user, user) for user in ("ana", "ben")}
    opened: list[str] = []

    def make(user: str) -> Commonplace:
        opened.append(user)
        return Commonplace(tmp_path / "memory.db", user_id=user)

    with OpenMemories(make, most=1) as memories:
        client = client_over(App(Household(tokens, memories), 8787))
        for user in ("ana", "ana", "ben", "ben", "ana"):
            assert client.get("/runs", headers={"Authorization": f"Bearer {given[user]}"}).status_code == 200
    assert len(made) == 1
    assert opened == ["ana", "ben", "ana"]  # again for who was closed meanwhile

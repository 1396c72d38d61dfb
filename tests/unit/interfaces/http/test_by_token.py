from pathlib import Path

import pytest
from werkzeug.test import Client

from commonplace import Commonplace
from commonplace.interfaces.http.app import LocalApp
from commonplace.interfaces.http.by_token import Household, TokenApp
from commonplace.interfaces.http.open_memories import OpenMemories
from commonplace.interfaces.http.tokens import TokenFile


def test_the_routes_over_a_memory_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Commonplace] = []
    making = LocalApp.__init__

    def counted(app: LocalApp, memory: Commonplace, *rest: object) -> None:
        made.append(memory)
        making(app, memory, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(LocalApp, "__init__", counted)
    tokens = TokenFile(tmp_path / "tokens.json")
    given = {user: tokens.add(user, user) for user in ("ana", "ben")}
    with OpenMemories(lambda user: Commonplace(tmp_path / "memory.db", user_id=user), most=1) as memories:
        client = Client(TokenApp(Household(tokens, memories), (), 8787))
        for user in ("ana", "ana", "ben", "ben", "ana"):
            answer = client.get("/runs", base_url="http://localhost:8787", headers={"Authorization": f"Bearer {given[user]}"})
            assert answer.status_code == 200
    assert len(made) == 3  # again for who was closed meanwhile

"""What another thread does at the same moment changes no result: of no function, and for no user of one server."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.interfaces.http.access import Household
from commonplace.interfaces.http.app import App
from commonplace.interfaces.http.open_memories import OpenMemories
from commonplace.interfaces.http.tokens import TokenFile
from tests.asgi import client_over
from tests.integration.command_line import clean
from tests.integration.http_server import Answer, served
from tests.integration.read_by_threads import NAMES, STATEMENTS, many_words, texts

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]
Result = tuple[list[Any], dict[str, list[Any]]]
Results = dict[str, Result]
ROOT = Path(__file__).parents[2]
USERS = ("ana", "ben", "cleo", "dora", "emil", "finn", "greta", "hugo")
QUESTIONS = ("Where do I live?", "What is Mia allergic to?", "tea", "Wo wohne ich?", "東京")
_VARIES = re.compile(
    r"(?<![A-Z0-9])[0-9A-HJKMNP-TV-Z]{26}(?![A-Z0-9])|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:\d\d)?"
)  # ids, times
_WEIGHTS = {"COMMONPLACE_USAGE_WEIGHT": "0", "COMMONPLACE_RECENCY_WEIGHT": "0"}
"""Memories that match alike are ordered by their age and use: both differ with the time that calls take."""
_BEFORE = f"import os, sys\nsys.setswitchinterval(1e-5)\nos.environ |= {_WEIGHTS}"
_NOT_COMPARED = {
    "row", "owner", "number", "change", "created_at", "happened_at", "valid_from", "valid_to", "expires_at", "purge_at", "at",
    "seconds", "last_found", "until", "memory_id",
}  # fmt: skip


def read_in_a_new_process(how: str) -> list[dict[str, str]]:
    command = [sys.executable, "-m", "tests.integration.read_by_threads", how]
    environment = {**clean(Path.home()), "PYTHONHASHSEED": "0", "PYTHONWARNINGS": "default"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    given: list[dict[str, str]] = json.loads(done.stdout)
    return given


def test_four_threads_read_texts_as_one_does() -> None:
    (alone,) = read_in_a_new_process("alone")
    together = read_in_a_new_process("7")
    assert len(texts()) == 200
    assert len(together) == 4
    assert not [given for given in alone.values() if "Error(" in given]
    for of_a_thread in together:
        assert {call: given for call, given in of_a_thread.items() if given != alone[call]} == {}


def calls_of(user: str) -> list[tuple[str, dict[str, Any]]]:
    """What a user stores and searches, in turn; other sentences for each user."""
    number = USERS.index(user)
    statements = (STATEMENTS[number:] + STATEMENTS[:number])[: len(NAMES)]
    stored = [
        f"{statement.format(f'{name} {user}')} {many_words(f'{user}{name} {user}ly {statement[:20]}')}"
        for statement, name in zip(statements, NAMES, strict=True)
    ]
    return [
        call
        for at, text in enumerate(stored)
        for call in (("store_memory", {"content": text}), ("search_memory", {"query": QUESTIONS[at % len(QUESTIONS)]}))
    ]


def run_together(folder: Path) -> Results:
    """What a server answers to each user, and the rows of each in its file, after all have called at once."""
    tokens = tokens_of(folder, USERS)
    options = ("--tokens", str(folder / "tokens.json"))
    with served(folder / "memory.db", *options, code=_BEFORE) as server, ThreadPoolExecutor(len(USERS)) as threads:
        answers = list(threads.map(lambda user: answers_to(server.ask, tokens[user], calls_of(user)), USERS))
        assert server.end(signal.SIGTERM)[0] == 0
    return {user: (given, rows_of(folder / "memory.db", user)) for user, given in zip(USERS, answers, strict=True)}


def run_alone(folder: Path, user: str) -> Result:
    """The same for a user who has a file and the server's application alone; here no other thread calls anything."""
    tokens, file = tokens_of(folder, [user]), folder / "memory.db"
    with OpenMemories(lambda user_id: Commonplace(file, user_id=user_id)) as memories:
        client = client_over(App(Household(TokenFile(folder / "tokens.json"), memories), 8787))

        def ask(method: str, path: str, body: Any, **headers: str) -> Answer:
            answer = client.request(method, path, json=body, headers=headers)
            return Answer(answer.status_code, dict(answer.headers), answer.json())

        answers = answers_to(ask, tokens[user], calls_of(user))
    return answers, rows_of(file, user)


def tokens_of(folder: Path, users: Sequence[str]) -> dict[str, str]:
    """A token for each user, in a file of a new folder."""
    folder.mkdir()
    return {user: TokenFile(folder / "tokens.json").add(f"{user}-laptop", user) for user in users}


def answers_to(ask: Callable[..., Answer], token: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
    """What each call shows, without ids and times; a statement that holds nothing but a secret is refused."""
    given: list[Any] = []
    for tool, arguments in calls:
        answer = ask("POST", f"/tools/{tool}", arguments, Authorization=f"Bearer {token}")
        if answer.status != 200:
            given.append((answer.status, answer.code))
        elif tool == "search_memory":
            given.append([hit["content"] for hit in answer.body["results"]])
        else:
            given.append(_VARIES.sub("-", json.dumps(answer.body)))
    return given


def rows_of(file: Path, user: str) -> dict[str, list[Any]]:
    """The rows of a user by table, without ids and times."""
    with closing(sqlite3.connect(file)) as database:
        database.row_factory = sqlite3.Row
        ((owner,),) = database.execute("SELECT number FROM users WHERE user_id = ?", (f"local|{user}",))
        own_ids = "memory_id IN (SELECT memory_id FROM memories WHERE owner = :owner)"
        found = {}
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
            columns = {column["name"] for column in database.execute(f"PRAGMA table_info({table})")}
            if "owner" in columns:
                where = "owner = :owner"
            elif "memory_id" in columns:
                where = own_ids
            elif table == "words_content":
                where = "id IN (SELECT row FROM memories WHERE owner = :owner)"
            else:
                continue  # rows of the whole file: counters, and what FTS5 makes of the words
            rows = database.execute(f"SELECT * FROM {table} WHERE {where}", {"owner": owner})
            found[table] = sorted((compared(row, owner) for row in rows), key=repr)
    return found


def compared(row: sqlite3.Row, owner: int) -> dict[str, Any]:
    shown = {name: row[name] for name in row.keys() if name not in _NOT_COMPARED and name != "id"}  # noqa: SIM118
    return {
        name: _VARIES.sub("-", _own_terms(value, owner)) if isinstance(value, str) else value for name, value in shown.items()
    }


def _own_terms(value: str, owner: int) -> str:
    """Terms without the number of their owner, which differs between two files."""
    return re.sub(rf"(?<!\S){owner}_", "", value)


def test_eight_users_at_once_leave_the_rows_that_each_leaves_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in _WEIGHTS.items():
        monkeypatch.setenv(name, value)
    together = run_together(tmp_path / "together")
    for user in USERS:
        answers, rows = run_alone(tmp_path / user, user)
        assert together[user][0] == answers
        assert together[user][1].keys() == rows.keys()
        for table, alone in rows.items():
            assert together[user][1][table] == alone, table
        assert len(rows["memories"]) >= 7
        assert all(answer[0] == 400 for answer in answers if isinstance(answer, tuple))
        assert rows["words_content"]

"""The night over HTTP on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.command_line import run
from tests.integration.http_server import Server, served
from tests.integration.test_runs_cli import DAY

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nights") / "memory.db"


@pytest.fixture(scope="module")
def server(file: Path) -> Iterator[Server]:
    with served(file, "--user", "ana") as running:
        yield running


def test_a_day_goes_in_and_a_run_comes_out_and_is_taken_back(server: Server, file: Path) -> None:
    recorded = server.ask("POST", "/interactions", {"interactions": [*DAY, {"id": "x"}]})
    assert recorded.status == 200
    assert (recorded.body["recorded"], [one["field"] for one in recorded.body["refused"]]) == (3, ["type"])
    night = run("nightly", "--user", "ana", "--db", str(file), "--json", home=file.parent).answer[0]

    (listed,) = server.ask("GET", "/runs?limit=1").body["runs"]
    assert listed == night
    told = server.ask("GET", f"/runs/{night['run_id']}").body
    assert told["run"] == night
    assert all(one["says"] and one["rests_on"] for one in told["operations"] if one["operation"]["kind"] == "ADD")

    undone = server.ask("POST", "/runs/last/undo").body
    assert undone["undoes"] == night["run_id"]
    assert {one["outcome"] for one in undone["operations"]} == {"undone"}
    again = server.ask("POST", f"/runs/{night['run_id']}/undo?reread=true").body
    assert again["operations"] == []
    assert run("nightly", "--db", str(file), "--json", home=file.parent).answer[0]["interactions"] == ["d1", "s1", "e1"]


def test_arguments_are_read_as_clients_send_them(server: Server) -> None:
    talk = {"type": "discussion", "id": "", "messages": '[{"role": "user", "content": "[5]"}]', "article_title": None}
    recorded = server.ask("POST", "/interactions", {"interactions": [talk, {**talk, "messages": "[5"}]}).body
    assert (recorded["recorded"], [one["field"] for one in recorded["refused"]]) == (1, ["messages"])
    assert server.ask("GET", "/runs?limit=5.0").status == server.ask("GET", "/runs?limit=").status == 200
    memory_id = server.call("store_memory", content="true", context='{"force_importance": "2"}')["memory_id"]
    rated = server.ask("POST", "/feedback", {"memory_id": memory_id, "query": "is it true", "useful": "true"}).body
    assert (rated["useful"], rated["query"]) == (True, "is it true")
    for empty in ("", None):
        refused = server.ask("POST", "/feedback/forget", {"memory_id": empty})
        assert (refused.status, refused.body["error"]["field"]) == (400, "memory_id")
    assert server.ask("POST", "/feedback/forget", {"memory_id": memory_id}).body["forgotten"] == 1


def test_a_review_is_harmless_where_nothing_waits(server: Server, file: Path) -> None:
    server.ask("POST", "/interactions", {"interactions": [{**DAY[1], "id": "s2"}]})
    run("nightly", "--db", str(file), home=file.parent)
    for verb in ("approve", "discard"):
        assert server.ask("POST", f"/runs/last/{verb}").body["status"] == "done"


def test_a_plan_is_not_the_last_to_be_taken_back(server: Server) -> None:
    for content, tag in (("I bake bread.", "kubernets"), ("I roast coffee.", "kubernetes")):
        stored = server.call("store_memory", content=content)["memory_id"]
        server.call("update_memory", memory_id=stored, tags=[tag])
    plan = server.call("optimize_tags")["run_id"]
    assert server.ask("GET", "/runs/last").body["run"]["run_id"] == plan
    assert server.ask("POST", "/runs/last/undo").body["undoes"] != plan
    assert server.ask("GET", f"/runs/{plan}").body["run"]["status"] == "needs_review"


def test_a_key_has_a_history(server: Server) -> None:
    fields = {"key": "home", "category": "personal_context"}
    server.call("write_memory", **fields, value="I live in Berlin.", durability="durable")
    server.call("update_memory", **fields, value="I live in Munich.")
    values = server.ask("GET", "/history/HOME").body["values"]
    assert [one["value"] for one in values] == ["I live in Munich.", "I live in Berlin."]


def test_an_old_id_leads_on_to_what_took_its_place(server: Server) -> None:
    first = server.call("store_memory", content="I play the cello.")["memory_id"]
    second = server.call("update_memory", memory_id=first, value="I play the viola.")["memory_id"]
    told = server.ask("GET", f"/history/{first}").body
    assert (told["key"], [one["memory_id"] for one in told["values"]]) == (None, [second, first])
    assert told == server.call("history", memory_id=second)


def test_a_memory_is_shown_by_its_id_and_by_its_key(server: Server) -> None:
    fields = {"key": "cat", "category": "personal_context", "value": "My cat is called Momo.", "durability": "durable"}
    cat = server.call("write_memory", **fields)["memory_id"]
    by_id, by_key = (server.ask("GET", f"/memories/{name}").body for name in (cat, "CAT"))
    assert by_id == by_key == server.call("get_memory", memory_id=cat)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/memories/home", 405, "method_not_allowed"),
        ("GET", "/memories", 405, "method_not_allowed"),
        ("GET", "/memories/notes/7", 400, "invalid_argument"),
        ("GET", "/memories/mem_01M7Y9WZRKKCZMXKBZPYYE31X7", 404, "not_found"),
        ("GET", "/interactions", 405, "method_not_allowed"),
        ("POST", "/runs", 405, "method_not_allowed"),
        ("GET", "/runs/last/undo", 405, "method_not_allowed"),
        ("POST", "/runs/last/burn", 404, "not_found"),
        ("GET", "/runs/run_1", 404, "not_found"),
        ("POST", "/runs/run_1/undo", 404, "not_found"),
        ("GET", "/runs/a%0Ab", 404, "not_found"),
        ("GET", "/runs?limit=many", 400, "invalid_argument"),
        ("GET", "/runs?limit=1000", 400, "invalid_argument"),
        ("GET", f"/runs?limit={'9' * 5_000}", 400, "invalid_argument"),
        ("GET", f"/runs?limit={'0' * 5_000}1", 400, "invalid_argument"),
        ("GET", "/history/hone", 404, "key_not_found"),
        ("GET", "/history/mem_01M7Y9WZRKKCZMXKBZPYYE31X7", 404, "not_found"),
        ("GET", "/history/no%20key", 400, "invalid_argument"),
        ("POST", "/interactions", 400, "invalid_json"),
    ],
)
def test_what_is_wrong_has_its_status_and_code(server: Server, method: str, path: str, status: int, code: str) -> None:
    answer = server.ask(method, path)
    assert (answer.status, answer.code) == (status, code)
    assert "limit" not in path or answer.body["error"]["field"] == "limit"


def test_an_id_that_cannot_be_written_is_refused_and_the_others_are_recorded(server: Server) -> None:
    answer = server.ask("POST", "/interactions", {"interactions": [{**DAY[1], "id": "bad\ud83d"}, {**DAY[1], "id": "good"}]})
    assert (answer.status, answer.body["recorded"]) == (200, 1)
    assert [(one["id"], one["field"]) for one in answer.body["refused"]] == [("bad\\ud83d", "id")]


def test_a_conversation_without_a_readable_message_is_a_400_that_names_them(server: Server) -> None:
    talk = {"type": "discussion", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": None}]}
    answer = server.ask("POST", "/interactions", {"interactions": [talk]})
    assert (answer.status, answer.body["error"]["field"]) == (400, "messages")
    both = server.ask("POST", "/interactions", {"interactions": [talk, {"type": "explicit", "text": "I like tea."}]})
    assert (both.status, both.body["recorded"], both.body["refused"][0]["field"]) == (200, 1, "messages")


def test_more_than_a_thousand_at_once_are_refused(server: Server) -> None:
    answer = server.ask("POST", "/interactions", {"interactions": [DAY[1]] * 1_001})
    assert (answer.status, answer.code) == (400, "invalid_argument")

import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import commonplace
from commonplace import Commonplace
from commonplace.contract.manifest import manifest
from commonplace.contract.registry import TOOLS, tool_named
from commonplace.memories.ingest import KNOWN
from tests.integration.http_server import Server, served

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("server") / "memory.db", "--user", "ana") as running:
        yield running


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_answers_its_own_examples(server: Server, tool: object) -> None:
    server.ask("POST", "/tools/write_memory", tool_named("write_memory").examples[0])  # what is changed or deleted by its key
    # and by ids that nobody can know beforehand
    ids = [server.call("store_memory", content=f"The user plays the {what}.")["memory_id"] for what in ("cello", "harp")]
    for example in tool.examples:  # type: ignore[attr-defined]
        own = {"memory_id": ids[0], "memory_ids": ids}
        named = {**example, **{name: own[name] for name in own.keys() & example.keys()}}
        answer = server.ask("POST", tool.route, named)  # type: ignore[attr-defined]
        assert answer.status == 200, answer.body
        assert answer.headers["Content-Type"] == "application/json"


def test_what_was_stored_is_found_in_every_script(server: Server) -> None:
    memory_id = server.call("store_memory", content="大阪で😀たこ焼きを食べました。")["memory_id"]
    assert memory_id in {hit["id"] for hit in server.call("search_memory", query="大阪")["results"]}


def test_the_body_is_json_whatever_its_content_type(server: Server) -> None:
    for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", "application/json"):
        answer = server.ask("POST", "/tools/search_memory", {"query": "cello"}, **{"Content-Type": kind})
        assert answer.status == 200


def test_the_manifest_is_the_list_of_tools(server: Server) -> None:
    assert server.ask("GET", "/tools").body == manifest()


def test_health_tells_that_the_memories_can_be_read(server: Server) -> None:
    body = server.ask("GET", "/health").body
    assert body["status"] == "ok"
    assert body["total_memories"] == server.call("discover_memory_tools")["current_system_state"]["total_memories"]


def test_the_root_says_what_it_is_and_leads_to_its_openapi(server: Server) -> None:
    root = server.ask("GET", "/").body
    assert (root["name"], root["version"]) == ("commonplace", commonplace.__version__)
    base = f"http://127.0.0.1:{server.port}"
    assert (root["openapi"], root["tools"], root["health"]) == (f"{base}/openapi.json", f"{base}/tools", f"{base}/health")
    document = server.ask("GET", root["openapi"].removeprefix(base)).body
    assert document["servers"][0]["url"] == base
    assert server.ask("GET", "/openapi.json", Host="evil.example").status == 403


def test_turns_are_imported_in_batches(server: Server) -> None:
    def batch(first: int) -> dict[str, object]:
        turns = [
            {"session_id": "h", "position": n, "speaker": "user", "text": f"My cat number {n} sleeps on the piano."}
            for n in range(first, first + 3)
        ]
        return {"turns": turns}

    first, second, first_again = (server.ask("POST", "/import", batch(n)).body for n in (0, 3, 0))
    assert len({*first["ids"], *second["ids"]}) == 6
    assert first_again == first


def test_many_statements_are_stored_in_one_call(server: Server) -> None:
    asked = {"memories": [{"content": "The harbour cat is called Anker."}, {"content": " "}]}
    stored, refused = server.ask("POST", "/memories", asked).body["answers"]
    assert server.ask("GET", f"/memories/{stored['memory_id']}").status == 200
    assert (refused["error"]["code"], refused["error"]["field"]) == ("empty_text", "content")
    assert server.ask("POST", "/memories", {"memories": []}).status == 400
    assert server.ask("GET", "/memories").status == 405


def test_import_leaves_out_what_is_not_worthy_when_asked(server: Server) -> None:
    turn = {"session_id": "w", "position": 1, "speaker": "assistant", "text": "The user said that they love the sea."}
    body = server.ask("POST", "/import", {"turns": [turn], "keep": "worthy"}).body
    assert body["ids"] == [None]
    assert body["left_out"][0]["turn"] == 0


def test_of_messages_only_what_the_user_said_is_read_and_a_plan_comes_first(server: Server) -> None:
    messages = [{"role": "developer", "content": "The user lives in Oslo."}, {"role": "user", "content": "I keep bees in Bergen."},
                {"role": "assistant", "content": "I love the sea."}]  # fmt: skip
    plan, done, again = (
        server.ask("POST", "/import", {"messages": messages, "apply": apply}).body for apply in (False, True, True)
    )
    assert [one["content"] for one in plan["memories"]] == ["I keep bees in Bergen."]
    assert ([one["applied"] for one in (plan, done, again)], done["added"], again["added"]) == ([False, True, True], 1, 0)
    assert server.ask("POST", f"/runs/{done['run_id']}/undo", {}).status == 200


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "missing_field", "turns"),
        ({"messages": [{"role": "user", "content": "I drink tea."}], "keep": "worthy"}, "invalid_argument", "keep"),
        ({"turns": {}}, "invalid_argument", "turns"),
        ({"turns": [{"role": "user", "content": "I drink tea."}], "apply": False}, "invalid_argument", "apply"),
        ({"turns": [], "messages": [{"role": "user", "content": "tea"}]}, "invalid_argument", "turns"),
        ({"messages": []}, "invalid_argument", "messages"),
        ({"turns": ["tea"]}, "invalid_argument", "turns.0"),
        ({"turns": [], "keep": "some"}, "invalid_argument", "keep"),
        ({"turns": [], "user": "ben"}, "unknown_field", "user"),
        ({"turns": [{"session_id": "s", "position": 1, "speaker": "user"}]}, "missing_field", "turns.0.text"),
    ],
)
def test_a_bad_import_names_its_field(server: Server, body: object, code: str, field: str) -> None:
    answer = server.ask("POST", "/import", body)
    assert (answer.status, answer.code, answer.body["error"]["field"]) == (400, code, field)


def test_the_user_is_the_one_the_server_was_started_for(server: Server) -> None:
    memory_id = server.call("store_memory", content="I keep bees on the roof.")["memory_id"]
    (file,) = [part for part in server.process.args if str(part).endswith(".db")]  # type: ignore[union-attr]
    with Commonplace(str(file), user_id="ana") as memory, Commonplace(str(file), user_id="ben") as other:
        assert memory_id in {record["memory_id"] for record in memory.export()}
        assert list(other.export()) == []


def test_another_process_finds_it_at_once_and_the_other_way_round(server: Server) -> None:
    (file,) = [part for part in server.process.args if str(part).endswith(".db")]  # type: ignore[union-attr]
    with Commonplace(str(file), user_id="ana") as memory:
        memory.store_memory("My sister breeds axolotls in Turku.")
        assert server.call("search_memory", query="axolotls")["results"]
        server.call("store_memory", content="My brother restores harmoniums in Graz.")
        assert memory.search_memory("harmoniums").results


def test_many_at_once_lose_nothing_and_mix_nothing_up(server: Server) -> None:
    words = [f"quokka{n:03d}" for n in range(40)]

    def store_and_find(word: str) -> tuple[str, list[str]]:
        memory_id = server.call("store_memory", content=f"The code name of the boat is {word}.")["memory_id"]
        return memory_id, [hit["id"] for hit in server.call("search_memory", query=word)["results"][:1]]

    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(store_and_find, words))
    assert len({memory_id for memory_id, _ in found}) == len(words)
    assert all(hits == [memory_id] for memory_id, hits in found)


def test_the_same_asked_by_many_at_once_is_stored_once(server: Server) -> None:
    with ThreadPoolExecutor(16) as threads:
        stored = threads.map(lambda _: server.call("store_memory", content="I sing in a choir."), range(24))
        answers = list(stored)
    assert len({answer["memory_id"] for answer in answers}) == 1
    told = [(answer.get("notes") or {}).get("warnings") or [] for answer in answers]
    assert sum(KNOWN not in warnings for warnings in told) == 1  # the others were told that it was there


def test_a_long_import_does_not_hold_up_a_search(server: Server) -> None:
    turns = [
        {"session_id": "long", "position": n, "speaker": "user", "text": f"Entry {n} of the ship's log: calm sea."}
        for n in range(150)
    ]
    with ThreadPoolExecutor(2) as threads:
        importing = threads.submit(server.ask, "POST", "/import", {"turns": turns})
        searches = 0
        while not importing.done():
            server.call("search_memory", query="choir")
            searches += 1
            time.sleep(0.01)
    assert importing.result().status == 200
    assert searches >= 3


def test_the_announced_lines_work_when_pasted(server: Server) -> None:
    lines = [line.strip() for line in server.announced.splitlines() if line.strip().startswith("curl ")]
    assert [line.split("/tools/")[1].split()[0] for line in lines] == [
        "store_memory",
        "search_memory",
        "discover_memory_tools",
    ]
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    answers = [subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout for line in lines]
    assert '"success": true' in answers[0]
    assert "allergic to peanuts" in answers[1]
    assert '"total_memories"' in answers[2]

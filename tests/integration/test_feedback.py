"""Feedback, whole: told over every way in, heeded by every process, and gone without a trace."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.ports.bundle import Ports
from commonplace.settings import Settings
from tests import scripted_nights
from tests.asgi import client_of
from tests.conftest import NOON
from tests.integration.cloud_functions import ports as ports
from tests.integration.command_line import Done, run, stored
from tests.integration.lambda_calls import Context, handler, http, token

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]
QUERY = "which tea do I drink at noon"


def parts(memory: Commonplace, query: str = QUERY) -> dict[str, float]:
    """What feedback added to each memory that a query finds."""
    hits = memory.trace_search(query, options={"min_relevance": 0.0}).results
    return {hit.id: hit.parts.get("feedback", 0.0) for hit in hits}


def test_what_is_told_in_one_process_counts_in_the_next_search_of_another(open_memory: Opener) -> None:
    one, other = open_memory(), open_memory()
    tea = one.store_memory("I drink green tea at noon.").memory_id
    assert parts(other) == {tea: 0.0}
    assert one.record_feedback(tea, "what tea do I drink at noon?", useful=True).kept
    assert parts(other) == {tea: 0.03}
    assert one.record_feedback(tea, "what tea do I drink at noon?", useful=False).kept
    assert parts(other) == {tea: -0.03}
    assert other.forget_feedback(tea).forgotten == 1
    assert parts(one) == {tea: 0.0}


def test_a_memory_that_was_of_no_use_gives_way_to_one_that_matches_nearly_as_well(memory: Commonplace) -> None:
    for drink in ("green tea", "black tea"):
        memory.store_memory(f"I drink {drink} at noon.")
    first, second = (hit.id for hit in memory.search_memory(QUERY).results)
    memory.record_feedback(first, QUERY, useful=False)
    memory.record_feedback(second, QUERY, useful=True)
    assert [hit.id for hit in memory.search_memory(QUERY).results] == [second, first]
    assert memory.memory_search_personal(QUERY).results[0].id == second


def test_feedback_is_forgotten_once_and_none_is_none(memory: Commonplace) -> None:
    tea = memory.store_memory("I drink green tea at noon.").memory_id
    assert memory.forget_feedback().forgotten == 0
    memory.record_feedback(tea, QUERY, useful=True)
    assert [memory.forget_feedback().forgotten for _ in range(2)] == [1, 0]


def test_switched_off_no_query_is_kept_and_the_answer_says_so(memory_file: Path) -> None:
    settings = Settings.model_validate({"db": memory_file, "search_log": "false"})
    with Commonplace(user_id="ana", now=lambda: NOON, settings=settings) as memory:
        tea = memory.store_memory("I drink green tea at noon.").memory_id
        told = memory.record_feedback(tea, QUERY, useful=True)
        assert parts(memory) == {tea: 0.0}
    assert not told.kept
    assert told.notes is not None
    assert "COMMONPLACE_SEARCH_LOG" in str(told.notes.warnings)
    assert QUERY.encode() not in memory_file.read_bytes()


def test_a_secret_is_not_kept(memory: Commonplace, memory_file: Path) -> None:
    tea = memory.store_memory("I drink green tea at noon.").memory_id
    told = memory.record_feedback(tea, f"my wifi password is blue-monkey-42 and {QUERY}", useful=True)
    memory.close()
    assert told.notes is not None
    assert told.notes.redacted == ["password"]
    assert b"blue-monkey-42" not in memory_file.read_bytes()


def test_erasing_a_memory_leaves_no_word_of_what_was_told_of_it(memory: Commonplace, memory_file: Path) -> None:
    gone = memory.store_memory("The silver zither key hangs behind the mirror.").memory_id
    tea = memory.store_memory("I drink green tea at noon.").memory_id
    memory.record_feedback(gone, "brasserie", useful=False)
    memory.record_feedback(tea, "the zither key behind the mirror", useful=False)
    memory.record_feedback(tea, QUERY, useful=True)
    assert memory.erase(gone).notes is None
    memory.close()
    left = memory_file.read_bytes()
    assert not [word for word in (b"zither", b"brasserie") if word in left]
    assert QUERY.encode() in left


def test_what_a_night_forgets_takes_its_feedback_along(memory: Commonplace, memory_file: Path) -> None:
    def night(day: int, said: str) -> None:
        memory.record_interactions([scripted_nights.told(f"talk-{day}", said, time=f"2026-05-{day}T09:00:00+02:00")])
        memory.nightly(mode="rules")

    night(11, "I play the bassoon in the Ottakring orchestra.")
    (hit,) = memory.search_memory("bassoon").results
    memory.record_feedback(hit.id, "which bassoon orchestra do I play in", useful=True)
    night(12, "Forget my bassoon.")
    assert memory.forget_feedback().forgotten == 0


def command(file: Path, *arguments: str) -> Done:
    return run("feedback", *arguments, "--db", str(file), home=file.parent)


def test_a_person_tells_it_on_the_command_line(memory_file: Path) -> None:
    stored("I drink green tea at noon.", memory_file)
    found = run("search", QUERY, "--json", "--db", str(memory_file), home=memory_file.parent).answer["results"]
    done = command(memory_file, found[0]["id"], *QUERY.split(), "--useful")
    assert (done.code, done.err) == (0, "")
    assert all(word in done.out for word in (found[0]["id"], QUERY, "yes", "for 90 days"))
    answer = command(memory_file, found[0]["id"], QUERY, "--not-useful", "--json").answer
    assert answer == {"memory_id": found[0]["id"], "query": QUERY, "useful": False, "kept": True}
    assert command(memory_file, "--forget").out.split() == ["forgotten", "1"]
    assert command(memory_file, found[0]["id"], "--forget", "--json").answer == {"forgotten": 0}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "--useful or --not-useful"),
        (("mem_0", "tea"), 2, "--useful or --not-useful"),
        (("mem_0", "tea", "--forget"), 2, "--forget takes only an ID"),
        (("mem_0", "?!", "--useful"), 2, "QUERY: must contain at least one letter"),
        (("mem_0", "tea", "--useful"), 3, "ID: no memory has this id"),
        (("mem_0", "--forget"), 3, "ID: no memory has this id"),
    ],
)
def test_the_command_line_says_what_is_wrong(memory_file: Path, arguments: tuple[str, ...], code: int, says: str) -> None:
    stored("I drink green tea at noon.", memory_file)
    done = command(memory_file, *arguments)
    assert (done.code, done.out) == (code, "")
    assert says in done.err


def test_it_is_told_over_http(memory: Commonplace) -> None:
    tea = memory.store_memory("I drink green tea at noon.").memory_id
    client = client_of(memory)

    def asked(path: str, body: dict[str, Any], status: int = 200) -> Any:
        answer = client.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    rating = {"memory_id": tea, "query": QUERY, "useful": True}
    assert asked("/feedback", rating) == {**rating, "kept": True}
    assert parts(memory) == {tea: 0.03}
    assert asked("/feedback", {**rating, "useful": None}, 400)["error"]["field"] == "useful"
    assert asked("/feedback", {**rating, "memory_id": "mem_0"}, 404)["error"]["field"] == "memory_id"
    assert asked("/feedback/forget", {}) == {"forgotten": 1}
    assert client.get("/feedback", headers={"Host": "127.0.0.1:8787"}).status_code == 405
    assert parts(memory) == {tea: 0.0}


def test_it_is_told_to_the_function_that_records(ports: Ports) -> None:
    def asked(function: str, path: str, body: object, authorizer: Any = None, method: str = "POST") -> tuple[int, Any]:
        response = handler(function)(http(path, body, method, authorizer), Context())
        return response["statusCode"], json.loads(response["body"])

    _, kept = asked("store", "/tools/store_memory", {"content": "I drink green tea at noon."})
    rating = {"memory_id": kept["memory_id"], "query": QUERY, "useful": True}
    assert asked("record", "/feedback", rating) == (200, {**rating, "kept": True})
    _, told = asked("search", "/tools/trace_search", {"query": QUERY})
    assert told["results"][0]["parts"]["feedback"] == 0.03
    assert asked("record", "/feedback", rating, token("ben"))[0] == 404
    assert asked("record", "/feedback", None, method="GET")[0] == 405
    assert asked("search", "/feedback", rating)[1]["error"]["code"] == "unknown_tool"
    assert asked("record", "/feedback/forget", {"memory_id": kept["memory_id"]}) == (200, {"forgotten": 1})

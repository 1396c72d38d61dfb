"""What is counted of memories, and the tools that count it: the same for every adapter, whatever keeps the record."""

from datetime import UTC, datetime, timedelta
from typing import Any

from commonplace.domain.memory import Memory
from commonplace.domain.outline import Outline
from commonplace.memories.transitions import deleted, erased, superseded
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller, Visibility
from commonplace.retrieval.record_scan import is_visible
from commonplace.use_cases.dispatch import answer
from tests.conftest import NOON
from tests.contract.conftest import Writer

ANA, LATER = "local|ana", NOON + timedelta(hours=1)
JUNE = datetime(2025, 6, 1, 23, 30, 0, 250_000, UTC)


def outlines(ports: Ports, *terms: str, user_id: str = ANA) -> list[Outline]:
    return sorted(ports.facts.outlines(user_id, terms))


def changed(ports: Ports, memory: Memory) -> Memory:
    return ports.records.update(memory, Audit("test", LATER, {}))


def test_every_field_that_is_counted_is_told(ports: Ports, writer: Writer) -> None:
    memory = writer.write(
        "The user drinks tea in Ávila", tags=("tea", "drïnk"), concepts=("tea", "茶"), event_time=JUNE, collection="work",
        agent_id="chef", category="learnings", section="preference", memory_type="preference", durability="daily",
        valid_from=JUNE, valid_to=LATER, expires_at=LATER,
    )  # fmt: skip
    (told,) = outlines(ports)
    assert told == Outline.of(memory)
    assert (told.happened_at, told.created_at) == (JUNE.timestamp(), memory.created_at.timestamp())
    assert (told.tags, told.concepts, told.durability) == (("tea", "drïnk"), ("tea", "茶"), "daily")
    assert (told.valid_from, told.valid_to, told.expires_at) == (JUNE.timestamp(), *[LATER.timestamp()] * 2)


def test_closed_ones_are_told_and_erased_ones_are_not(ports: Ports, writer: Writer) -> None:
    old, gone, wiped, new = (writer.write(text) for text in ("coffee", "milk", "secret", "tea"))
    writer.write("of another", user_id="local|ben")
    now = [changed(ports, superseded(old, new.memory_id, LATER)), changed(ports, deleted(gone, LATER)), new]
    ports.records.update(erased(wiped, LATER), Audit("erase", LATER, {}))
    assert outlines(ports) == sorted(one for memory in now if (one := Outline.of(memory)) is not None)
    assert [one.superseded_by for one in outlines(ports)] == [new.memory_id, None, None]
    assert [one.closed_at(LATER.timestamp()) for one in outlines(ports)] == [*[LATER.timestamp()] * 2, None]
    assert len(outlines(ports, user_id="local|ben")) == 1
    assert outlines(ports, user_id="local|nobody") == []


def test_asked_again_what_changed_meanwhile_is_told(ports: Ports, writer: Writer) -> None:
    tea, milk = writer.write("tea"), writer.write("milk")
    assert outlines(ports) == sorted(one for one in map(Outline.of, (tea, milk)) if one)
    closed, new = changed(ports, deleted(tea, LATER)), writer.write("water")
    assert outlines(ports) == sorted(one for one in map(Outline.of, (closed, milk, new)) if one)
    ports.records.update(erased(milk, LATER), Audit("erase", LATER, {}))
    assert {one.memory_id for one in outlines(ports)} == {tea.memory_id, new.memory_id}
    writer.write("of another", user_id="local|ben")
    assert len(outlines(ports, user_id="local|ben")) == 1
    assert {one.memory_id for one in outlines(ports)} == {tea.memory_id, new.memory_id}


def test_terms_stand_in_the_words_or_in_the_labels(ports: Ports, writer: Writer) -> None:
    both = writer.write("green tea every day", tags=("ceremony",))
    writer.write("green apples")
    writer.write("green tea", user_id="local|ben")
    assert [one.memory_id for one in outlines(ports, "green", "tea")] == [both.memory_id]
    assert [one.memory_id for one in outlines(ports, "tea", "ceremoni")] == [both.memory_id]
    assert len(outlines(ports, "green")) == 2
    assert outlines(ports, "coffe") == []


def test_what_a_search_may_show_is_what_an_outline_calls_visible(ports: Ports, writer: Writer) -> None:
    times = (None, NOON, LATER)
    for agent in ("global", "chef", "other"):
        for number, begins in enumerate(times):
            for ends in times:
                for over in times:
                    text = f"tea {agent} {number} {ends} {over}"
                    writer.write(text, agent_id=agent, valid_from=begins, valid_to=ends, expires_at=over)
    for now in (NOON - timedelta(seconds=1), NOON, LATER):
        seen = Visibility(ANA, ("global", "chef"), now)
        expected = sorted(memory.memory_id for memory in ports.records.all(ANA) if is_visible(seen, memory))
        assert [one.memory_id for one in outlines(ports) if one.is_visible(seen.agents, now.timestamp())] == expected


def answered(ports: Ports, tool: str, **arguments: object) -> dict[str, Any]:
    status, body = answer(tool, arguments, Caller(ANA, LATER), ports)
    assert status == 200, body
    return body


def test_the_tools_that_count_say_the_same_over_every_adapter(ports: Ports, writer: Writer) -> None:
    for number in range(3):
        writer.write(f"tea {number}", tags=("tea",), concepts=("Tea", "cup"), event_time=JUNE)
    old, new = writer.write("coffee is fine"), writer.write("coffee is bad", concepts=("coffee",))
    changed(ports, superseded(old, new.memory_id, LATER))
    writer.write("of another", user_id="local|ben", concepts=("Tea", "cup"))
    told = answered(ports, "memory_stats")
    assert (told["total"], told["by"]["status"]) == (4, {"active": 4, "superseded": 1})
    assert told["growth"] == [{"month": "2026-05", "added": 5, "closed": 1}]
    assert told["tags"]["top"] == [{"tag": "tea", "count": 3}]
    june, may = answered(ports, "memory_timeline")["buckets"]
    assert (june["start"][:7], june["count"], june["concepts"]) == ("2025-06", 3, ["Tea", "cup"])
    assert (may["start"][:7], may["count"], may["concepts"]) == ("2026-05", 1, ["coffee"])
    (change,) = may["changes"]
    assert (change["old"], change["new"]) == (
        {"id": old.memory_id, "content": "coffee is fine"}, {"id": new.memory_id, "content": "coffee is bad"},
    )  # fmt: skip
    (bucket,) = answered(ports, "memory_timeline", topic="tea")["buckets"]
    assert (bucket["count"], bucket["changes"]) == (3, [])
    graph = answered(ports, "concept_network")
    assert graph["nodes"] == [
        {"id": "Tea", "count": 3, "community": 0}, {"id": "cup", "count": 3, "community": 0},
        {"id": "coffee", "count": 1, "community": 1},
    ]  # fmt: skip
    assert graph["links"] == [{"source": "Tea", "target": "cup", "weight": 1.0, "count": 3}]

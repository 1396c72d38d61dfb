"""Records that can't be read: the others are read, each of them is named, and erasing takes it away."""

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace.adapters.folder import FolderPages
from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_memory_id
from commonplace.domain.memory import Memory
from commonplace.domain.outline import Outline
from commonplace.extraction.candidate import Reading
from commonplace.nightly.service import Nights
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.pages.publishing import write_pages
from commonplace.ports.values import Caller, Filter
from commonplace.retrieval.record_scan import visibility_of
from commonplace.runs.apply import RunContext
from commonplace.use_cases import dispatch
from commonplace.use_cases.import_records import import_records
from tests.conftest import NOON
from tests.contract.changes import ANA, LATER, changed, closing, opening, operation
from tests.contract.conftest import Writer
from tests.contract.damage import Damage, damage_of

WORD = "zanzibar"  # of each damaged memory
CALLER = Caller(ANA, LATER)


def without(memory: Memory, **fields: object) -> bytes:
    return json.dumps({**memory.model_dump(mode="json"), **fields}).encode()


def broken(memory: Memory) -> dict[str, bytes]:
    whole = memory.model_dump_json().encode()
    kept = memory.model_dump(mode="json")
    return {
        "cut": whole[:-20],
        "no JSON": whole.replace(b'"raw_text":', b'"raw_text";'),
        "no UTF-8": whole.replace(WORD.encode(), WORD.encode()[:-1] + b"\xff"),
        "a field missing": json.dumps({name: value for name, value in kept.items() if name != "created_at"}).encode(),
        "no such category": without(memory, category="of another planet"),
        "another type": without(memory, raw_text=[WORD]),
        "no date": without(memory, created_at=WORD),
        "another memory's": without(memory, memory_id="mem_other"),
        "a list": b"[]",
        "nothing": b"",
    }


HOW = (
    "cut", "no JSON", "no UTF-8", "a field missing", "no such category", "another type", "no date", "another memory's",
    "a list", "nothing",
)  # fmt: skip


@pytest.fixture
def damage(request: pytest.FixtureRequest, opened: OpenStore, tmp_path: Path) -> Damage:
    assert opened
    return damage_of(request, request.node.callspec.params["opened"], tmp_path / "memory.db")


@pytest.fixture
def writer(opened: OpenStore) -> Writer:
    return Writer(opened.ports)


@pytest.fixture
def whole(opened: OpenStore, writer: Writer) -> list[Memory]:
    """Two memories of one user: the damaged ones lie between them."""
    texts = ("I drink green tea in the morning.", "I keep green tea in a tin.")
    first, last = (writer.entry(text, tags=(text.split()[1],), key=f"k{at}") for at, text in enumerate(texts))
    between = timedelta(seconds=len(HOW) + 1)
    later = last.memory.model_copy(update=dict.fromkeys(("created_at", "updated_at"), last.memory.created_at + between))
    return [memory for memory, _ in opened.ports.records.add([first, replace(last, memory=later)])]


@pytest.fixture
def damaged(
    request: pytest.FixtureRequest, opened: OpenStore, whole: list[Memory], writer: Writer, damage: Damage
) -> dict[str, Memory]:
    """A memory of the same user for each kind of damage, by its name, with that damage."""
    kinds = HOW if request.node.callspec.params["opened"] != "dynamodb" else tuple(set(HOW) - {"no UTF-8"})
    memories = {
        kind: writer.write(f"I fly to {WORD} with green tea, time {at}.", tags=("fly",), key=f"damaged{at}")
        for at, kind in enumerate(kinds)
    }
    for kind, memory in memories.items():
        damage(memory.memory_id, broken(memory)[kind])
    return memories


def ids_of(memories: Iterable[Memory]) -> list[str]:
    return sorted(memory.memory_id for memory in memories)


def context(opened: OpenStore) -> RunContext:
    return RunContext(CALLER, opened.ports, opened.night(), lambda: LATER)


def test_every_way_of_reading_gives_the_others(
    opened: OpenStore, whole: list[Memory], damaged: dict[str, Memory], caplog: pytest.LogCaptureFixture
) -> None:
    records, ids = opened.ports.records, ids_of([*whole, *damaged.values()])
    visibility = visibility_of(CALLER)
    ways: dict[str, Callable[[], Sequence[Memory | Outline]]] = {
        "get": lambda: records.get(ANA, ids),
        "all": lambda: list(records.all(ANA)),
        "listed": lambda: records.listed(visibility, Filter(), 20)[0],
        "newest": lambda: [one.memory for one in records.newest(ANA, 20)[0]],
        "outlines": lambda: opened.ports.facts.outlines(ANA),
        "outlines of a word": lambda: opened.ports.facts.outlines(ANA, ["tea"]),
        "every": lambda: [one.memory for one in opened.everything().every()],
    }
    for name, read in ways.items():
        with gathered() as flaws:
            found = sorted(memory.memory_id for memory in read())
        assert found == ids_of(whole), name
        assert {kind for kind, one in damaged.items() if one.memory_id not in flaws.unreadable} == set(), name
        assert flaws.unreadable == {one.memory_id: ANA for one in damaged.values()}, name
    list(records.all(ANA))
    for kind, one in damaged.items():
        assert opened.ports.operations.holder(ANA, "default", one.key or "", LATER) is None, kind
        assert one.memory_id in caplog.text, kind
    assert WORD not in caplog.text


def test_a_list_goes_on_behind_them(opened: OpenStore, whole: list[Memory], damaged: dict[str, Memory]) -> None:
    listed, visibility = opened.ports.records.listed, visibility_of(CALLER)
    found, cursor, pages = list[str](), None, 0
    while pages == 0 or cursor:
        page, cursor = listed(visibility, Filter(), 1, cursor)
        found, pages = [*found, *(memory.memory_id for memory in page)], pages + 1
    assert found == [whole[1].memory_id, whole[0].memory_id], damaged


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_memory", {"query": f"green tea {WORD}"}),
        ("memory_search_personal", {"query": f"green tea {WORD}"}),
        ("memory_search", {"query": f"green tea {WORD}"}),
        ("list_memories", {}),
        ("history", {"key": "k0"}),
        ("get_memory_context", {"topic": f"green tea and {WORD}"}),
        ("read_memory", {"category": "personal_context"}),
        ("summarize_memory", {"query": f"green tea {WORD}"}),
        ("store_memory", {"content": f"I bring green tea from {WORD}."}),
    ],
)
def test_a_tool_answers_with_the_others_and_names_it(
    opened: OpenStore, whole: list[Memory], writer: Writer, damage: Damage, tool: str, arguments: dict[str, str]
) -> None:
    cut = writer.write(f"I fly to {WORD} with green tea.", tags=("fly",), key="k2")
    damage(cut.memory_id, broken(cut)["cut"])
    if tool == "history":
        status, answer = 200, Nights(context(opened), lambda *_: Reading(())).history("k0").model_dump(mode="json")
    else:
        status, answer = dispatch.answer(tool, arguments, CALLER, opened.ports)
    assert status == 200, answer
    assert answer["unreadable"] == [cut.memory_id]


def test_discover_answers(opened: OpenStore, damaged: dict[str, Memory]) -> None:
    status, answer = dispatch.answer("discover_memory_tools", {}, CALLER, opened.ports)
    assert status == 200, (answer, damaged)


def test_the_same_may_be_said_anew_under_the_same_key(opened: OpenStore, writer: Writer, damaged: dict[str, Memory]) -> None:
    for kind, one in damaged.items():
        again = writer.write(one.raw_text, key=one.key, tags=one.tags)
        assert again.memory_id != one.memory_id, kind
        assert opened.ports.operations.holder(ANA, "default", one.key or "", LATER) == again, kind
        assert again.memory_id in ids_of(opened.ports.records.all(ANA)), kind


def test_a_change_of_it_is_a_conflict(opened: OpenStore, damaged: dict[str, Memory]) -> None:
    for kind, one in damaged.items():
        with pytest.raises(CommonplaceError) as caught:
            opened.ports.operations.apply(operation(closing(one)))
        assert caught.value.code is ErrorCode.CONFLICT, kind
        with pytest.raises(CommonplaceError) as caught:
            opened.ports.records.update(changed(one), closing(one).audit)
        assert caught.value.code is ErrorCode.NOT_FOUND, kind


def erasure(opened: OpenStore) -> ErasableUser:
    return ErasableUser(context(opened), opened.erasure())


@pytest.mark.parametrize("tool", ["get_memory", "update_memory", "delete_memory"])
def test_who_asks_for_it_by_its_id_is_told(opened: OpenStore, writer: Writer, damage: Damage, tool: str) -> None:
    made = writer.entry("tea", memory_id=new_memory_id(NOON))
    opened.ports.records.add([made])
    damage(made.memory.memory_id, b"{")
    arguments = {"memory_id": made.memory.memory_id, **({"importance": 5} if tool == "update_memory" else {})}
    status, answer = dispatch.answer(tool, arguments, CALLER, opened.ports)
    assert (status, answer["error"]["field"]) == (404, "memory_id")
    assert "can't be read" in answer["error"]["message"]


def test_a_user_leaves_whole(opened: OpenStore, writer: Writer, damaged: dict[str, Memory]) -> None:
    other = writer.write("Ben drinks coffee.", "local|ben")
    assert erasure(opened).memories() == len(damaged) + 2
    assert erasure(opened).erase().memories == len(damaged) + 2
    with gathered() as flaws:
        assert list(opened.ports.records.all(ANA)) == []
        assert [one.memory for one in opened.everything().every()] == [other]
    assert not flaws.unreadable, [kind for kind, one in damaged.items() if one.memory_id in flaws.unreadable]


def test_it_is_erased_by_its_id_and_nothing_else_is(
    opened: OpenStore, whole: list[Memory], damaged: dict[str, Memory]
) -> None:
    left = {one.memory_id for one in damaged.values()}
    for kind, one in damaged.items():
        assert erasure(opened).erase_memory(one.memory_id).ids == (one.memory_id,), kind
        left.remove(one.memory_id)
        with gathered() as flaws:
            assert ids_of(opened.ports.records.all(ANA)) == ids_of(whole), kind
        assert set(flaws.unreadable) == left, kind
        assert opened.ports.records.audits(ANA, one.memory_id) == [], kind
        with pytest.raises(CommonplaceError) as caught:
            erasure(opened).erase_memory(one.memory_id)
        assert caught.value.code is ErrorCode.NOT_FOUND, kind
    assert opened.ports.operations.keys(visibility_of(CALLER), "default") == ["k0", "k1"]
    assert opened.ports.facts.tags(ANA) == {"drink": 1, "keep": 1}


def test_what_can_be_read_is_not_erased_as_unreadable(opened: OpenStore, whole: list[Memory]) -> None:
    assert not opened.erasure().erase_unreadable(ANA, whole[0].memory_id)
    assert not opened.erasure().erase_unreadable("local|ben", whole[0].memory_id)
    assert not opened.erasure().erase_unreadable(ANA, "mem_none")
    assert list(opened.ports.records.all(ANA)) == whole


def test_what_took_its_place_goes_with_it(opened: OpenStore, writer: Writer, damage: Damage) -> None:
    old = writer.write(f"I live in {WORD}.")
    new = opening(writer, "I live in Lisbon.", supersedes=old.memory_id)
    closed = closing(old, superseded_by=new.memory.memory_id)
    assert opened.ports.operations.apply(operation(closed, opens=new))
    damage(old.memory_id, b"{")
    assert set(erasure(opened).erase_memory(new.memory.memory_id).ids) == {old.memory_id, new.memory.memory_id}
    with gathered() as flaws:
        assert [memory.content for memory in opened.ports.records.all(ANA)] == [""]
    assert not flaws.unreadable


def test_pages_hold_the_others(opened: OpenStore, whole: list[Memory], damaged: dict[str, Memory], tmp_path: Path) -> None:
    pages = FolderPages(tmp_path / "pages")
    done = write_pages(pages, CALLER, opened.ports)
    assert sorted(done.unreadable) == ids_of(damaged.values())
    assert whole[0].memory_id in (pages.read("MEMORY.md") or "")


def test_an_import_leaves_it_and_says_so(opened: OpenStore, damaged: dict[str, Memory]) -> None:
    for kind, one in damaged.items():
        given = [one.model_dump(mode="json")]
        done = import_records(given, CALLER, opened.ports, apply=True)
        assert [(refused.where, refused.code) for refused in done.refused] == [(one.memory_id, "conflict")], kind
        assert "can't be read" in done.refused[0].message, kind
        assert erasure(opened).erase_memory(one.memory_id).ids == (one.memory_id,), kind
        assert import_records(given, CALLER, opened.ports, apply=True).added == 1, kind


def test_nothing_is_logged_of_their_words(
    opened: OpenStore, damaged: dict[str, Memory], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        dispatch.answer("search_memory", {"query": "tea"}, CALLER, opened.ports)
        list(opened.ports.records.all(ANA))
    assert WORD not in "".join(line for line in caplog.text.splitlines() if "commonplace" in line)
    assert {kind for kind, one in damaged.items() if one.memory_id not in caplog.text} == set()

"""The tags in use, page by page: all of them, however many."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import Commonplace, legacy
from commonplace.domain.storage import TagsRequest
from commonplace.ports.bundle import Ports
from commonplace.ports.values import MOST_TAGS, Caller
from commonplace.use_cases.listing import list_tags
from tests.conftest import NOON, refusal
from tests.integration.cloud_functions import ports as ports
from tests.integration.command_line import run

pytestmark = pytest.mark.integration

MANY = [f"topic{number:03}" for number in range(MOST_TAGS + 31)]


def fill(memory: Commonplace) -> None:
    """A memory for each twenty tags, and one more that has the last of them."""
    turns = [MANY[start : start + 20] for start in range(0, len(MANY), 20)] + [MANY[-1:]]
    contents = [f"The list number {number} is about many things." for number in range(len(turns))]
    given = [{"content": text, "context": {"additional_tags": tags}} for text, tags in zip(contents, turns, strict=True)]
    assert memory.store_memories(given, wait=False).refused == 0


def test_every_tag_of_more_than_five_hundred_is_listed_once(memory: Commonplace, memory_file: Path) -> None:
    fill(memory)
    memory.store_memory(
        "This one is of another time.", context={"additional_tags": ["aaa"], "expires_at": NOON + timedelta(1)}
    )
    first = memory.tags()
    assert (len(first.tags), first.cursor is None) == (500, False)
    rest = memory.tags(cursor=first.cursor)
    counts = {one.tag: one.count for one in (*first.tags, *rest.tags)}
    assert list(counts) == sorted(counts)
    assert set(MANY) <= set(counts)
    assert rest.cursor is None
    assert (counts[MANY[0]], counts[MANY[-1]]) == (1, 2)
    told = run("tags", "list", "--db", str(memory_file), "--user", "ana", "--json", home=memory_file.parent)
    assert {one["tag"] for one in told.answer["tags"]} == set(counts) - {"aaa"}  # whose time is over by the real clock
    (found,) = legacy.tinydb_find_similar_tags(MANY[-3], threshold=1.0, memory=memory)
    assert found == {"tag": MANY[-3], "similarity": 1.0, "count": 1}


def test_a_cursor_is_of_one_user_and_changed_by_nobody(open_memory: Callable[..., Commonplace]) -> None:
    ana, ben = open_memory(), open_memory(user_id="ben")
    ana.store_memory("I like tea.", context={"additional_tags": ["one", "two", "three"]})
    cursor = ana.tags(limit=1).cursor
    assert cursor is not None
    assert ben.tags().tags == []
    for refused in (lambda: ben.tags(cursor=cursor), lambda: ana.tags(cursor=cursor[:-2]), lambda: ana.tags(limit=501)):
        assert refusal(refused).code.status == 400


def test_on_aws_without_an_index_too(ports: Ports) -> None:
    from commonplace.use_cases import dispatch

    caller = Caller("http|ana", NOON)
    dispatch.call("store_memory", {"content": "I like tea.", "context": {"additional_tags": ["assam"]}}, caller, ports)
    assert {"assam"} <= {one.tag for one in list_tags(TagsRequest(), caller, ports).tags}

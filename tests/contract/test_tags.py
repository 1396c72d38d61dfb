"""Tags of one meaning made one, over every store: planned, applied, searched by, taken back and forgotten."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.values import Caller
from commonplace.runs.queueing import exclusive_lease
from commonplace.runs.staging import run_context
from commonplace.runs.undo import approve, undo_run
from commonplace.use_cases import dispatch
from tests.conftest import NOON

pytestmark = pytest.mark.integration

ANA = Caller("local|ana", NOON)
OF_A_WRITE = {"version", "updated_at", "access_count", "last_accessed"}
CLUSTER, PODS = "The cluster runs on three nodes.", "We moved the pods yesterday evening."


def call(opened: OpenStore, tool: str, caller: Caller = ANA, **arguments: Any) -> Any:
    return dispatch.call(tool, arguments, caller, replace(opened.ports, night=opened.night))


def stored(opened: OpenStore, text: str, *tags: str, at: int = 0) -> str:
    memory_id = str(call(opened, "store_memory", replace(ANA, now=NOON - timedelta(days=at)), content=text).memory_id)
    call(opened, "update_memory", memory_id=memory_id, tags=list(tags))
    return memory_id


def tags(opened: OpenStore, *ids: str) -> list[tuple[str, ...]]:
    return [one.tags for one in opened.ports.records.get(ANA.user_id, ids)]


def found(opened: OpenStore, query: str) -> set[str]:
    """The first two; a tag alone, in a small store, is of little relevance."""
    hits = call(opened, "search_memory", query=query, options={"min_relevance": 0.0}).results
    return {hit.id for hit in hits[:2]}


def rows(opened: OpenStore) -> dict[str, str | None]:
    return {tag: row.into for tag, row in opened.ports.tag_rows.rows(ANA.user_id).items()}


def test_tags_of_one_meaning_become_one_and_the_old_ones_still_find(opened: OpenStore) -> None:
    ids = [stored(opened, CLUSTER, "kubernets", "q1-2023"), stored(opened, PODS, "kubernetes", "q1-2024", at=3)]
    before = [one.model_dump(exclude=OF_A_WRITE) for one in opened.ports.records.get(ANA.user_id, ids)]
    plan = call(opened, "optimize_tags")
    assert [(one.source, one.to, one.memories) for one in plan.merges] == [("kubernets", "kubernetes", 1)]
    assert (plan.before.distinct, plan.after.distinct, plan.status) == (4, 3, "needs_review")
    assert tags(opened, *ids) == [("kubernets", "q1-2023"), ("kubernetes", "q1-2024")]
    assert rows(opened) == {}
    done = call(opened, "optimize_tags", run_id=plan.run_id, dry_run=False)
    assert (done.status, done.merges) == ("done", plan.merges)
    assert tags(opened, *ids) == [("kubernetes", "q1-2023"), ("kubernetes", "q1-2024")]
    assert rows(opened) == {"kubernets": "kubernetes"}
    assert found(opened, "kubernets") == {*ids}
    new = stored(opened, "I deploy on Fridays.", "kubernets")
    assert tags(opened, new) == [("kubernetes",)]
    context = run_context(ANA, replace(opened.ports, night=opened.night))
    with exclusive_lease(context) as lease:
        run = context.night.runs.get(ANA.user_id, plan.run_id)
        assert run is not None
        assert {one.outcome for one in undo_run(run, context, lease).operations} == {"undone"}
    after = [one.model_dump(exclude=OF_A_WRITE) for one in opened.ports.records.get(ANA.user_id, ids)]
    assert after == before
    assert rows(opened) == {}


def test_a_plan_that_a_person_approves_keeps_the_old_names_too(opened: OpenStore) -> None:
    ids = [stored(opened, CLUSTER, "cook-book"), stored(opened, PODS, "cookbook")]
    for bird in ("heron", "robin", "crow", "swift", "owl", "gull"):
        stored(opened, f"I saw a {bird} in the park.", "birds")
    plan = call(opened, "optimize_tags")
    context = run_context(ANA, replace(opened.ports, night=opened.night))
    with exclusive_lease(context) as lease:
        run = context.night.runs.get(ANA.user_id, plan.run_id)
        assert run is not None
        approve(run, context, lease)
    assert tags(opened, *ids) == [("cookbook",)] * 2
    assert rows(opened) == {"cook-book": "cookbook"}
    assert found(opened, "cook-book") == found(opened, "cookbook") == {*ids}


def test_what_only_looks_alike_stays_two_and_nothing_is_no_run(opened: OpenStore) -> None:
    stored(opened, CLUSTER, "python2", "java", "2023")
    stored(opened, PODS, "python3", "javascript", "2024")
    told = call(opened, "optimize_tags", dry_run=False)
    assert (told.merges, told.run_id, told.status) == ([], None, "done")
    assert told.before == told.after


def test_as_many_are_proposed_as_discover_counts(opened: OpenStore) -> None:
    stored(opened, CLUSTER, "kubernets", "cook-book", "go", "glass", "filing")
    stored(opened, PODS, "kubernetes", "cookbook", "garden-outdoors", "glasses", "filling")
    told = call(opened, "discover_memory_tools").current_system_state.optimization_opportunities
    assert "consolidate 2 duplicate tags" in told
    assert len(call(opened, "optimize_tags").merges) == 2


@pytest.mark.meaning
def test_a_short_form_that_a_memory_spells_out_counts_too(opened: OpenStore) -> None:
    stored(opened, "The net present value (NPV) of the bridge is high.", "npv")
    stored(opened, "Ana computes what a bridge is worth.", "net-present-value")
    told = call(opened, "discover_memory_tools").current_system_state.optimization_opportunities
    assert told == ["consolidate 1 duplicate tag"]
    assert len(call(opened, "optimize_tags").merges) == 1


def test_an_older_name_leads_on_to_the_newest(opened: OpenStore) -> None:
    stored(opened, CLUSTER, "machne-learning", "ml")
    stored(opened, PODS, "machine-learning")
    call(opened, "optimize_tags", dry_run=False)
    assert set(rows(opened).values()) == {"machine-learning"}


def test_tags_of_closed_memories_alone_are_told_after_half_a_year(opened: OpenStore) -> None:
    gone = stored(opened, CLUSTER, "mainframe", at=300)
    call(opened, "delete_memory", replace(ANA, now=NOON - timedelta(days=200)), memory_id=gone)
    stored(opened, PODS, "recipe")
    assert call(opened, "optimize_tags").archived in (["mainframe"], [])  # purged by a store whose clock is confirmed
    assert call(opened, "optimize_tags", replace(ANA, now=NOON - timedelta(days=150))).archived == []


def test_what_was_erased_leaves_no_name(opened: OpenStore) -> None:
    secret = stored(opened, CLUSTER, "hypertensoin", "hypertension")
    stored(opened, PODS, "recipe")
    plan = call(opened, "optimize_tags", dry_run=False)
    assert rows(opened) == {"hypertensoin": "hypertension"}
    context = run_context(ANA, replace(opened.ports, night=opened.night))
    ErasableUser(context, opened.erasure()).erase_memory(secret)
    assert rows(opened) == {}
    run = opened.night().runs.get(ANA.user_id, plan.run_id)
    assert run is not None
    assert run.tags == ()

"""The index kept in step with the records: after an outage, over a rebuild while writes go on, and by the doctor."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from opensearchpy import OpenSearch

from cloud import faults
from cloud.proxy import FaultProxy
from commonplace.adapters.opensearch import rebuild as opensearch_rebuild
from commonplace.adapters.opensearch.client import connect
from commonplace.adapters.opensearch.document import source
from commonplace.adapters.opensearch.index import OpenSearchIndex
from commonplace.adapters.opensearch.rebuild import OpenSearchContents, OpenSearchRebuild, OpenSearchWriter, set_up
from commonplace.bootstrap.local import open_local
from commonplace.domain.errors import CommonplaceError
from commonplace.indexing import rebuild as index_rebuild
from commonplace.indexing.consistency import ConsistencyReport, UserIndex, check_consistency, check_part, repair
from commonplace.indexing.rebuild import EmbeddingRenewal, reindex
from commonplace.indexing.stream import project, reconcile
from commonplace.ports.bundle import Ports, Upkeep
from commonplace.ports.values import Audit, Filter, IndexChange, IndexOutcome, IndexUnavailable, Vector, Visibility
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.contract.conftest import Writer
from tests.integration.test_opensearch_writing import documents, stored
from tests.opensearch_indices import LAYOUT, FollowedRecords

pytestmark = pytest.mark.integration

SEEN = Visibility("local|ana", ("global",), NOON + timedelta(hours=1))
LATER = NOON + timedelta(minutes=10)
DONE = Audit("delete", NOON, {})


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Ports]:
    opened = open_local(Settings(db=tmp_path / "memory.db"))
    yield opened.ports
    opened.close()


@pytest.fixture
def records(local: Ports, opensearch_client: OpenSearch, new_index: str) -> FollowedRecords:
    """A store of which nothing is indexed by itself."""
    return FollowedRecords(local.records, opensearch_client, new_index, "nothing")


@pytest.fixture
def writer(local: Ports, records: FollowedRecords) -> Writer:
    return Writer(replace(local, records=records))


@pytest.fixture
def to_index(opensearch_client: OpenSearch, new_index: str) -> OpenSearchWriter:
    return OpenSearchWriter(opensearch_client, new_index)


def never(change: IndexChange, outcome: IndexOutcome) -> None:
    raise AssertionError(outcome)


def silent(_done: int) -> None: ...


def active(client: OpenSearch, alias: str) -> set[str]:
    client.indices.refresh(index=alias)
    return {name for name, kept in documents(client, alias).items() if kept["status"] == "active"}


def test_what_the_index_holds_is_no_longer_pending(
    records: FollowedRecords, writer: Writer, to_index: OpenSearchWriter
) -> None:
    kept, changed = writer.write("tea"), writer.write("bread")
    old = list(records.pending("local|ana")[0])
    records.update(changed.model_copy(update={"raw_text": "cake", "version": 2}), DONE)
    assert [outcome.state for outcome in project(old, to_index, records)] == ["done", "done"]
    (waiting,) = records.pending("local|ana")[0]
    assert (waiting.memory.memory_id, waiting.memory.version) == (changed.memory_id, 2)
    assert kept.memory_id not in [one.memory.memory_id for one in records.pending("local|ana")[0]]


def test_what_an_outage_left_is_indexed_by_the_next_run(
    opensearch_url: str, opensearch_client: OpenSearch, new_index: str, records: FollowedRecords, writer: Writer
) -> None:
    ids = {writer.write(f"memory {number}").memory_id for number in range(5)}
    with FaultProxy(opensearch_url) as proxy:
        to_index = OpenSearchWriter(connect(proxy.url), new_index)
        proxy.refuse()
        assert reconcile(LATER, to_index, records, never) == {"retry": 5}
        assert len(records.pending("local|ana")[0]) == 5
        proxy.heal()
        proxy.plan(faults.half_rejected, faults.is_bulk)
        assert reconcile(LATER, to_index, records, never) == {"retry": 3, "done": 2}
        assert reconcile(LATER, to_index, records, never) == {"done": 3}
    assert records.pending("local|ana")[0] == []
    assert active(opensearch_client, new_index) == ids


def test_what_is_never_taken_is_told_and_stays_pending(
    records: FollowedRecords, writer: Writer, to_index: OpenSearchWriter
) -> None:
    fine = writer.write("tea")
    broken = writer.entry("bread")
    records.add([replace(broken, vector=np.array([1, 0, 0], dtype=np.float32))])
    told: list[str] = []
    counts = reconcile(LATER, to_index, records, lambda _, outcome: told.append(outcome.reason))
    assert counts == {"done": 1, "failed": 1}
    assert told == ["400 mapper_parsing_exception illegal_argument_exception"]
    assert [one.memory.memory_id for one in records.pending("local|ana")[0]] != [fine.memory_id]


class Doubling:
    """Another model: the static one's vectors, turned about."""

    name = "turned"

    def __init__(self, embed: Callable[[str], Vector | None]) -> None:
        self._embed = embed

    def embed(self, text: str) -> Vector | None:
        vector = self._embed(text)
        return None if vector is None else np.ascontiguousarray(vector[::-1])

    def features(self, text: str) -> None:  # noqa: ARG002
        return None

    def embed_question(self, text: str) -> Vector | None:
        return self.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self.embed(text) for text in texts]


def test_a_rebuild_misses_no_write_and_asks_the_old_one_until_it_ends(
    local: Ports, opensearch_client: OpenSearch, new_index: str,
    records: FollowedRecords, writer: Writer, to_index: OpenSearchWriter, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(index_rebuild, "_BATCH", 30)
    first = [writer.write(f"memory {number}") for number in range(90)]
    project(list(records.pending("local|ana")[0]), to_index, records)
    gone, changed = first[70], first[80]
    seen: list[int] = []

    def progress(done: int) -> None:
        seen.append(len(active(opensearch_client, new_index)))
        if len(seen) == 1:  # between two batches: a new one, a change and a deletion, followed as ever
            writer.write("written meanwhile")
            records.update(changed.model_copy(update={"raw_text": "changed meanwhile", "version": 2}), DONE)
            records.update(gone.model_copy(update={"status": "deleted", "version": 2}), DONE)
            assert {one.state for one in project(records.pending("local|ana")[0], to_index, records)} == {"done"}

    rebuild = OpenSearchRebuild(opensearch_client, replace(LAYOUT, shards=1), new_index)
    done = reindex(records, rebuild, EmbeddingRenewal(records, local.embedder, lambda: NOON), progress)
    assert (done.embedded, done.refused) == (0, ())
    assert seen == [90] * 3  # the old index was whole all the time
    assert list(opensearch_client.indices.get_alias(name=new_index)) == [f"{new_index}-v2"]
    assert not opensearch_client.indices.exists(index=f"{new_index}-v1")
    found = check_consistency(records, local.records, OpenSearchContents(opensearch_client, new_index), False, silent)
    assert found == ConsistencyReport(91, 91, found.inconsistencies, 0)
    assert not found.inconsistencies
    assert opensearch_client.count(index=new_index, body={"query": {"term": {"status": "deleted"}}})["count"] == 1
    assert set_up(opensearch_client, replace(LAYOUT, shards=1), new_index)


def test_a_rebuild_moves_to_another_model(
    local: Ports, opensearch_client: OpenSearch, new_index: str, records: FollowedRecords, writer: Writer
) -> None:
    memory, other = writer.write("green tea"), writer.write("मुझे चाय पसंद है")
    layout = replace(LAYOUT, embedding_model=Doubling.name)
    assert set_up(opensearch_client, layout, new_index)  # it was empty: nothing to rebuild
    rebuild = OpenSearchRebuild(opensearch_client, layout, new_index)
    done = reindex(records, rebuild, EmbeddingRenewal(records, Doubling(local.embedder.embed), lambda: NOON), silent)
    assert (done.records, done.embedded) == (2, 1)
    assert local.records.get("local|ana", [memory.memory_id])[0].embedding_model == Doubling.name
    assert local.records.get("local|ana", [other.memory_id])[0].version == 1
    with_vector = {"query": {"exists": {"field": "vector"}}}
    assert opensearch_client.count(index=new_index, body=with_vector)["count"] == 1


def test_an_index_of_another_model_is_searched_by_words_until_it_is_moved(
    local: Ports, opensearch_client: OpenSearch, new_index: str,
    records: FollowedRecords, writer: Writer, to_index: OpenSearchWriter,
) -> None:  # fmt: skip
    assert set_up(opensearch_client, replace(LAYOUT, embedding_model="another"), new_index)
    memory, asked = writer.write("green tea"), local.embedder.embed("green tea")
    project(list(records.pending("local|ana")[0]), to_index, records)
    index = OpenSearchIndex(opensearch_client, records, LAYOUT.embedding_model, new_index)
    found = index.find(SEEN, Filter(), ["tea"], asked)
    assert (found.candidates.ids, found.other_model) == ([memory.memory_id], True)
    assert np.isnan(found.candidates.cosines).all()
    rebuild = OpenSearchRebuild(opensearch_client, LAYOUT, new_index)
    reindex(records, rebuild, EmbeddingRenewal(records, local.embedder, lambda: NOON), silent, move=True)
    opensearch_client.indices.refresh(index=new_index)
    found = index.find(SEEN, Filter(), ["tea"], asked)
    assert (found.candidates.cosines.tolist(), found.other_model) == ([pytest.approx(1.0, abs=1e-4)], False)


def test_another_model_must_be_meant(
    local: Ports, opensearch_client: OpenSearch, new_index: str, records: FollowedRecords, writer: Writer
) -> None:
    memory = writer.write("green tea")
    rebuild = OpenSearchRebuild(opensearch_client, replace(LAYOUT, embedding_model=Doubling.name), new_index)
    renewal = EmbeddingRenewal(records, Doubling(local.embedder.embed), lambda: NOON)
    with pytest.raises(CommonplaceError, match=f"vectors of {LAYOUT.embedding_model}.*of {Doubling.name}.*--move-to-model"):
        reindex(records, rebuild, renewal, silent)
    assert not opensearch_client.indices.exists_alias(name=f"{new_index}-next")
    assert local.records.get("local|ana", [memory.memory_id])[0].version == 1
    assert reindex(records, rebuild, renewal, silent, move=True).embedded == 1
    assert rebuild.model() == Doubling.name
    assert reindex(records, rebuild, renewal, silent).embedded == 0


def test_another_model_must_be_meant_where_no_index_is_asked_yet(
    local: Ports, opensearch_client: OpenSearch, new_index: str, records: FollowedRecords, writer: Writer
) -> None:
    opensearch_client.indices.delete(index=f"{new_index}-v1")
    memory = writer.write("green tea")
    assert not set_up(opensearch_client, LAYOUT, new_index, lambda: True)
    rebuild = OpenSearchRebuild(opensearch_client, replace(LAYOUT, embedding_model=Doubling.name), new_index)
    with pytest.raises(CommonplaceError, match=f"vectors of {LAYOUT.embedding_model}.*--move-to-model"):
        reindex(records, rebuild, EmbeddingRenewal(records, Doubling(local.embedder.embed), lambda: NOON), silent)
    assert local.records.get("local|ana", [memory.memory_id])[0].version == 1
    assert OpenSearchRebuild(opensearch_client, LAYOUT, "test-never").model() is None


def test_a_rebuild_that_was_broken_off_goes_on_and_one_that_is_refused_changes_nothing(
    opensearch_url: str, local: Ports, opensearch_client: OpenSearch, new_index: str, records: FollowedRecords, writer: Writer
) -> None:
    writer.write("tea")
    waits: list[float] = []
    renewal = EmbeddingRenewal(records, local.embedder, lambda: NOON)
    with FaultProxy(opensearch_url) as proxy:
        rebuild = OpenSearchRebuild(connect(proxy.url, seconds=30), LAYOUT, new_index)
        proxy.plan(faults.half_rejected, faults.is_bulk, times=None)
        with pytest.raises(IndexUnavailable):
            reindex(records, rebuild, renewal, silent, waits.append)
        assert waits == [0.25 * 2**number for number in range(8)]
        assert list(opensearch_client.indices.get_alias(name=new_index)) == [f"{new_index}-v1"]
        proxy.heal()
        assert reindex(records, rebuild, renewal, silent).records == 1
    assert list(opensearch_client.indices.get_alias(name=new_index)) == [f"{new_index}-v2"]


def test_of_two_rebuilds_at_once_one_ends_and_the_other_is_told(opensearch_client: OpenSearch, new_index: str) -> None:
    one, other = (OpenSearchRebuild(opensearch_client, replace(LAYOUT, shards=1), new_index) for _ in range(2))
    assert one.begin() == other.begin()
    one.finish()
    with pytest.raises(IndexUnavailable, match="another reindex"):
        other.finish()
    assert OpenSearchWriter(opensearch_client, new_index).put([stored("a0", "tea")])[0].state == "done"


def test_another_layout_needs_a_rebuild_once_there_are_memories(
    opensearch_client: OpenSearch, new_index: str, to_index: OpenSearchWriter
) -> None:
    assert set_up(opensearch_client, LAYOUT, new_index)
    to_index.put([stored("a", "tea")])
    assert not set_up(opensearch_client, replace(LAYOUT, shards=3), new_index)
    assert active(opensearch_client, new_index) == {"a"}


def test_copies_are_made_in_use_and_need_no_rebuild(
    opensearch_client: OpenSearch, new_index: str, to_index: OpenSearchWriter
) -> None:
    to_index.put([stored("a", "tea")])
    OpenSearchRebuild(opensearch_client, replace(LAYOUT, shards=3), new_index).begin()
    for copies in (1, 0):
        assert set_up(opensearch_client, replace(LAYOUT, replicas=copies), new_index)
        told = opensearch_client.indices.get_settings(index=f"{new_index}-v*")
        assert {name: index["settings"]["index"]["number_of_replicas"] for name, index in told.items()} == {
            f"{new_index}-v1": str(copies), f"{new_index}-v2": str(copies),
        }  # fmt: skip
    assert active(opensearch_client, new_index) == {"a"}


def test_the_doctor_finds_each_ill_and_mends_it(
    local: Ports, opensearch_client: OpenSearch, new_index: str,
    records: FollowedRecords, writer: Writer, to_index: OpenSearchWriter,
) -> None:  # fmt: skip
    fine, old, other, missing = (writer.write(text) for text in ("fine", "old", "other", "missing"))
    project([one for one in records.pending("local|ana")[0] if one.memory.memory_id != missing.memory_id], to_index, records)
    records.update(old.model_copy(update={"raw_text": "new", "version": 2}), DONE)
    contents = OpenSearchContents(opensearch_client, new_index)
    contents.mend([stored(other.memory_id, "not what was said"), stored("mem_nobody", "whose record is gone")])
    found = check_consistency(records, local.records, contents, False, silent)
    assert found.inconsistencies == {"missing": 1, "behind": 1, "different": 1, "orphaned": 1}
    assert (found.records, found.documents, found.mended) == (4, 4, 0)
    assert check_consistency(records, local.records, contents, True, silent).mended == 4
    assert not check_consistency(records, local.records, contents, True, silent).inconsistencies
    assert active(opensearch_client, new_index) == {fine.memory_id, old.memory_id, other.memory_id, missing.memory_id}


def test_a_user_s_index_is_repaired_and_no_other_s(
    local: Ports, opensearch_client: OpenSearch, new_index: str,
    records: FollowedRecords, writer: Writer, to_index: OpenSearchWriter,
) -> None:  # fmt: skip
    fine, other, missing = (writer.write(text) for text in ("fine", "other", "missing"))
    bens = writer.write("zanzibar", user_id="local|ben")
    project(
        [one for one in records.every() if one.memory.memory_id not in (missing.memory_id, bens.memory_id)], to_index, records
    )
    contents = OpenSearchContents(opensearch_client, new_index)
    contents.mend([
        stored(other.memory_id, "not what was said"), stored("mem_nobody", "whose record is gone", 3),
        stored("mem_bens", "whose record is gone, too", user_id="local|ben"),
    ])  # fmt: skip
    user = UserIndex("local|ana", NOON, records, Upkeep(records, contents))
    opensearch_client.indices.refresh(index=new_index)
    assert {one.memory_id for one in contents.of_user("local|ana")} == {fine.memory_id, other.memory_id, "mem_nobody"}
    found = [(one.kind, one.id) for one in check_part(user, None, 100).findings]
    assert found == [("different", other.memory_id), ("missing", missing.memory_id), ("orphaned", "mem_nobody")]
    planned = repair(user, "missing", dry_run=True)
    done = repair(user, "missing", dry_run=False)
    assert (done.indexed, done.removed, done.unchanged, done.failed) == (2, 1, 1, [])
    assert done == planned
    assert check_part(user, None, 100).findings == []
    assert active(opensearch_client, new_index) == {fine.memory_id, other.memory_id, missing.memory_id, "mem_bens"}
    kept = documents(opensearch_client, new_index)["mem_nobody"]
    assert (kept["status"], kept["_version"]) == ("purged", 8)  # that of its version + 1


@pytest.mark.parametrize("field", ["tokens", "labels", "importance"])
def test_a_wrong_field_of_one_document_is_found_and_mended_alone(
    local: Ports, opensearch_client: OpenSearch, new_index: str,
    records: FollowedRecords, writer: Writer, to_index: OpenSearchWriter, monkeypatch: pytest.MonkeyPatch, field: str,
) -> None:  # fmt: skip
    for text in ("I drink green tea.", "My flat is in Graz."):
        writer.write(text, tags=("home",), position=3, session_id="s", speaker="Ana", expires_at=LATER)
    writer.write("東京に住んでいます", key="home")
    closed = writer.write("old")
    records.update(closed.model_copy(update={"status": "deleted", "valid_to": LATER, "version": 2}), DONE)
    project(list(records.pending("local|ana")[0]), to_index, records)
    contents, right = OpenSearchContents(opensearch_client, new_index), documents(opensearch_client, new_index)
    assert not check_consistency(records, local.records, contents, True, silent).inconsistencies
    (wrong,) = (one for one in records.every() if one.memory.content == "I drink green tea.")
    planted = {field: 0.25 if field == "importance" else f"{right[wrong.memory.memory_id][field]} zither"}
    with monkeypatch.context() as patched:
        patched.setattr(opensearch_rebuild, "source", lambda *given: source(*given) | planted)
        assert [one.state for one in contents.mend([wrong])] == ["done"]
    (found,) = check_part(UserIndex("local|ana", NOON, records, Upkeep(records, contents)), None, 100).findings
    assert (found.kind, found.id) == ("different", wrong.memory.memory_id)
    assert check_consistency(records, local.records, contents, True, silent).mended == 1
    opensearch_client.indices.refresh(index=new_index)
    assert documents(opensearch_client, new_index) == right


def test_setup_by_many_at_once_makes_one_index(opensearch_client: OpenSearch) -> None:
    alias = "test-at-once"
    threads = [threading.Thread(target=set_up, args=(opensearch_client, LAYOUT, alias)) for _ in range(4)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert list(opensearch_client.indices.get_alias(name=alias)) == [f"{alias}-v1"]
    finally:
        opensearch_client.indices.delete(index=f"{alias}-v*")
        opensearch_client.indices.delete_index_template(name=alias)

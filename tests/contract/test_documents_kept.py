"""What becomes of a document that is written: redaction, memories of its passages, undo, and erasure."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Event
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.client.documents import Documents
from commonplace.domain.documents import Document
from commonplace.domain.errors import ErrorCode
from commonplace.domain.memory import DOCUMENTS, Memory
from commonplace.memories.document_words import forget_in_documents
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.values import Audit, Caller, Entry
from commonplace.runs.apply import RunContext
from commonplace.use_cases import dispatch
from tests.conftest import NOON, refusal
from tests.contract.changes import ANA, BEN

pytestmark = pytest.mark.integration

PLACE = (("memories",), "ana.md")
TEA, SWIMS, CITY = "Ana drinks green tea.", "Ana swims on Mondays.", "# Home\n\nAna lives in Lisbon."


class Told:
    """A user's documents, a minute apart."""

    def __init__(self, opened: OpenStore, user_id: str = ANA) -> None:
        self._opened, self._user_id, self._now = opened, user_id, NOON
        self.documents = Documents(self.caller, lambda: opened.ports, lambda: self.erasure)

    def caller(self) -> Caller:
        self._now += timedelta(minutes=1)
        return Caller(self._user_id, self._now)

    @property
    def erasure(self) -> ErasableUser:
        caller = self.caller()
        return ErasableUser(
            RunContext(caller, self._opened.ports, self._opened.night(), lambda: caller.now), self._opened.erasure()
        )

    def memories(self, status: str = "active") -> list[Memory]:
        return [one for one in self._opened.ports.records.all(self._user_id) if one.status == status and one.content]

    def texts(self) -> set[str]:
        return {one.content for one in self.memories()}

    def found(self, query: str) -> list[str]:
        answer = dispatch.call("search_memory", {"query": query}, self.caller(), self._opened.ports)
        return [one["content"] for one in answer.model_dump()["results"]]


@pytest.fixture
def told(opened: OpenStore) -> Told:
    return Told(opened)


@pytest.fixture
def documents(told: Told) -> Documents:
    return told.documents


@pytest.mark.meaning
def test_its_passages_are_memories_that_name_it_and_are_found(told: Told, documents: Documents) -> None:
    written = documents.write(*PLACE, f"{TEA}\n\n{SWIMS}\n\n{CITY}\n")
    assert told.texts() == {TEA, SWIMS, CITY}
    assert {one.memory_id for one in written.passages} == {one.memory_id for one in told.memories()}
    assert {(one.collection, one.origin, one.user_note, one.session_id) for one in told.memories()} == {
        (DOCUMENTS, "document", "memories/ana.md", written.reference)
    }
    assert told.found("where does Ana live?")[0] == CITY


def test_the_next_version_makes_anew_what_changed_and_closes_what_is_gone(told: Told, documents: Documents) -> None:
    documents.write(*PLACE, f"{TEA}\n\n{SWIMS}")
    before = {one.content: one.memory_id for one in told.memories()}
    documents.write(*PLACE, f"{CITY}\n\n{TEA}")
    after = {one.content: one.memory_id for one in told.memories()}
    assert (set(after), after[TEA]) == ({TEA, CITY}, before[TEA])
    assert [one.content for one in told.memories("deleted")] == [SWIMS]
    assert SWIMS not in told.found("when does Ana swim?")


def test_the_same_words_elsewhere_stay_a_memory_of_their_own(told: Told, documents: Documents, opened: OpenStore) -> None:
    dispatch.call("store_memory", {"content": TEA}, told.caller(), opened.ports)
    documents.write(*PLACE, f"{TEA}\n\n{TEA}")
    documents.write(("memories",), "other.md", TEA)
    assert [one.content for one in told.memories()] == [TEA] * 3
    documents.delete(*PLACE)
    assert sorted(one.collection for one in told.memories()) == ["default", DOCUMENTS]


def test_a_passage_whose_memory_was_closed_is_made_again_with_the_next_version(
    told: Told, documents: Documents, opened: OpenStore
) -> None:
    documents.write(*PLACE, TEA)
    dispatch.call("delete_memory", {"memory_id": told.memories()[0].memory_id}, told.caller(), opened.ports)
    documents.write(*PLACE, f"{TEA}\n\n{SWIMS}")
    assert told.texts() == {TEA, SWIMS}


def test_two_memories_are_never_merged_out_of_two_documents(told: Told, documents: Documents, opened: OpenStore) -> None:
    for key in ("a", "b"):
        documents.write(("memories",), key, TEA)
    ids = [one.memory_id for one in told.memories()]
    planned = dispatch.call("merge_memories", {"memory_ids": ids}, told.caller(), opened.ports)
    assert "different scopes" in str(planned.model_dump()["groups"])


def test_secrets_are_taken_out_before_anything_is_kept_and_that_is_told(told: Told, documents: Documents) -> None:
    written = documents.write(*PLACE, f"{TEA}\n\nMy wifi password is blue-monkey-42.")
    assert written.redacted
    assert "[redacted:" in written.body
    value = '{"pin": 4471, "note": "my password is blue-monkey-42", "age": 30, "on": true}'
    kept = documents.write(("store",), "k", value, form="json")
    assert '"age": 30, "on": true' in kept.body
    kept_texts = [one.body for one in (written, kept)] + [one.raw_text for one in told.memories()]
    assert not [one for one in kept_texts if "blue-monkey-42" in one or "4471" in one]
    error = refusal(lambda: documents.write(("memories",), "my password is blue-monkey-42", TEA))
    assert (error.code, error.field) == (ErrorCode.SECRET_ONLY, "key")


def test_who_read_another_version_is_refused(documents: Documents) -> None:
    first = documents.write(*PLACE, TEA, version=0)
    documents.write(*PLACE, SWIMS, version=first.version)
    for stale in (0, 1, 3):
        assert refusal(lambda stale=stale: documents.write(*PLACE, CITY, version=stale)).code is ErrorCode.CONFLICT  # type: ignore[misc]
    assert refusal(lambda: documents.delete(*PLACE, version=1)).code is ErrorCode.CONFLICT
    assert documents.read(*PLACE).body == SWIMS


def test_undo_brings_back_what_was_before_its_memories_too(told: Told, documents: Documents) -> None:
    documents.write(*PLACE, TEA)
    documents.write(*PLACE, SWIMS)
    assert (documents.undo(*PLACE).body, told.texts()) == (TEA, {TEA})
    assert (documents.undo(*PLACE).body, told.texts()) == (SWIMS, {SWIMS})
    documents.delete(*PLACE)
    assert (documents.listed(), told.texts()) == ([], set())
    assert (documents.undo(*PLACE).version, told.texts()) == (6, {SWIMS})
    assert documents.undo(*PLACE, version=1).body == TEA
    assert [one.version for one in documents.versions(*PLACE)] == [7, 6, 5, 4, 3, 2, 1]


def test_undo_of_the_first_version_deletes_it_and_of_nothing_is_refused(told: Told, documents: Documents) -> None:
    assert refusal(lambda: documents.undo(*PLACE)).code is ErrorCode.NOT_FOUND
    documents.write(*PLACE, TEA)
    assert documents.undo(*PLACE).deleted
    assert told.texts() == set()
    for call in (documents.read, documents.delete):
        assert refusal(lambda call=call: call(*PLACE)).code is ErrorCode.NOT_FOUND  # type: ignore[misc]
    assert refusal(lambda: documents.undo(*PLACE, version=9)).code is ErrorCode.NOT_FOUND


@pytest.mark.parametrize(
    ("namespace", "key", "body", "code"),
    [
        ((), "", TEA, ErrorCode.INVALID_ARGUMENT),
        (("",), "a", TEA, ErrorCode.INVALID_ARGUMENT),
        (("a\n",), "a", TEA, ErrorCode.INVALID_ARGUMENT),
        (("é" * 500,), "a", TEA, ErrorCode.INVALID_ARGUMENT),
        (("a",), "\ud800", TEA, ErrorCode.INVALID_ARGUMENT),
        (("a",), "a", "\x1b[2J", ErrorCode.INVALID_ARGUMENT),
        (("a",), "a", "é" * 131_073, ErrorCode.TEXT_TOO_LONG),
    ],
)
def test_what_no_document_can_be_is_refused(
    documents: Documents, namespace: tuple[str, ...], key: str, body: str, code: ErrorCode
) -> None:
    assert refusal(lambda: documents.write(namespace, key, body)).code is code
    assert documents.listed() == []


def test_an_erased_one_is_gone_with_the_memories_of_all_its_versions(
    told: Told, documents: Documents, opened: OpenStore
) -> None:
    bens = Told(opened, BEN)
    bens.documents.write(*PLACE, TEA)
    documents.write(*PLACE, TEA)
    documents.write(*PLACE, SWIMS)
    documents.write(("memories",), "other.md", TEA)
    erased = documents.erase(*PLACE)
    assert erased.memories == 2
    assert documents.versions(*PLACE) == []
    assert [(one.content, one.user_note) for one in told.memories()] == [(TEA, "memories/other.md")]
    assert told.memories("deleted") == []
    assert refusal(lambda: documents.erase(*PLACE)).code is ErrorCode.NOT_FOUND
    assert (bens.texts(), bens.documents.read(*PLACE).body) == ({TEA}, TEA)


def test_words_that_are_erased_go_from_the_document_and_all_its_versions(told: Told, documents: Documents) -> None:
    documents.write(*PLACE, f"{TEA}\n\n{SWIMS}")
    documents.write(*PLACE, f"{CITY}\n\n{SWIMS}\n\n{TEA}\n")
    swims = next(one.memory_id for one in told.memories() if one.content == SWIMS)
    told.erasure.erase_memory(swims)
    assert [(one.version, one.body) for one in documents.versions(*PLACE)] == [
        (3, f"{CITY}\n\n[erased]\n\n{TEA}\n"), (2, f"{CITY}\n\n[erased]\n\n{TEA}\n"), (1, f"{TEA}\n\n[erased]"),
    ]  # fmt: skip
    assert refusal(lambda: documents.write(*PLACE, SWIMS, version=2)).code is ErrorCode.CONFLICT
    assert told.texts() == {TEA, CITY}
    documents.undo(*PLACE)
    assert SWIMS not in told.texts()


def test_words_that_were_taken_out_and_put_in_again_go_from_every_version(told: Told, documents: Documents) -> None:
    for body in (f"{TEA}\n\n{SWIMS}", TEA, f"{SWIMS}\n\n{CITY}"):
        documents.write(*PLACE, body)
    told.erasure.erase_memory(next(one.memory_id for one in told.memories() if one.content == SWIMS))
    assert not [one.version for one in documents.versions(*PLACE) if SWIMS in one.body]
    told.erasure.erase_memory(next(one.memory_id for one in told.memories() if one.content == CITY))
    assert documents.read(*PLACE).body == "[erased]\n\n[erased]"


def test_two_who_write_at_once_lose_nothing_and_leave_no_memory_behind(told: Told, documents: Documents) -> None:
    def write(number: int) -> None:
        documents.write(*PLACE, f"{TEA}\n\nNote {number} is of Ana.")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(8)))
    newest, *older = documents.versions(*PLACE)
    assert (newest.version, len({one.body for one in (newest, *older)})) == (8, 8)
    assert told.texts() == set(newest.body.split("\n\n"))


class Overridden:
    """A port, some methods of which are replaced."""

    def __init__(self, port: Any, **methods: Callable[..., Any]) -> None:
        self.__dict__ |= methods
        self._port = port

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)


@pytest.mark.parametrize("closes", ["before the later writer links it", "after the later writer ended"])
def test_a_passage_that_two_writers_share_stays_active_when_the_earlier_closes_it(
    told: Told, opened: OpenStore, closes: str
) -> None:
    """Both store the passage. The earlier writer then closes what the newest version, not linked to it yet, doesn't name."""
    ports = opened.ports
    events = ("earlier_put", "later_put", "earlier_added", "later_added", "earlier_read", "earlier_ended", "later_ended")
    reached = {name: Event() for name in events}

    def wait(name: str) -> None:
        assert reached[name].wait(30), name

    def earlier_add(entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        reached["earlier_put"].set()
        wait("later_put")
        added = ports.records.add(entries)
        reached["earlier_added"].set()
        wait("later_added")
        return added

    def earlier_versions(*place: Any) -> list[Document]:
        versions = ports.documents.versions(*place)
        reached["earlier_read"].set()
        if closes == "after the later writer ended":
            wait("later_ended")
        return versions

    def later_add(entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        reached["later_put"].set()
        wait("earlier_added")
        added = ports.records.add(entries)
        reached["later_added"].set()
        return added

    def later_rewrite(*version: Any) -> bool:
        wait("earlier_read" if closes == "after the later writer ended" else "earlier_ended")
        return ports.documents.rewrite(*version)

    def write(name: str, body: str, records: Any, documents: Any) -> None:
        changed = replace(ports, records=records, documents=documents)
        Documents(told.caller, lambda: changed, lambda: told.erasure).write(*PLACE, body)
        reached[f"{name}_ended"].set()

    with ThreadPoolExecutor(2) as threads:
        records, documents = (
            Overridden(ports.records, add=earlier_add),
            Overridden(ports.documents, versions=earlier_versions),
        )
        earlier = threads.submit(write, "earlier", f"{TEA}\n\n{SWIMS}", records, documents)
        wait("earlier_put")
        records, documents = Overridden(ports.records, add=later_add), Overridden(ports.documents, rewrite=later_rewrite)
        later = threads.submit(write, "later", f"{TEA}\n\n{CITY}", records, documents)
        earlier.result()
        later.result()
    assert told.texts() == {TEA, CITY}
    newest = told.documents.read(*PLACE)
    assert (newest.version, {one.memory_id for one in newest.passages}) == (2, {one.memory_id for one in told.memories()})
    told.erasure.erase_memory(next(one.memory_id for one in told.memories() if one.content == TEA))
    assert not [one for one in ports.records.all(ANA) if "tea" in one.content + one.raw_text]


def test_a_writer_that_is_overtaken_while_it_settles_leaves_no_memory_behind(told: Told, opened: OpenStore) -> None:
    ports, overtaken = opened.ports, Event()

    def versions(*place: Any) -> list[Document]:
        read = ports.documents.versions(*place)
        if not overtaken.is_set():
            overtaken.set()
            told.documents.write(*PLACE, CITY)
        return read

    changed = replace(ports, documents=Overridden(ports.documents, versions=versions))
    Documents(told.caller, lambda: changed, lambda: told.erasure).write(*PLACE, f"{TEA}\n\n{SWIMS}")
    assert told.texts() == {CITY}


def test_a_writer_goes_on_when_another_closes_each_memory_a_moment_before(told: Told, opened: OpenStore) -> None:
    ports, overtaken = opened.ports, []

    def update(memory: Memory, audit: Audit) -> Memory:
        if memory.memory_id not in overtaken:
            overtaken.append(memory.memory_id)
            ports.records.update(memory, audit)
        return ports.records.update(memory, audit)

    told.documents.write(*PLACE, "\n\n".join(f"Ana has read the {number}th letter." for number in range(4, 10)))
    changed = replace(ports, records=Overridden(ports.records, update=update))
    Documents(told.caller, lambda: changed, lambda: told.erasure).write(*PLACE, CITY)
    assert (len(overtaken), told.texts()) == (6, {CITY})


def test_of_a_json_document_values_are_found_and_erased(told: Told, documents: Documents) -> None:
    value = '{"text": "Ana plays the cello.", "meta": {"from": "chat", "rank": 2}, "tags": ["music"]}'
    documents.write(("store",), "one", value, form="json")
    documents.write(("store",), "two", value, form="json", fields=("text", "tags[*]"))
    documents.write(("store",), "three", value, form="json", fields=())
    whole = "text: Ana plays the cello.\nmeta: from: chat\nmeta: rank: 2\ntags: music"
    assert told.texts() == {whole, "Ana plays the cello.", "music"}
    assert told.found("which instrument does Ana play?")
    told.erasure.erase_memory(next(one.memory_id for one in told.memories() if one.content == "Ana plays the cello."))
    assert '"text": "[erased]"' in documents.read(("store",), "two").body
    told.erasure.erase_memory(next(one.memory_id for one in told.memories() if one.content == whole))
    left = documents.read(("store",), "one").body
    assert not [one for one in ("text", "cello", "meta", "chat", "rank", "2:", "tags", "music") if one in left]
    documents.write(("store",), "one", left, form="json")
    assert told.texts() == {"music"}


def test_a_user_who_leaves_takes_them_along(told: Told, documents: Documents) -> None:
    documents.write(*PLACE, TEA)
    told.erasure.erase()
    assert (documents.listed(), documents.versions(*PLACE), told.texts()) == ([], [], set())


def test_a_writer_that_links_a_passage_does_not_write_erased_words_back(told: Told, opened: OpenStore) -> None:
    """The passage is erased while the later writer links its version to the memory that the earlier writer stored."""
    ports = opened.ports

    def write(body: str, records: Any, documents: Any) -> None:
        changed = replace(ports, records=records, documents=documents)
        Documents(told.caller, lambda: changed, lambda: told.erasure).write(*PLACE, body)

    def earlier_add(entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        added: list[list[tuple[Memory, bool]]] = []

        def later_add(later: Sequence[Entry]) -> list[tuple[Memory, bool]]:
            added.append(ports.records.add(entries))
            return ports.records.add(later)

        def later_rewrite(*version: Any) -> bool:
            if not erased:
                erased.append(next(one.memory_id for one in told.memories() if one.content == TEA))
                told.erasure.erase_memory(erased[0])
            return ports.documents.rewrite(*version)

        write(
            f"{TEA}\n\n{CITY}", Overridden(ports.records, add=later_add), Overridden(ports.documents, rewrite=later_rewrite)
        )
        return added[0]

    erased: list[str] = []
    write(f"{TEA}\n\n{SWIMS}", Overridden(ports.records, add=earlier_add), ports.documents)
    assert erased
    assert told.texts() == {CITY}
    assert not [one.version for one in told.documents.versions(*PLACE) if "tea" in one.body]
    assert not [one for one in ports.records.all(ANA) if "tea" in one.content + one.raw_text]
    assert [one.memory_id for one in told.documents.read(*PLACE).passages] == [one.memory_id for one in told.memories()]


def test_words_are_erased_from_a_version_that_a_writer_links_meanwhile(
    told: Told, documents: Documents, opened: OpenStore
) -> None:
    store, linked = opened.ports.documents, list[Document]()

    def rewrite(user_id: str, document: Document, before: Document) -> bool:
        if not linked:
            passages = (before.passages[0], before.passages[1].model_copy(update={"memory_id": "another"}))
            linked.append(before.model_copy(update={"passages": passages}))
            assert store.rewrite(user_id, linked[0], before)
        return store.rewrite(user_id, document, before)

    documents.write(*PLACE, f"{TEA}\n\n{SWIMS}")
    documents.write(*PLACE, f"{TEA}\n\n{CITY}")
    tea = next(one for one in told.memories() if one.content == TEA)
    assert forget_in_documents({tea.memory_id}, [tea], ANA, NOON, Overridden(store, rewrite=rewrite))
    versions = documents.versions(*PLACE)
    assert [one.body for one in versions] == [f"[erased]\n\n{CITY}", f"[erased]\n\n{CITY}", f"[erased]\n\n{SWIMS}"]
    assert [one.memory_id for one in store.versions(ANA, *PLACE)[1].passages] == ["another"]

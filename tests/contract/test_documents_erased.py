"""What is erased of a document whose memories have no record any more, or none that can be read, is nowhere in it."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from commonplace.adapters.dynamodb.calls import Calls
from commonplace.adapters.dynamodb.long_texts import names_from
from commonplace.adapters.dynamodb.table import DOCUMENT_VERSION
from commonplace.bootstrap.local import OpenStore
from commonplace.client.documents import Documents
from commonplace.domain.errors import ErrorCode
from tests.conftest import refusal
from tests.contract.changes import ANA
from tests.contract.damage import Damage, damage_of
from tests.contract.test_backups import made, reading
from tests.contract.test_documents_kept import CITY, PLACE, SWIMS, TEA, Told
from tests.contract.test_documents_kept import documents as documents
from tests.contract.test_documents_kept import told as told

pytestmark = pytest.mark.integration

Purge = Callable[[str], None]


@pytest.fixture
def damage(request: pytest.FixtureRequest, tmp_path: Path) -> Damage:
    return damage_of(request, request.node.callspec.params["opened"], tmp_path / "memory.db")


@pytest.fixture
def purge(opened: OpenStore, damage: Damage) -> Purge:
    """Leaves no record of a memory, as 30 days after it was closed."""

    def purged(memory_id: str) -> None:
        damage(memory_id, b"[]")
        assert opened.erasure().erase_unreadable(ANA, memory_id)

    return purged


def id_of(told: Told, text: str) -> str:
    return next(one.memory_id for one in told.memories() if one.content == text)


def test_the_words_of_one_that_is_purged_go_from_older_versions(
    told: Told, documents: Documents, opened: OpenStore, purge: Purge
) -> None:
    documents.write(*PLACE, f"{TEA}\n\n{SWIMS}")
    swims = id_of(told, SWIMS)
    made(opened.ports, 5)
    documents.write(*PLACE, TEA)
    purge(swims)
    assert told.erasure.erase_memory(swims).memories == 1
    assert [one.body for one in documents.versions(*PLACE)] == [TEA, f"{TEA}\n\n[erased]"]


def test_the_words_of_one_that_can_not_be_read_go_from_every_document(
    told: Told, documents: Documents, damage: Damage
) -> None:
    documents.write(*PLACE, f"{TEA}\n\n{SWIMS}")
    swims = id_of(told, SWIMS)
    documents.write(("memories",), "other.md", TEA)
    damage(swims, b"{")
    assert told.erasure.erase_memory(swims).memories == 1
    assert [one.body for one in documents.versions(*PLACE)] == [f"{TEA}\n\n[erased]"] * 2
    assert documents.read(("memories",), "other.md").version == 1


def test_an_erased_document_is_in_no_backup_even_where_only_that_has_its_passages(
    told: Told, documents: Documents, opened: OpenStore, purge: Purge, damage: Damage
) -> None:
    documents.write(("memories",), "other.md", CITY)
    documents.write(*PLACE, f"{TEA}\n\n{SWIMS}")
    tea, swims = id_of(told, TEA), id_of(told, SWIMS)
    backup_id = made(opened.ports, 9)
    documents.write(*PLACE, TEA)
    purge(swims)
    damage(tea, b"{")
    assert set(documents.erase(*PLACE).ids) == {tea, swims}
    backup = reading(opened.ports, backup_id).backup
    assert backup is not None
    assert [one.memory.content for one in backup.records if one.memory] == [CITY]
    assert opened.ports.erased.among(ANA, [swims]) == {swims}
    assert refusal(lambda: documents.erase(*PLACE)).code is ErrorCode.NOT_FOUND


def test_an_erasure_that_died_half_way_leaves_nothing_to_the_next(
    documents: Documents, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents.write(("store",), "k", '{"likes": "tea"}', form="json", fields=())
    with monkeypatch.context() as patched, suppress(ZeroDivisionError):
        patched.setattr(Calls, "delete_all", lambda *_: 1 / 0)
        documents.erase(("store",), "k")
    assert refusal(lambda: documents.erase(("store",), "k")).code is ErrorCode.NOT_FOUND
    if request.node.callspec.params["opened"] == "dynamodb":
        calls = request.getfixturevalue("dynamodb_table").calls()
        assert names_from(calls, ANA, DOCUMENT_VERSION) == []


XYLO, OTHER = "# Zed\n\nXylocarp lives in Brno.", "Other paragraph."


def test_with_a_passage_go_its_copies_and_the_memories_that_its_words_had_before(
    told: Told, documents: Documents, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    elsewhere = ("memories",), "other.md"
    documents.write(*elsewhere, XYLO)
    documents.write(*PLACE, f"{XYLO}\n\n{OTHER}")
    documents.delete(*PLACE)
    documents.undo(*PLACE)
    documents.write(*PLACE, f"# Zed\n\n{OTHER}")
    documents.undo(*PLACE)
    documents.write(*PLACE, f"# Zed\n\nXylocarp lives in Brno, not in Graz.\n\n{OTHER}")
    documents.undo(*PLACE)
    (own, _) = sorted(
        (one for one in told.memories() if "Xylocarp" in one.content), key=lambda one: one.user_note == "memories/other.md"
    )
    answer = told.erasure.erase_memory(own.memory_id)
    assert (len(answer.ids), answer.places) == (6, ("documents",))
    assert own.memory_id in answer.ids
    assert not any("Xylocarp" in one.body for place in (PLACE, elsewhere) for one in documents.versions(*place))
    assert documents.read(*PLACE).body == f"[erased]\n\n{OTHER}"
    assert documents.read(*elsewhere).body == "[erased]"
    assert {one.content for one in told.memories()} == {OTHER}
    assert {one.content for one in told.memories("deleted")} == {OTHER, f"# Zed\n\n{OTHER}"}
    if request.node.callspec.params["opened"] == "sqlite":
        assert b"xylocarp" not in b"".join(one.read_bytes() for one in tmp_path.glob("memory.db*")).lower()


def test_an_edited_passage_goes_with_what_it_said_before(told: Told, documents: Documents) -> None:
    for city in ("Brno", "Graz", "Linz"):
        documents.write(*PLACE, f"{OTHER}\n\nZquorbix lives in {city}.\n\n{TEA}")
    assert len(told.erasure.erase_memory(id_of(told, "Zquorbix lives in Linz.")).ids) == 3
    assert told.texts() == {OTHER, TEA}
    assert told.memories("deleted") == []
    assert {one.body for one in documents.versions(*PLACE)} == {f"{OTHER}\n\n[erased]\n\n{TEA}"}


def test_a_passage_that_took_the_place_of_another_statement_goes_alone(told: Told, documents: Documents) -> None:
    documents.write(*PLACE, f"{TEA}\n\n{OTHER}")
    documents.write(*PLACE, f"Ben keeps newts.\n\n{OTHER}")
    assert len(told.erasure.erase_memory(id_of(told, "Ben keeps newts.")).ids) == 1
    assert [one.body for one in documents.versions(*PLACE)] == [f"[erased]\n\n{OTHER}"] * 2 + [f"{TEA}\n\n{OTHER}"]


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_copy_in_another_document_goes_along(told: Told, documents: Documents, purge: Purge, is_deleted: bool) -> None:
    copy = ("notes",), "b.md"
    documents.write(*copy, "Zquorbix lives in Brno.")
    documents.write(*copy, f"Zquorbix lives in Graz.\n\n{TEA}")
    (old,) = (one.memory_id for one in told.memories("deleted"))
    if is_deleted:
        documents.delete(*copy)
    documents.write(*PLACE, f"{OTHER}\n\nZquorbix lives in Graz.")
    (own,) = (one for one in told.memories() if "Graz" in one.content and one.user_note == "memories/ana.md")
    ids = told.erasure.erase_memory(own.memory_id).ids
    assert (len(ids), old in ids) == (3, True)
    assert not any("Zquorbix" in one.body for place in (PLACE, copy) for one in documents.versions(*place))
    assert told.texts() == ({OTHER} if is_deleted else {OTHER, TEA})


def test_the_older_version_of_another_document_keeps_no_copy_whose_memory_is_purged(
    told: Told, documents: Documents, purge: Purge
) -> None:
    copy = ("notes",), "b.md"
    documents.write(*copy, f"{SWIMS}\n\n{TEA}")
    swims = id_of(told, SWIMS)
    documents.write(*copy, TEA)
    purge(swims)
    documents.write(*PLACE, SWIMS)
    told.erasure.erase_memory(id_of(told, SWIMS))
    assert [one.body for one in documents.versions(*copy)] == [TEA, f"[erased]\n\n{TEA}"]


def test_it_is_the_same_whichever_of_these_memories_is_named(told: Told, documents: Documents) -> None:
    documents.write(*PLACE, f"{TEA}\n\n{SWIMS}")
    before = id_of(told, SWIMS)
    documents.write(*PLACE, TEA)
    documents.write(*PLACE, f"{TEA}\n\n{SWIMS}")
    now = id_of(told, SWIMS)
    assert now != before
    assert set(told.erasure.erase_memory(before).ids) == {before, now}
    assert documents.read(*PLACE).body == f"{TEA}\n\n[erased]"
    assert told.texts() == {TEA}


def test_an_older_version_holds_no_line_of_it_in_a_paragraph_that_is_purged(
    told: Told, documents: Documents, opened: OpenStore, purge: Purge
) -> None:
    documents.write(*PLACE, f"- {TEA}\n- {SWIMS}\n\n{CITY}")
    old = id_of(told, f"- {TEA}\n- {SWIMS}")
    backup_id = made(opened.ports, 9)
    documents.write(*PLACE, f"- {SWIMS}\n\n{CITY}")
    purge(old)
    now = id_of(told, f"- {SWIMS}")
    answer = told.erasure.erase_memory(now)
    assert (set(answer.ids), answer.places) == ({now, old}, ("backups", "documents"))
    assert [one.body for one in documents.versions(*PLACE)] == [f"[erased]\n\n{CITY}"] * 3
    backup = reading(opened.ports, backup_id).backup
    assert backup is not None
    assert [one.memory.content for one in backup.records if one.memory] == [CITY]


def test_of_json_the_values_of_older_versions_go_with_it(told: Told, documents: Documents) -> None:
    place = ("store",), "k"
    for body in ('{"likes": "tea", "lives": "Faro"}', '{"likes": "milk", "lives": "Lisbon"}', '{"drinks": "milk"}'):
        documents.write(*place, body, form="json")
    (now,) = told.memories()
    assert now.content == "drinks: milk"
    assert len(told.erasure.erase_memory(now.memory_id).ids) == 3
    said = "".join(one.body for one in documents.versions(*place))
    assert [word for word in ("tea", "Faro", "milk", "Lisbon") if word in said] == []


def test_after_a_stop_half_way_the_same_call_erases_the_rest(
    told: Told, documents: Documents, opened: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for body in (f"{TEA}\n\n{SWIMS}", TEA, f"{TEA}\n\n{SWIMS}"):
        documents.write(*PLACE, body)
    now, (before,) = id_of(told, SWIMS), [one.memory_id for one in told.memories("deleted")]
    apply, calls = opened.ports.operations.apply, list[object]()

    def stopped(*given: Any) -> bool:
        calls.append(given)
        return apply(*given) if len(calls) == 1 else bool(1 / 0)

    with monkeypatch.context() as patched, suppress(ZeroDivisionError):
        patched.setattr(opened.ports.operations, "apply", stopped)
        told.erasure.erase_memory(now)
    assert len(calls) == 2
    assert told.erasure.erase_memory(now).ids == (now,)
    assert [one.memory_id for one in (*told.memories(), *told.memories("deleted")) if one.memory_id in (now, before)] == []

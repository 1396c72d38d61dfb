"""The laws of documents: versions in a row, each user's own, listed by namespace, and gone when they are erased."""

from collections.abc import Iterable
from datetime import timedelta

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.documents import MOST_BYTES, Document, PassageOf
from commonplace.domain.errors import ErrorCode
from commonplace.ports.documents import Documents
from tests.conftest import NOON, refusal
from tests.contract.changes import ANA, BEN

pytestmark = pytest.mark.integration

NOTES = ("memories", "notes")


@pytest.fixture
def documents(opened: OpenStore) -> Documents:
    return opened.ports.documents


def version(
    number: int, body: str = "tea", key: str = "a.md", namespace: tuple[str, ...] = NOTES, **more: object
) -> Document:
    at = NOON + timedelta(minutes=number)
    whole = {"namespace": namespace, "key": key, "version": number, "created_at": NOON, "updated_at": at, "body": body}
    return Document.model_validate({**whole, "size": len(body.encode()), **more})


def put_all(documents: Documents, versions: Iterable[Document], user_id: str = ANA) -> None:
    for one in versions:
        documents.put(user_id, one)


def names(documents: Documents, namespace: tuple[str, ...] = (), user_id: str = ANA) -> list[tuple[tuple[str, ...], str]]:
    return [(one.namespace, one.key) for one in documents.listed(user_id, namespace)]


def test_the_newest_version_is_what_there_is_and_the_others_are_its_history(documents: Documents) -> None:
    first = version(1, "one", passages=(PassageOf(memory_id="mem_1", digest="d"),), redacted=("api_key",))
    second = version(2, "twö 😀\r\n", form="json", fields=("a[*].b",))
    assert documents.get(ANA, NOTES, "a.md") is None
    put_all(documents, (first, second))
    assert documents.get(ANA, NOTES, "a.md") == second
    assert documents.versions(ANA, NOTES, "a.md") == [second, first]
    assert list(documents.listed(ANA)) == [second.head]


@pytest.mark.parametrize("stale", [1, 2, 4])
def test_a_version_that_is_not_the_next_one_is_refused(documents: Documents, stale: int) -> None:
    put_all(documents, (version(1), version(2)))
    assert refusal(lambda: documents.put(ANA, version(stale, "lost"))).code is ErrorCode.CONFLICT
    assert [one.body for one in documents.versions(ANA, NOTES, "a.md")] == ["tea", "tea"]


def test_the_newest_twenty_are_kept_and_who_knows_an_older_one_is_refused(documents: Documents) -> None:
    put_all(documents, (version(number, f"tea {number}") for number in range(1, 24)))
    assert [one.version for one in documents.versions(ANA, NOTES, "a.md")] == list(range(23, 3, -1))
    assert refusal(lambda: documents.put(ANA, version(3))).code is ErrorCode.CONFLICT


def test_the_longest_body_comes_back_letter_by_letter(documents: Documents) -> None:
    body = "".join(chr(33 + number * number % 90) for number in range(MOST_BYTES))
    documents.put(ANA, version(1, body))
    found = documents.get(ANA, NOTES, "a.md")
    assert found is not None
    assert found.body == body


def test_they_are_listed_by_namespace_and_below_it_and_by_nothing_like_it(documents: Documents) -> None:
    places = [
        (("memories",), "notes"),
        (NOTES, "a.md"),
        ((*NOTES, "deep"), "b"),
        (("memories", "notes2"), "c"),
        (("m%_",), "d"),
    ]
    put_all(documents, [version(1, key=key, namespace=namespace) for namespace, key in places])
    documents.put(ANA, version(2, key="a.md"))
    assert sorted(names(documents)) == sorted(places)
    assert sorted(names(documents, NOTES)) == [(NOTES, "a.md"), ((*NOTES, "deep"), "b")]
    assert names(documents, ("m%_",)) == [(("m%_",), "d")]
    assert names(documents, ("mem",)) == []


def test_a_slash_or_a_number_sign_in_a_name_leads_to_no_other_document(documents: Documents) -> None:
    places = [(("a",), "b/c"), (("a", "b"), "c"), (("a",), "b#0000000001"), (("a",), "b"), (("a/b",), "c"), (("a",), "b%2Fc")]
    for number, (namespace, key) in enumerate(places):
        documents.put(ANA, version(1, f"body {number}", key=key, namespace=namespace))
    for number, (namespace, key) in enumerate(places):
        assert [one.body for one in documents.versions(ANA, namespace, key)] == [f"body {number}"]


def test_they_are_each_users_own(documents: Documents) -> None:
    documents.put(ANA, version(1, "Ana's"))
    documents.put(BEN, version(1, "Ben's"))
    documents.erase(BEN, NOTES, "a.md")
    assert [one.body for one in documents.versions(ANA, NOTES, "a.md")] == ["Ana's"]
    assert (names(documents, user_id=BEN), documents.get("local|nobody", NOTES, "a.md")) == ([], None)


def test_a_deleted_one_keeps_its_history_and_may_come_back(documents: Documents) -> None:
    gone = version(2, "", deleted=True, purge_at=NOON + timedelta(days=30))
    put_all(documents, (version(1), gone))
    assert documents.get(ANA, NOTES, "a.md") == gone
    back = version(3, "tea again")
    put_all(documents, (back, version(1, key="later", updated_at=NOON + timedelta(days=31))))
    assert [one.body for one in documents.versions(ANA, NOTES, "a.md")] == ["tea again", "", "tea"]


def test_another_text_takes_the_place_of_a_version(documents: Documents) -> None:
    put_all(documents, (version(1, "a secret"), version(2, "a secret, and tea")))
    for one in documents.versions(ANA, NOTES, "a.md"):
        documents.rewrite(ANA, one.model_copy(update={"body": one.body.replace("a secret", "[erased]")}), one)
    documents.rewrite(ANA, version(7, "nothing"), version(7))
    assert [one.body for one in documents.versions(ANA, NOTES, "a.md")] == ["[erased], and tea", "[erased]"]
    assert [one.version for one in documents.listed(ANA)] == [2]


def test_a_version_that_was_changed_since_it_was_read_is_not_replaced(documents: Documents) -> None:
    put_all(documents, (version(1, "a secret"), version(2, "a secret, and tea")))
    newest, oldest = documents.versions(ANA, NOTES, "a.md")
    for read in (newest, oldest):
        erased = read.model_copy(update={"body": "[erased]"})
        assert documents.rewrite(ANA, erased, read)
        assert not documents.rewrite(
            ANA, read.model_copy(update={"passages": (PassageOf(memory_id="one", digest="two"),)}), read
        )
        assert documents.rewrite(ANA, erased, erased)
    assert [(one.body, one.passages) for one in documents.versions(ANA, NOTES, "a.md")] == [("[erased]", ())] * 2


def test_an_erased_one_is_gone_with_its_versions(documents: Documents) -> None:
    put_all(documents, (version(1), version(2), version(1, key="b")))
    for _ in range(2):
        documents.erase(ANA, NOTES, "a.md")
    assert (documents.versions(ANA, NOTES, "a.md"), names(documents)) == ([], [(NOTES, "b")])
    assert refusal(lambda: documents.put(ANA, version(3))).code is ErrorCode.CONFLICT
    documents.put(ANA, version(1, "new"))
    assert [one.body for one in documents.versions(ANA, NOTES, "a.md")] == ["new"]


def test_with_the_user_go_their_documents(opened: OpenStore, documents: Documents) -> None:
    documents.put(ANA, version(1))
    documents.put(BEN, version(1))
    opened.erasure().erase(ANA)
    assert (names(documents), names(documents, user_id=BEN)) == ([], [(NOTES, "a.md")])
    assert documents.versions(ANA, NOTES, "a.md") == []

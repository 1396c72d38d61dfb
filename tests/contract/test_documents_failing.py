"""A document whose memories could not be written with it: the next call makes them what the newest version says."""

from dataclasses import replace
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.client.documents import Documents
from commonplace.domain.errors import CommonplaceError, ErrorCode
from tests.conftest import refusal
from tests.contract.test_documents_kept import CITY, PLACE, SWIMS, TEA, Overridden, Told
from tests.contract.test_documents_kept import told as told

pytestmark = pytest.mark.integration


def without(opened: OpenStore, name: str) -> Documents:
    """The documents of a store that fails in one way."""

    def fail(*_: object) -> None:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "out of order")

    records: Any = Overridden(opened.ports.records, **{name: fail})
    return Told(replace(opened, ports=replace(opened.ports, records=records))).documents


def test_what_a_version_that_failed_left_is_closed_with_the_next(told: Told, opened: OpenStore) -> None:
    told.documents.write(*PLACE, TEA)
    assert refusal(lambda: without(opened, "add").write(*PLACE, SWIMS)).code is ErrorCode.STORAGE_UNAVAILABLE
    assert told.texts() == {TEA}
    told.documents.write(*PLACE, CITY)
    assert told.texts() == {CITY}


def test_a_deletion_that_failed_half_way_is_done_by_the_next(told: Told, opened: OpenStore) -> None:
    told.documents.write(*PLACE, TEA)
    told.documents.write(("memories",), "other.md", SWIMS)
    assert refusal(lambda: without(opened, "update").delete(*PLACE)).code is ErrorCode.STORAGE_UNAVAILABLE
    assert (told.texts(), len(told.documents.listed())) == ({TEA, SWIMS}, 1)
    assert refusal(lambda: told.documents.delete(*PLACE)).code is ErrorCode.NOT_FOUND
    assert told.texts() == {SWIMS}

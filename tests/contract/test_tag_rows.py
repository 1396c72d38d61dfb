"""Tags that go on under another name, over every store: kept whole, by the newest lease, and gone with their user."""

from datetime import timedelta

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.runs import TagRow
from commonplace.ports.records import TagRows
from tests.conftest import NOON

pytestmark = pytest.mark.integration

ANA = "local|ana"
MERGED = TagRow(
    status="merged", run_id="run_1", count=3, first_used=NOON - timedelta(days=9), last_used=NOON, into="kubernetes"
)
ARCHIVED = TagRow(status="archived", run_id="run_1", count=0)


@pytest.fixture
def rows(opened: OpenStore) -> TagRows:
    return opened.ports.tag_rows


def test_what_is_kept_takes_the_place_of_all_and_is_one_users(opened: OpenStore, rows: TagRows) -> None:
    fence = opened.night().leases.lease(ANA, NOON, NOON + timedelta(minutes=1))
    assert fence is not None
    assert rows.rows(ANA) == {}
    rows.replace(ANA, {"k8s": MERGED, "日記": ARCHIVED}, fence)
    assert rows.rows(ANA) == {"k8s": MERGED, "日記": ARCHIVED}
    assert rows.rows("local|bo") == {}
    rows.replace(ANA, {"k8s": MERGED}, fence)
    assert rows.rows(ANA) == {"k8s": MERGED}


def test_thousands_are_kept(opened: OpenStore, rows: TagRows) -> None:
    fence = opened.night().leases.lease(ANA, NOON, NOON + timedelta(minutes=1))
    assert fence is not None
    many = {f"tag-{number:05d}-{'x' * 60}": MERGED for number in range(6_000)}
    rows.replace(ANA, many, fence)
    rows.replace(ANA, many, fence)
    assert rows.rows(ANA) == many


def test_who_lost_the_lease_writes_nothing(opened: OpenStore, rows: TagRows) -> None:
    leases = opened.night().leases
    old = leases.lease(ANA, NOON, NOON + timedelta(seconds=1))
    new = leases.lease(ANA, NOON + timedelta(seconds=2), NOON + timedelta(minutes=1))
    assert old is not None
    assert new is not None
    with pytest.raises(CommonplaceError) as refused:
        rows.replace(ANA, {"k8s": MERGED}, old)
    assert refused.value.code is ErrorCode.LEASE_LOST
    assert rows.rows(ANA) == {}


def test_they_go_with_their_user(opened: OpenStore, rows: TagRows) -> None:
    fence = opened.night().leases.lease(ANA, NOON, NOON + timedelta(minutes=1))
    assert fence is not None
    rows.replace(ANA, {"k8s": MERGED}, fence)
    opened.erasure().erase(ANA)
    assert rows.rows(ANA) == {}

"""Any sequence of leases, renewals and writes: one holder at a time, and only the newest writes."""

import itertools
from datetime import timedelta

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.runs import Run
from commonplace.ports.values import Fence, Operation
from tests.conftest import NOON
from tests.examples import examples

MINUTES = st.integers(0, 4)
DOINGS = st.one_of(
    st.tuples(st.just("lease"), MINUTES),
    st.tuples(st.just("wait"), MINUTES),
    st.tuples(st.sampled_from(["renew", "release", "save", "apply"]), MINUTES),  # by which of the fences given so far
)
USERS = itertools.count()


def writes(opened: OpenStore, fence: Fence, kind: str, until: int, number: int) -> bool:
    """Whether a write by that fence was let through."""
    try:
        if kind == "renew":
            opened.night().leases.renew(fence, NOON + timedelta(minutes=until))
        elif kind == "save":
            run = Run(run_id=f"run_{number}", user_id=fence.user_id, date=NOON.date(), started_at=NOON)
            opened.night().runs.save(run, fence)
        else:
            return opened.ports.operations.apply(Operation(f"op_{number}", fence.user_id, "NOOP", NOON), fence)
    except CommonplaceError as error:
        if error.code is not ErrorCode.LEASE_LOST:
            raise
        return False
    return True


@examples(40, HealthCheck.function_scoped_fixture)
@given(doings=st.lists(DOINGS, max_size=12))
def test_one_holds_the_lease_and_only_the_newest_writes(opened: OpenStore, doings: list[tuple[str, int]]) -> None:
    user, now, until, given_out = f"local|user{next(USERS)}", 0, 0, list[Fence]()
    for number, (kind, minutes) in enumerate(doings):
        if kind == "wait":
            now += minutes
        elif kind == "lease":
            fence = opened.night().leases.lease(user, NOON + timedelta(minutes=now), NOON + timedelta(minutes=now + minutes))
            assert (fence is not None) == (until <= now or until > now + 2 * minutes)  # too far ahead to be true
            if fence is not None:
                assert not given_out or fence.number > given_out[-1].number
                given_out.append(fence)
                until = now + minutes
        elif given_out:
            fence = given_out[-1 - minutes % len(given_out)]
            newest = fence == given_out[-1]
            if kind == "release":
                opened.night().leases.release(fence)
                until = 0 if newest else until
            else:
                assert writes(opened, fence, kind, now + minutes, number) == newest
                until = now + minutes if newest and kind == "renew" else until

"""A clock that is wrong for a while takes nothing away: neither of its own user nor of another."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import ErrorCode
from commonplace.runs.apply import leased
from tests.conftest import NOON, refusal

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]

ROLE = "The user works as a nurse."
YEARS = 5 * 365


def at(open_memory: Opener, days: float, user: str = "ana") -> Commonplace:
    return open_memory(user, now=lambda: NOON + timedelta(days=days))


def contents(open_memory: Opener, user: str = "ana") -> set[str]:
    return {str(one["raw_text"]) for one in open_memory(user).export()}


def deleted(open_memory: Opener, user: str = "ana") -> None:
    open_memory(user).write_memory("role", ROLE, "work_context", "durable")
    open_memory(user).delete_memory("role")


def test_a_clock_years_ahead_takes_nothing_of_another_user(open_memory: Opener) -> None:
    deleted(open_memory, "ben")
    for hours in range(3):
        at(open_memory, YEARS + hours / 24).store_memory(f"I run {hours} miles.")
    at(open_memory, YEARS + 2).store_memory("I swim.")
    assert contents(open_memory, "ben") == {ROLE}


def test_nor_of_its_own_user_and_later_all_goes_on_as_ever(open_memory: Opener) -> None:
    deleted(open_memory)
    for hours in range(3):
        at(open_memory, YEARS + hours / 24).store_memory(f"I run {hours} miles.")
    assert ROLE in contents(open_memory)
    for day in (1, 8, 15, 22, 29):
        at(open_memory, day).store_memory(f"I slept {day} hours.")
        assert ROLE in contents(open_memory)
    at(open_memory, 30).store_memory("I swim.")
    assert ROLE not in contents(open_memory)


def test_who_comes_back_after_months_is_believed_from_the_second_day_on(open_memory: Opener) -> None:
    deleted(open_memory)
    for hours in range(3):
        at(open_memory, 90 + hours / 24).store_memory(f"I run {hours} miles.")
    assert ROLE in contents(open_memory)
    at(open_memory, 91.1).store_memory("I swim.")
    assert ROLE not in contents(open_memory)


def test_an_import_is_no_clock(open_memory: Opener) -> None:
    deleted(open_memory)
    with_dates = [{**one, "memory_id": f"mem_{number:026d}", "raw_text": f"Note {number}.", "normalized_text": f"Note {number}.",
                   "status": "active", "key": None, "purge_at": None, "valid_to": None, "expires_at": None,
                   "created_at": (NOON + timedelta(days=YEARS + number)).isoformat(),
                   "updated_at": (NOON + timedelta(days=YEARS + number)).isoformat()}
                  for number, one in enumerate([next(iter(open_memory().export()))] * 4, 1)]  # fmt: skip
    assert open_memory().import_records(with_dates, apply=True).added == 4
    open_memory().store_memory("I run.")
    assert ROLE in contents(open_memory)


def explicit(number: int, text: str) -> dict[str, Any]:
    return {"type": "explicit", "id": str(number), "time": NOON.isoformat(), "text": text}


def texts_left(open_memory: Opener) -> list[bool]:
    ledger = open_memory()._local.night().ledger
    return [one.interaction is not None for one in ledger.entries("local|ana", ["1", "2"])]


def test_a_night_in_years_to_come_drops_no_texts(open_memory: Opener) -> None:
    open_memory().record_interactions([explicit(1, "Remember that I play the cello.")])
    open_memory().nightly("rules")
    ahead = at(open_memory, YEARS)
    ahead.record_interactions([explicit(2, "Remember that I play the oboe.")])
    ahead.nightly("rules")
    assert texts_left(open_memory) == [True, True]
    at(open_memory, 25).store_memory("I swim.")
    at(open_memory, 31).nightly("rules")
    assert texts_left(open_memory) == [False, True]


def test_what_is_not_to_be_kept_at_all_goes_by_any_clock(open_memory: Opener) -> None:
    open_memory().store_memory("I swim.")
    ahead = at(open_memory, YEARS)
    ahead.record_interactions([explicit(1, "Remember that I play the cello.")])
    ahead.nightly("rules")
    ledger = ahead._local.night().ledger
    assert ledger.drop_texts("local|ana", NOON + timedelta(days=YEARS, seconds=1), timedelta(0)) == 1


def test_who_holds_a_lease_while_the_clock_is_set_back_keeps_it(open_memory: Opener) -> None:
    clock = [NOON]
    context = replace(open_memory()._build_context(), clock=lambda: clock[0])
    with leased(context) as lease:
        clock[0] -= timedelta(hours=3)
        lease.renew()
        soon = clock[0] + timedelta(minutes=5)
        assert context.night.leases.lease("local|ana", soon, soon + timedelta(minutes=10)) is None
        assert context.night.leases.lease("local|ana", soon + timedelta(minutes=5), soon + timedelta(minutes=15)) is not None


def test_a_clock_that_was_set_back_holds_up_no_night(open_memory: Opener) -> None:
    night = open_memory()._local.night()
    assert night.leases.lease("local|ana", NOON + timedelta(days=3), NOON + timedelta(days=3, minutes=10)) is not None
    open_memory().record_interactions([explicit(1, "Remember that I play the cello.")])
    assert [one.kind for one in open_memory().nightly("rules").operations] == ["ADD"]


CALLS: dict[str, Callable[[Commonplace], object]] = {
    "store": lambda memory: memory.store_memory("I own a kite."),
    "list": lambda memory: memory.backups(),
    "upload": lambda memory: memory.upload(b"x"),
    "export": lambda memory: memory.export_memories(),
    "backup": lambda memory: memory.backup(),
    "nightly": lambda memory: memory.nightly("rules"),
    "search": lambda memory: memory.search_memory("boat"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("user", ["ana", "ben"])
def test_no_call_by_such_a_clock_takes_a_kept_file(open_memory: Opener, user: str, call: str) -> None:
    open_memory().store_memory("My boat is called Bo.")
    open_memory().backup()
    CALLS[call](at(open_memory, YEARS, user))
    assert len(at(open_memory, 1).backups()) == (2 if (user, call) == ("ana", "backup") else 1)


def test_the_files_of_a_user_without_memories_survive_it_and_expire_later(open_memory: Opener) -> None:
    kept = open_memory().upload(b"a kite").upload_id
    at(open_memory, YEARS).upload(b"x")
    body = BytesIO()
    open_memory().uploaded(kept, body)
    assert body.getvalue() == b"a kite"
    for days in (1, 2):
        at(open_memory, days).upload(b"y")
    assert refusal(lambda: open_memory().uploaded(kept, BytesIO())).code is ErrorCode.NOT_FOUND


def test_ratings_and_documents_survive_it(open_memory: Opener) -> None:
    memory = open_memory()
    memory_id = memory.store_memory("My boat is called Bo.").memory_id
    memory.record_feedback(memory_id, "boat", True)
    memory.documents.write(("notes",), "a.md", "I own a kite.")
    memory.documents.delete(("notes",), "a.md")
    ahead = at(open_memory, YEARS)
    ahead.record_feedback(memory_id, "ship", True)
    ahead.documents.write(("notes",), "b.md", "I own a tent.")
    assert [one.query for one in memory._local.ports.feedback.ratings("local|ana", NOON)] == ["boat", "ship"]
    assert memory.documents.undo(("notes",), "a.md").body == "I own a kite."

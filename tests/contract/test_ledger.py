"""The laws of the ledger: nothing recorded is lost, and nothing is read twice."""

import itertools
import random
from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from commonplace.domain.interactions import INTERACTION, Discussion, Explicit, Interaction
from commonplace.domain.runs import Run
from commonplace.nightly.intake import record_interactions, split_text
from commonplace.ports.night import LedgerEntry, LedgerMark, NightPorts
from commonplace.ports.values import Caller
from tests.conftest import NOON
from tests.examples import examples

ANA, BEN = "local|ana", "local|ben"
DAY = timedelta(days=1)
USERS = itertools.count()


def asked(name: str, time: datetime = NOON, text: str = "remember the milk") -> Interaction:
    return INTERACTION.validate_python({"type": "explicit", "id": name, "time": time, "text": text})


def ids(entries: Iterable[LedgerEntry]) -> list[str]:
    return [entry.interaction_id for entry in entries]


def close(night: NightPorts, marks: dict[str, LedgerMark], at: datetime = NOON, user_id: str = ANA, number: int = 1) -> None:
    """A run that read them, begun and closed."""
    fence = night.leases.lease(user_id, at, at + DAY)
    assert fence is not None
    run = {"run_id": f"run_{number:026d}", "user_id": user_id, "date": at.date(), "started_at": at, "finished_at": at}
    night.runs.close(Run.model_validate({**run, "status": "done"}), marks, fence)
    night.leases.release(fence)


def test_every_kind_is_read_back_as_it_was(night: NightPorts) -> None:
    messages = [{"role": "user", "content": "Is it 寿司?"}, {"role": "assistant", "content": "It is."}]
    kinds = [
        {"type": "discussion", "id": "1", "time": NOON, "messages": messages, "article_title": "Fish"},
        {"type": "reaction", "id": "2", "time": NOON, "post_id": "p", "reaction": "like", "title": "Rice"},
        {"type": "save", "id": "3", "time": NOON, "post_title": "Rice", "post_id": "p"},
        {"type": "explicit", "id": "4", "time": NOON, "text": "remember the milk"},
    ]
    told = [INTERACTION.validate_python(kind) for kind in kinds]
    assert night.ledger.record(ANA, told, NOON + DAY) == [True] * 4
    entries = night.ledger.entries(ANA, ["1", "2", "3", "4"])
    assert [entry.interaction for entry in entries] == told
    assert entries[0] == LedgerEntry("1", NOON, "pending", NOON + DAY, told[0], messages=2)


def test_what_is_too_heavy_for_a_store_is_refused_on_its_own_and_anything_lighter_is_kept(night: NightPorts) -> None:
    script = [chr(0x4E00 + number) for number in range(4_096)]  # hardly gets shorter when it is compressed

    def talk(name: str, length: int) -> dict[str, object]:
        said = [{"role": "user", "content": "".join(random.Random(name).choices(script, k=length))}]
        return {"type": "discussion", "id": name, "time": NOON, "messages": said}

    given = [talk("light", 180_000), talk("heavy", 290_000), {"type": "explicit", "id": "w", "time": NOON, "text": "Tea."}]
    told = record_interactions(given, Caller(ANA, NOON), night.ledger)
    assert (told.recorded, [(one.id, one.field) for one in told.refused]) == (2, [("heavy", "messages")])
    (light,) = night.ledger.entries(ANA, ["light"])
    assert isinstance(light.interaction, Discussion)
    assert sum(len(one.content) for one in light.interaction.messages) == 180_000


def test_the_same_id_again_is_known_and_the_first_stays(night: NightPorts) -> None:
    first = asked("a")
    assert night.ledger.record(ANA, [first, asked("a", text="another"), asked("b")], NOON) == [True, False, True]
    assert night.ledger.record(ANA, [asked("b", text="another"), asked("c")], NOON) == [False, True]
    assert [entry.interaction for entry in night.ledger.entries(ANA, ["a", "b"])] == [first, asked("b")]
    assert night.ledger.record(BEN, [asked("a")], NOON) == [True]


def test_more_than_a_batch_is_recorded_at_once(night: NightPorts) -> None:
    many = [asked(f"{number:03d}", NOON + timedelta(seconds=number)) for number in range(130)]
    assert night.ledger.record(ANA, many[:1], NOON) == [True]
    assert night.ledger.record(ANA, many, NOON) == [False] + [True] * 129
    assert ids(night.ledger.pending(ANA, 500)) == [one.id for one in many]
    assert ids(night.ledger.entries(ANA, [one.id for one in many])) == [one.id for one in many]


def test_a_long_wish_waits_in_order_and_is_known_as_one(night: NightPorts) -> None:
    caller, said = Caller(ANA, NOON), [f"I was at place {number}. " for number in range(1_200)]
    long, other = (
        {"type": "explicit", "id": "w", "time": NOON.isoformat(), "text": "".join(text)} for text in (said, said[1:])
    )
    assert record_interactions([long], caller, night.ledger).recorded == 1
    waiting = night.ledger.pending(ANA, 10)
    assert "".join(entry.interaction.text for entry in waiting if isinstance(entry.interaction, Explicit)) == long["text"]
    assert len(waiting) == len(split_text(long["text"]))
    assert record_interactions([long, other], caller, night.ledger).known == 2
    assert night.ledger.pending(ANA, 10) == waiting


def test_what_waits_is_told_oldest_first_whatever_the_zone(night: NightPorts) -> None:
    tokyo = (NOON - timedelta(hours=1)).astimezone(ZoneInfo("Asia/Tokyo"))
    night.ledger.record(ANA, [asked("late", NOON + DAY), asked("noon"), asked("early", tokyo)], NOON)
    night.ledger.record(ANA, [asked("arrived late", NOON - DAY)], NOON + DAY)
    night.ledger.record(BEN, [asked("his")], NOON)
    assert ids(night.ledger.pending(ANA, 10)) == ["arrived late", "early", "noon", "late"]
    assert ids(night.ledger.pending(ANA, 2)) == ["arrived late", "early"]
    assert night.ledger.pending("local|nobody", 2) == []


def test_entries_are_the_users_own_in_the_order_asked(night: NightPorts) -> None:
    night.ledger.record(ANA, [asked("a"), asked("b")], NOON)
    night.ledger.record(BEN, [asked("c")], NOON)
    assert ids(night.ledger.entries(ANA, ["b", "c", "x", "a"])) == ["b", "a"]
    assert night.ledger.entries(ANA, []) == []


def test_what_was_read_or_failed_waits_no_more(night: NightPorts) -> None:
    night.ledger.record(ANA, [asked("read"), asked("failed"), asked("left")], NOON)
    close(night, {"read": LedgerMark("read"), "failed": LedgerMark("failed", 3), "left": LedgerMark("pending", 1)})
    assert ids(night.ledger.pending(ANA, 10)) == ["left"]
    assert night.ledger.record(ANA, [asked("read"), asked("failed")], NOON) == [False, False]
    assert ids(night.ledger.pending(ANA, 10)) == ["left"]


def test_what_is_to_be_read_again_waits_as_if_it_were_new(night: NightPorts) -> None:
    night.ledger.record(ANA, [asked("read"), asked("failed"), asked("other"), asked("gone"), asked("waiting")], NOON)
    marks = {"failed": LedgerMark("failed", 3), "waiting": LedgerMark("pending", 1)}
    close(night, {name: LedgerMark("read") for name in ("read", "other", "gone")} | marks)
    night.ledger.erase_texts(ANA, ["gone"])
    assert night.ledger.reread(ANA, ["read", "failed", "gone", "waiting", "unknown"]) == 2
    pending = {entry.interaction_id: entry for entry in night.ledger.pending(ANA, 10)}
    assert {name: entry.failures for name, entry in pending.items()} == {"read": 0, "failed": 0, "waiting": 1}
    assert [entry.read_at for entry in pending.values()] == [None, None, None]
    assert night.ledger.reread(BEN, ["other"]) == 0


def test_texts_are_dropped_some_time_after_they_were_read(night: NightPorts) -> None:
    names = ["old", "new", "failed", "waiting"]
    night.ledger.record(ANA, [asked(name) for name in names], NOON)
    close(night, {"old": LedgerMark("read"), "failed": LedgerMark("failed", 3)}, NOON, number=1)
    close(night, {"new": LedgerMark("read")}, NOON + DAY, number=2)
    assert night.ledger.drop_texts(ANA, NOON + 2 * DAY, 2 * DAY) == 0
    assert night.ledger.drop_texts(BEN, NOON + 2 * DAY, DAY) == 0
    assert night.ledger.drop_texts(ANA, NOON + 2 * DAY, DAY) == 2
    assert night.ledger.drop_texts(ANA, NOON + 2 * DAY, DAY) == 0
    entries = night.ledger.entries(ANA, names)
    assert [entry.interaction is None for entry in entries] == [True, False, True, False]
    assert (entries[0].time, entries[0].state, entries[0].run_id) == (NOON, "read", f"run_{1:026d}")
    assert night.ledger.record(ANA, [asked("old")], NOON) == [False]


def test_what_is_erased_is_gone_at_once_and_never_read(night: NightPorts) -> None:
    night.ledger.record(ANA, [asked("waiting"), asked("other"), asked("read")], NOON)
    close(night, {"read": LedgerMark("read")})
    night.ledger.erase_texts(ANA, ["waiting", "read", "unknown"])
    assert ids(night.ledger.pending(ANA, 10)) == ["other"]
    entries = night.ledger.entries(ANA, ["waiting", "read", "other"])
    assert [entry.state for entry in entries] == ["read", "read", "pending"]
    assert [entry.interaction is None for entry in entries] == [True, True, False]
    close(night, {"waiting": LedgerMark("pending", 1)}, number=2)  # a run that had begun before leaves it unread
    assert ids(night.ledger.pending(ANA, 10)) == ["other"]
    night.ledger.erase_texts(BEN, ["other"])
    assert night.ledger.entries(ANA, ["other"])[0].interaction == asked("other")


def test_users_with_something_pending_are_due(night: NightPorts) -> None:
    assert list(night.ledger.due()) == []
    night.ledger.record(ANA, [asked("a"), asked("b")], NOON)
    night.ledger.record(BEN, [asked("a")], NOON)
    assert sorted(night.ledger.due()) == [ANA, BEN]
    close(night, {"a": LedgerMark("read"), "b": LedgerMark("pending", 1)}, user_id=ANA)
    close(night, {"a": LedgerMark("read")}, user_id=BEN)
    assert list(night.ledger.due()) == [ANA]
    night.ledger.erase_texts(ANA, ["b"])
    assert list(night.ledger.due()) == []
    assert night.ledger.reread(BEN, ["a"]) == 1
    assert list(night.ledger.due()) == [BEN]


def test_users_whose_texts_were_kept_long_enough_are_due_too(night: NightPorts) -> None:
    night.ledger.record(ANA, [asked("a")], NOON)
    night.ledger.record(BEN, [asked("a"), asked("b")], NOON)
    close(night, {"a": LedgerMark("read")}, user_id=ANA)
    close(night, {"a": LedgerMark("read"), "b": LedgerMark("failed", 3)}, NOON + DAY, user_id=BEN)
    assert list(night.ledger.due()) == []
    assert list(night.ledger.due(NOON)) == []
    assert list(night.ledger.due(NOON + DAY)) == [ANA]
    assert sorted(night.ledger.due(NOON + 2 * DAY)) == [ANA, BEN]
    night.ledger.drop_texts(ANA, NOON + 2 * DAY, DAY)
    assert list(night.ledger.due(NOON + 2 * DAY)) == [BEN]


DOINGS = st.lists(
    st.one_of(
        st.tuples(st.just("record"), st.lists(st.integers(0, 12), min_size=1, max_size=5)),
        st.tuples(st.just("night"), st.lists(st.sampled_from(["read", "pending", "failed"]), max_size=4)),
    ),
    max_size=8,
)


@examples(25, HealthCheck.function_scoped_fixture)
@given(doings=DOINGS)
def test_whatever_comes_and_whatever_is_read_nothing_is_lost_or_read_twice(
    night: NightPorts, doings: list[tuple[str, list[int] | list[str]]]
) -> None:
    user, recorded, done, now = f"local|user{next(USERS)}", set[str](), list[str](), NOON
    for number, (kind, details) in enumerate(doings):
        now += DAY
        if kind == "record":
            names = [str(one) for one in details]
            night.ledger.record(user, [asked(name, now) for name in names], now)
            recorded |= set(names)
        else:
            taken = ids(night.ledger.pending(user, len(details)))
            marks = {name: LedgerMark(state) for name, state in zip(taken, details, strict=False)}  # type: ignore[arg-type]
            close(night, marks, now, user, number)
            done += [name for name, mark in marks.items() if mark.state != "pending"]
    waiting = ids(night.ledger.pending(user, 100))
    assert sorted([*waiting, *done]) == sorted(recorded)
    assert (user in set(night.ledger.due())) == bool(waiting)

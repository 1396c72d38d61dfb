"""Writes are packed into transactions: none too large, none left out, none torn apart."""

from hypothesis import given
from hypothesis import strategies as st

from commonplace.adapters.dynamodb.calls import Refusal
from commonplace.adapters.dynamodb.writes import RowChange, TransactionWrite, batches_of, refused_writes
from tests.conftest import NOON
from tests.dynamodb_entries import entry
from tests.examples import examples

LENGTHS = st.lists(st.tuples(st.integers(1, 400_000), st.booleans(), st.booleans()), max_size=50)


def writes_of(lengths: list[tuple[int, bool, bool]]) -> list[TransactionWrite]:
    writes = []
    for number, (length, key, archives) in enumerate(lengths):
        new = entry(f"memory {number}", key=f"key {number}" if key else None)
        write = TransactionWrite(RowChange(new.memory, b"x" * length, new.audit))
        if archives:
            old = entry(f"memory {number}", key=f"old key {number}").memory
            closed = old.model_copy(update={"status": "archived", "version": 2})
            write.archived[old.memory_id] = RowChange(closed, None, new.audit, before=old)
        writes.append(write)
    return writes


@examples(50)
@given(LENGTHS)
def test_a_transaction_holds_no_more_than_it_may(lengths: list[tuple[int, bool, bool]]) -> None:
    writes = writes_of(lengths)
    batches = list(batches_of(writes, NOON))
    assert [id(write) for batch in batches for write, _ in batch] == [id(write) for write in writes]
    for batch in batches:
        actions = [action for _, of_one in batch for action in of_one]
        assert len(actions) <= 100
        assert sum(action.size for action in actions) <= 3_500_000 or len(batch) == 1
        assert len({(action.item["user"]["S"], action.name) for action in actions}) == len(actions)
        assert len(batch) == 1 or not any(write.archived for write, _ in batch)


@examples(50)
@given(LENGTHS.filter(bool), st.data())
def test_a_refusal_is_laid_at_the_door_of_its_write(lengths: list[tuple[int, bool, bool]], data: st.DataObject) -> None:
    for batch in batches_of(writes_of(lengths), NOON):
        owners = [(write, action) for write, of_one in batch for action in of_one]
        places = data.draw(st.sets(st.integers(0, len(owners) - 1), max_size=5))
        found = refused_writes(batch, [Refusal(place, {}) for place in places])
        told = [(id(refused.write), action) for refused in found for action, _ in refused.actions]
        assert told == [(id(owners[place][0]), owners[place][1]) for place in sorted(places)]

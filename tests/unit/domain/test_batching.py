"""Many things, some at a time."""

from itertools import chain, count, islice

from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.batching import in_batches


@given(st.lists(st.integers(0, 9)), st.integers(1, 5), st.integers(0, 20))
def test_all_come_in_order_in_lists_that_are_not_too_long_nor_too_heavy(things: list[int], size: int, most: int) -> None:
    batches = list(in_batches(things, size, lambda thing: thing, most))
    assert list(chain.from_iterable(batches)) == things
    assert all(0 < len(batch) <= size for batch in batches)
    assert all(sum(batch) <= most or len(batch) == 1 for batch in batches)
    assert list(in_batches(things, size)) == [things[at : at + size] for at in range(0, len(things), size)]


def test_a_full_list_waits_for_nothing_behind_it() -> None:
    numbers = count()
    assert next(in_batches(numbers, 3)) == [0, 1, 2]
    assert list(islice(numbers, 1)) == [3]

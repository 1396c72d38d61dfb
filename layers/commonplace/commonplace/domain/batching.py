"""Split items into batches by number and weight."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

_Thing = TypeVar("_Thing")


def in_batches(
    things: Iterable[_Thing], size: int, weight: Callable[[_Thing], int] = lambda _: 0, most: int = 0
) -> Iterator[list[_Thing]]:
    """Yield non-empty lists of up to `size` items, in order.

    If `weight` is given, the total weight of each list is at most `most`. An item heavier than `most` gets its own list.
    """
    batch, weighs = list[_Thing](), 0
    for thing in things:
        more = weight(thing)
        if batch and weighs + more > most:
            yield batch
            batch, weighs = [], 0
        batch.append(thing)
        weighs += more
        if len(batch) == size:
            yield batch
            batch, weighs = [], 0
    if batch:
        yield batch

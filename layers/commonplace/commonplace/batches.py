"""Many things, some at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Thing = TypeVar("_Thing")


def in_batches(things: Iterable[_Thing], size: int) -> Iterator[list[_Thing]]:
    """Lists of up to `size` of the things, in their order; none is empty."""
    rest = iter(things)
    while batch := list(islice(rest, size)):
        yield batch

"""Loads what is big, a table or a model, once, however many threads ask for it first."""

from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar, cast

DATA = Path(__file__).parents[1] / "data"
"""Where the package has its trained models."""
_Loader = TypeVar("_Loader", bound=Callable[..., Any])
_lock = RLock()  # one for all: loaders call each other, and two at once need more memory than one after the other


def loaded_once(load: _Loader) -> _Loader:
    """A loader that runs once for each of its arguments, while other threads wait. `functools.cache` has no lock."""
    kept = cache(load)

    def locked(*given: Any) -> Any:
        with _lock:
            return kept(*given)

    return cast("_Loader", cache(wraps(load)(locked)))


def forked() -> None:
    """Makes a new lock in a process that was forked: whoever held the lock may not be there."""
    global _lock
    _lock = RLock()

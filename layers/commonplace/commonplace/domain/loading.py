"""Loads a large resource, such as a table or model, once, however many threads request it first."""

from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar, cast

DATA = Path(__file__).parents[1] / "data"
"""The folder of the package's trained models."""
_Loader = TypeVar("_Loader", bound=Callable[..., Any])
_lock = RLock()  # shared, because loaders call each other, and loading at the same time needs more memory


def loaded_once(load: _Loader) -> _Loader:
    """Return a loader that runs once per arguments, while other threads wait. `functools.cache` has no lock."""
    cached = cache(load)

    def locked(*args: Any) -> Any:
        with _lock:
            return cached(*args)

    return cast("_Loader", cache(wraps(load)(locked)))


def forked() -> None:
    """Create a new lock in a forked process, because the thread that acquired the old lock may not exist there."""
    global _lock
    _lock = RLock()

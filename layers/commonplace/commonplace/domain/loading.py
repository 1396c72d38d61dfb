"""Load a large resource, such as a table or a model, only once, even if several threads request it at the same time."""

from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar, cast

DATA = Path(__file__).parents[1] / "data"
"""The folder of the package's trained models."""
_Loader = TypeVar("_Loader", bound=Callable[..., Any])
_lock = RLock()  # shared by all loaders, which call one another; loading in parallel would need more memory


def loaded_once(load: _Loader) -> _Loader:
    """Return a function that calls `load` once per set of arguments. Other threads wait, unlike with `functools.cache`."""
    cached = cache(load)

    def locked(*args: Any) -> Any:
        with _lock:
            return cached(*args)

    return cast("_Loader", cache(wraps(load)(locked)))


def forked() -> None:
    """Replace the lock in a forked process, where the thread that held the old lock may not exist."""
    global _lock
    _lock = RLock()

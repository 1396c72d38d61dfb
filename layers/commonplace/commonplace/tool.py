"""What a tool is: the shape of a row in `tools.py`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from commonplace.errors import ErrorCode
from commonplace.models.fields import Request, Result
from commonplace.ports import Caller, Ports

Tier = Literal["core", "advanced"]
Group = Literal["maintenance", "analysis", "migration", "debugging"]
Run = Callable[[Any, Caller, Ports], Result]


@dataclass(frozen=True)
class Hints:
    """What an agent framework may assume of a call."""

    read_only: bool
    destructive: bool
    idempotent: bool


@dataclass(frozen=True)
class Tool:
    """One tool. `function` is the handler that serves it on AWS; `use_case` the module and function that do the work."""

    name: str
    title: str
    description: str
    request: type[Request]
    result: type[Result]
    function: str
    use_case: str
    tier: Tier
    hints: Hints
    examples: tuple[dict[str, Any], ...]
    group: Group | None = None
    errors: tuple[ErrorCode, ...] = field(default=(ErrorCode.TEXT_TOO_LONG,))

    @property
    def route(self) -> str:
        """Its path on every HTTP way in."""
        return f"/tools/{self.name}"

    def run(self) -> Run:
        """The use case, imported at its first use, so that no function pays for another's imports."""
        module, function = self.use_case.split(":")
        run: Run = getattr(import_module(f"commonplace.{module}"), function)
        return run


READS = Hints(read_only=True, destructive=False, idempotent=True)
STORES = Hints(read_only=False, destructive=False, idempotent=True)
"""The same memory again is the same memory."""
TEXT_ERRORS = (ErrorCode.EMPTY_TEXT, ErrorCode.TEXT_TOO_LONG, ErrorCode.SECRET_ONLY)
QUERY_ERRORS = (ErrorCode.EMPTY_TEXT, ErrorCode.TEXT_TOO_LONG)

"""What a tool is: the shape of a row of the registry."""

from dataclasses import dataclass, field
from typing import Any, Literal

from commonplace.domain.errors import ErrorCode
from commonplace.domain.fields import Request, Result
from commonplace.domain.taxonomy import ToolGroup

Tier = Literal["primary", "core", "advanced"]
"""Who may do with the fewest tools loads the primary ones, then the core ones as well; advanced ones are called by few."""


@dataclass(frozen=True)
class Hints:
    """What an agent framework may assume of a call."""

    read_only: bool
    destructive: bool
    idempotent: bool


@dataclass(frozen=True)
class Tool:
    """One tool. `function` is the handler that serves it on AWS; `use_cases.dispatch` has the use case of its name."""

    name: str
    title: str
    description: str
    request: type[Request]
    result: type[Result]
    function: str
    tier: Tier
    hints: Hints
    examples: tuple[dict[str, Any], ...]
    group: ToolGroup | None = None
    errors: tuple[ErrorCode, ...] = field(default=(ErrorCode.TEXT_TOO_LONG,))

    @property
    def route(self) -> str:
        """Its path on every HTTP way in."""
        return f"/tools/{self.name}"


READS = Hints(read_only=True, destructive=False, idempotent=True)
STORES = Hints(read_only=False, destructive=False, idempotent=True)
"""The same memory again is the same memory."""
TEXT_ERRORS = (ErrorCode.EMPTY_TEXT, ErrorCode.TEXT_TOO_LONG, ErrorCode.SECRET_ONLY)
QUERY_ERRORS = (ErrorCode.EMPTY_TEXT, ErrorCode.TEXT_TOO_LONG)

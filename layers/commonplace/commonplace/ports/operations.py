"""The port of operations: changes of several records made together."""

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from commonplace.domain.memory import Memory
from commonplace.ports.record_values import Applied, Fence, Operation

if TYPE_CHECKING:
    from commonplace.ports.values import Visibility


class Operations(Protocol):
    """Applies operations and keeps each under its id."""

    def apply(self, operation: Operation, fence: Fence | None = None) -> bool:
        """Applies all changes in one transaction; False when it was applied before: then nothing is done.

        `CONFLICT` when a record has another version than it was read with, or is gone, or when another active, unexpired
        memory that the operation doesn't close is the same as `opens` or holds its key; an expired one in the way is
        archived. `LEASE_LOST` when the fence is not the newest of its user.
        """

    def applied(self, user_id: str, operation_id: str) -> Applied | None:
        """The operation of that id, None if it was never applied."""

    def since(self, user_id: str, at: datetime) -> "list[Applied]":
        """The operations whose ids are of that moment or a later one, in the order of their ids."""

    def newest(self, user_id: str) -> Applied | None:
        """The operation with the newest id that is no undo, if there is one; ids tell the time to the millisecond."""

    def holder(self, user_id: str, collection: str, key: str, now: datetime) -> Memory | None:
        """The active, unexpired memory that holds a key; strongly consistent."""

    def keys(self, visibility: "Visibility", collection: str) -> list[str]:
        """The keys of memories that may be seen, in order of the alphabet, the first 10,000."""

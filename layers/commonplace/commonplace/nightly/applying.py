"""A plan is carried out, operation by operation, each in one transaction of its own."""

import logging

from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.models.runs import RunOperation
from commonplace.nightly.desk import Lease
from commonplace.nightly.plan import PlannedOperation, with_outcome

_IN_THE_WAY = (ErrorCode.CONFLICT, ErrorCode.NOT_FOUND)
_LOST = "the memory was changed meanwhile, or another holds its key or says the same; that write stays"
_log = logging.getLogger("commonplace")


def apply(operation: PlannedOperation, run_id: str, lease: Lease, last_try: bool = False) -> RunOperation:
    """Does what is planned, unless it is done already, and tells how it ended: `applied`, or `lost` to another write.

    What was not planned to be done (it waits, or is beyond the cap) is told as it is. Raises `LEASE_LOST`, and what it can't
    tell anything about; on the `last_try` that is lost too, so that one operation doesn't hold up all nights to come.
    """
    told = operation.told
    if told.outcome != "planned":
        return told
    lease.keep()
    try:
        lease.desk.ports.operations.apply(operation.operation(lease.desk.user_id, run_id), lease.fence)
    except CommonplaceError as error:
        if error.code not in _IN_THE_WAY:
            raise
        if operation.only_leaves:  # what is left is there already: no reason to keep what is to go
            return apply(operation.only_closing(), run_id, lease, last_try)
        return with_outcome(told, "lost", f"{told.why}; {_LOST}")
    except Exception as error:
        if not last_try:
            raise
        _log.error("operation %s of %s can't be made: %s", told.operation_id, run_id, type(error).__name__, exc_info=error)
        return with_outcome(told, "lost", f"{told.why}; it could not be written")
    return with_outcome(told, "applied")

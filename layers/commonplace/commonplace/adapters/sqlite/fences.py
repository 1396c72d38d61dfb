"""Leases on a user's runs, and the fence that whoever writes must hold."""

import sqlite3
from datetime import datetime

from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.ports import Fence

_NEWEST = "SELECT 1 FROM leases JOIN users ON users.number = owner WHERE user_id = ? AND leases.number = ?"


def take(connection: sqlite3.Connection, owner: int, now: datetime, until: datetime) -> int | None:
    """The number of a new lease; None while another has not run out."""
    found = connection.execute(
        "INSERT INTO leases VALUES (:owner, 1, :until) ON CONFLICT DO UPDATE"
        " SET number = number + 1, until = excluded.until WHERE until <= :now RETURNING number",
        {"owner": owner, "now": now.timestamp(), "until": until.timestamp()},
    ).fetchone()
    return None if found is None else int(found[0])


def set_end(connection: sqlite3.Connection, fence: Fence, until: float) -> None:
    """Lets the newest lease run until then."""
    connection.execute(
        "UPDATE leases SET until = ? WHERE number = ? AND owner = (SELECT number FROM users WHERE user_id = ?)",
        (until, fence.number, fence.user_id),
    )


def check(connection: sqlite3.Connection, fence: Fence) -> None:
    """`LEASE_LOST` if the fence is not the newest of its user."""
    if connection.execute(_NEWEST, (fence.user_id, fence.number)).fetchone() is None:
        raise CommonplaceError(ErrorCode.LEASE_LOST, "another run has taken over; this one writes nothing any more")

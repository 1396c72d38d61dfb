"""What goes for good by time, and which time a user's own records confirm.

The clock of a laptop may be years ahead for an afternoon, and nothing brings back what is purged. So a write purges only its
own user's memories, and a clock is believed up to a week after the newest of that user's records that are a day old by it.
Who comes back after months is believed from the second day on; an earlier day's record has confirmed the clock by then.
"""

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from commonplace.adapters.sqlite import removal, writes

_DAY = 86_400.0
_CONFIRMED_FOR = 7 * _DAY
_AT_ONCE = 100  # a write never waits for more; the rest goes with the next ones
_PURGE_AT = "iif(json_valid(record), json_extract(record, '$.purge_at'), NULL)"  # one that is no JSON stops no write
_INDEX = (
    "CREATE INDEX IF NOT EXISTS memories_by_owner_purge ON memories"
    f" (owner, julianday({_PURGE_AT})) WHERE {_PURGE_AT} IS NOT NULL"
)
_DUE = (
    f"{writes.STORED} WHERE owner = ? AND {_PURGE_AT} IS NOT NULL"
    f" AND julianday({_PURGE_AT}) <= 2440587.5 + ? / {_DAY} ORDER BY julianday({_PURGE_AT}) LIMIT {_AT_ONCE}"
)
_OVER = "SELECT 1 FROM kept_files WHERE owner = ? AND expires_at <= ? LIMIT 1"
_NEWEST = """WITH newest AS (
    SELECT created_at, valid_to FROM memories WHERE owner = :owner ORDER BY change DESC LIMIT :most
)
SELECT max(at) FROM (
    SELECT created_at AS at FROM newest UNION ALL SELECT valid_to FROM newest UNION ALL SELECT * FROM (
        SELECT read_seconds FROM interactions WHERE owner = :owner AND interaction IS NOT NULL AND read_seconds <= :before
        ORDER BY read_seconds DESC LIMIT 1
    )
) WHERE at <= :before"""
_MOST, _ALL = 200, -1  # of what was written last, where the newest time nearly always is; a smaller one only purges less


def purge(connection: sqlite3.Connection, owner: int, now: datetime) -> None:
    """Takes out the user's memories whose `purge_at` has come, with their words, audit rows and counts; and old files.

    Whoever writes calls it at the end of the transaction, so that no schedule is needed. `now`: by the clock, never by what a
    record says.
    """
    if connection.execute(_OVER, (owner, now.timestamp())).fetchone():
        at = confirmed(connection, owner, now)
        connection.execute("DELETE FROM kept_files WHERE owner = ? AND expires_at <= ?", (owner, at))
    connection.execute(_INDEX)  # deleting a damaged record drops it
    if connection.execute(_DUE, (owner, now.timestamp())).fetchone() is None:
        return  # most writes: what the clock would take is looked for first
    for found in connection.execute(_DUE, (owner, confirmed(connection, owner, now))).fetchall():
        there = writes.StoredRow.of(*found)
        if there is None:
            removal.remove_row(connection, found[0], found[3])
        else:
            removal.remove(connection, there)


def confirmed(connection: sqlite3.Connection, owner: int, now: datetime, written: Sequence[float] = ()) -> float:
    """The latest moment up to `now` that the user's own records confirm, in seconds since 1970.

    `written`: when something else of theirs was, which confirms it as well. Where all of it is younger than a day there is
    nothing that a wrong clock could take: then it is `now`.
    """
    clock = now.timestamp()
    other = [one for one in written if one <= clock - _DAY]
    for most in (_MOST, _ALL):
        named = {"owner": owner, "before": clock - _DAY, "most": most}
        (newest,) = connection.execute(_NEWEST, named).fetchone()
        if newest is not None:
            other.append(float(newest))
            break
    return min(clock, max(other) + _CONFIRMED_FOR) if other else clock

"""By which calendar the days of a user are read where no clock of theirs is at hand."""

from datetime import UTC, tzinfo

from commonplace.night_ports import NightPorts


def zone_of(user_id: str, night: NightPorts) -> tzinfo:
    """The offset that what is pending was recorded with, the oldest first; UTC when nothing is.

    A run that died goes on by the calendar that it began with: its days are planned by their dates.
    """
    unfinished = night.runs.unfinished(user_id)
    times = [entry.time for entry in night.ledger.pending(user_id, 1)] if unfinished is None else [unfinished.started_at]
    return next((time.tzinfo for time in times if time.tzinfo), UTC)

"""Reads what a store kept of interactions, runs and tags; None where that can't be read."""

from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic import TypeAdapter

from commonplace.domain.interactions import INTERACTION, Interaction
from commonplace.domain.runs import Run, TagRow

YEARS = range(1970, 2200)
"""Those of what may be recorded: beyond them some zone has no such day."""
_TAG_ROWS: TypeAdapter[dict[str, TagRow]] = TypeAdapter(dict[str, TagRow])
_FIRST, _LAST = datetime(YEARS[0], 1, 2, tzinfo=UTC), datetime(YEARS[-1], 12, 30, tzinfo=UTC)


def kept_interaction(body: str | bytes) -> Interaction | None:
    """Reads what a ledger kept; None where it can't be read. A time beyond the years is held at the nearest of them."""
    try:
        found = INTERACTION.validate_json(body, extra="ignore")
    except ValueError:
        return None
    if found.time.year in YEARS:
        return found
    return found.model_copy(update={"time": _FIRST if found.time.year < YEARS[0] else _LAST})


def kept_run(body: str | bytes) -> Run | None:
    """Reads what a store kept of a run; None where it can't be read. Fields that a newer version added are left out."""
    try:
        return Run.model_validate_json(body, extra="ignore")
    except ValueError:
        return None


def kept_tag_rows(body: str | None) -> dict[str, TagRow]:
    """Reads a user's tag rows; none of no text, nor of one that can't be read: no search ends for that."""
    try:
        return {} if body is None else _TAG_ROWS.validate_json(body, extra="ignore")
    except ValueError:
        return {}


def tag_rows_text(rows: Mapping[str, TagRow]) -> str:
    """The rows as a store keeps them."""
    return _TAG_ROWS.dump_json(dict(rows), exclude_none=True).decode()

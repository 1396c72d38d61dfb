"""The view that shows a timeline of events and changes."""

from datetime import datetime
from typing import Any, get_args

from starlette.responses import Response

from commonplace.domain.errors import CommonplaceError
from commonplace.domain.taxonomy import Granularity
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.visit import HOME, Visit

_FIELDS = ("granularity", "topic", "after", "before", "cursor")


def timeline(visit: Visit) -> Response:
    """Show a page of the timeline, oldest first."""
    arguments: dict[str, Any] = {name: value for name, value in visit.arguments.items() if name in _FIELDS}
    request = {"granularity": "month", **arguments}
    shown = {"given": request, "granularities": get_args(Granularity)}
    try:
        timeline = visit.memory.memory_timeline(**request)
    except CommonplaceError as error:
        if error.code.status >= 500:
            raise
        return visit.show_error("timeline.html", error, **shown, told=None)
    spans = [(bucket, span_name(bucket.start, request["granularity"])) for bucket in timeline.buckets]
    most = max((bucket.count for bucket in timeline.buckets), default=0)
    return visit.show("timeline.html", **shown, told=timeline, spans=spans, most=most)


def span_name(start: datetime, granularity: Granularity) -> str:
    """Return the name of the day, week, month or year that begins at `start`."""
    day = f"{start.day} {start:%B} {start.year}"
    return {"day": day, "week": f"Week of {day}", "month": f"{start:%B} {start.year}", "year": str(start.year)}[granularity]


ROUTES = (Route(f"{HOME}/timeline", timeline),)

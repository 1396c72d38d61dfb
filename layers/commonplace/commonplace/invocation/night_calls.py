"""What an application asks of its user's nights over HTTP: what is recorded, the runs, and what is done about them."""

from collections.abc import Callable
from datetime import tzinfo

from commonplace.invocation import container
from commonplace.invocation.call import Body, Call
from commonplace.nightly import routes
from commonplace.nightly.desk import Desk
from commonplace.nightly.nights import Nights
from commonplace.nightly.reading import reader_at
from commonplace.ports import Caller
from commonplace.strict_json import read_object


def answer(call: Call) -> Body:
    """The answer to a call of kind `night`; raises `CommonplaceError`."""
    assert call.user_id is not None
    given = call.arguments
    nights = nights_of(call.user_id, call.zone)
    return routes.answer(call.name, given["path"], given["query"], lambda: read_object(given["body"]), nights)


def nights_of(user_id: str, zone: tzinfo, go_on: Callable[[], bool] = lambda: True) -> Nights:
    """All that may be asked of a user's nights, as of now."""
    desk = Desk(Caller(user_id, container.now(zone)), container.ports(), container.night(), lambda: container.now(zone))
    return Nights(desk, reader_at(desk), go_on)

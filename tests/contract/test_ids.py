"""An id that somebody made up is the id of nothing, whatever is in it and whatever the store."""

import pytest

from commonplace.bootstrap.local import OpenStore, local_clock
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.nightly.readers import reader_for
from commonplace.nightly.service import Nights
from commonplace.ports.values import Caller
from commonplace.runs.apply import RunContext
from tests.conftest import NOON

pytestmark = pytest.mark.integration

MADE_UP = ["run_nothing", "", " ", "run_1#part", "rün_1", "x" * 3_000, "run_\udc80", "run_\x00"]


@pytest.mark.parametrize("made_up", MADE_UP, ids=range(len(MADE_UP)))
def test_a_run_or_an_operation_of_a_made_up_id_is_not_found(opened: OpenStore, made_up: str) -> None:
    context = RunContext(Caller("local|ana", NOON), opened.ports, opened.night(), local_clock("UTC"))
    nights = Nights(context, reader_for(context))
    for ask in (nights.run_report, nights.undo_run, nights.approve_run, nights.discard_run, nights.undo):
        with pytest.raises(CommonplaceError) as caught:
            ask(made_up)
        assert caught.value.code is ErrorCode.NOT_FOUND
        assert caught.value.message.isprintable()

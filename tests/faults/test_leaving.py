"""A user of a deployment leaves: the table at once, the index by the stream, whatever was pending."""

import pytest

from commonplace.wiring import open_leaving
from tests.faults.conftest import Open, Streaming, Tell
from tests.faults.world import said_of, wait_until

pytestmark = pytest.mark.integration


def test_who_leaves_is_in_no_table_and_no_index(open_world: Open, streaming: Streaming, tell: Tell) -> None:
    world = open_world(streaming)
    users = world.users(3)
    world.store_all(users, 0, 15)
    gone = users[0]
    with world.following(streaming.stream):
        world.settled()
        assert world.documents(gone) == 15
        world.store_all(users, 15, 5)
        assert open_leaving(gone, world.settings).erase() == 20
        assert world.search(gone, said_of(gone, 3))["results"] == []
        wait_until(lambda: not world.documents(gone), "the index still has documents of who left")
        world.settled()
    assert list(world.records.all(gone)) == []
    del world.ledger[gone]
    told = world.balance()
    tell(f"{told}; of who left 0 of 20 in table and index")
    assert told.sound, told

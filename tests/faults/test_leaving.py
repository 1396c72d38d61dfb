"""A user of a deployment leaves: the table at once, the index by the stream, whatever was pending."""

import boto3
import pytest
from moto import mock_aws

from commonplace.bootstrap.cloud import open_erasable_user
from commonplace.pages.page import owner_hash
from tests.faults.conftest import Open, Streaming, Tell
from tests.faults.world import REGION, said_of, wait_until

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
        with mock_aws():  # plays S3; the table stays the real server's
            bucket = boto3.resource("s3", region_name=REGION).Bucket("pages")
            bucket.create(CreateBucketConfiguration={"LocationConstraint": REGION})
            for user in users:
                bucket.put_object(Key=f"{owner_hash(user)}/MEMORY.md", Body=b"# Memory")
            settings = world.settings.model_copy(update={"pages_bucket": "pages"})
            assert open_erasable_user(gone, settings).erase().memories == 20
            left = {one.key for one in bucket.objects.all()}
        assert left == {f"{owner_hash(user)}/MEMORY.md" for user in users[1:]}
        assert world.search(gone, said_of(gone, 3))["results"] == []
        wait_until(lambda: not world.documents(gone), "the index still has documents of who left")
        world.settled()
    assert list(world.records.all(gone)) == []
    del world.ledger[gone]
    told = world.balance()
    tell(f"{told}; of who left 0 of 20 in table and index")
    assert told.sound, told

"""A versioned bucket of a pretended account, for each test that asks."""

from collections.abc import Iterator

import pytest
from moto import mock_aws

from commonplace.adapters.s3 import connect

BUCKET = "pages"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The bucket, as long as the test runs."""
    for name, value in {"ACCESS_KEY_ID": "x", "SECRET_ACCESS_KEY": "x", "DEFAULT_REGION": "eu-central-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    with mock_aws():
        client = connect("eu-central-1")
        client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        yield

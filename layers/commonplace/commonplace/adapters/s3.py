"""Pages as objects of one bucket, a folder per user."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectIdentifierTypeDef

_AT_ONCE = 1_000  # versions that one call deletes


def connect(region: str | None = None, endpoint_url: str | None = None) -> "S3Client":
    """A client that gives up after some seconds; in the region of the environment unless one is given."""
    config = Config(retries={"mode": "standard", "total_max_attempts": 3}, connect_timeout=1, read_timeout=10)
    session = botocore.session.get_session()
    client: S3Client = session.create_client(  # type: ignore[assignment]
        "s3", region_name=region, endpoint_url=endpoint_url, config=config
    )
    return client


class S3Pages:
    """The pages below one folder of a bucket. Who may read them, how they are encrypted and how long old versions stay is the
    bucket's own affair."""

    def __init__(self, client: "S3Client", bucket: str, folder: str) -> None:
        self._client, self._bucket, self._folder = client, bucket, f"{folder}/"

    def names(self) -> list[str]:
        with _storage_errors():
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._folder)
            keys = [found["Key"] for page in pages for found in page.get("Contents", ())]
        names = (key.removeprefix(self._folder) for key in keys)
        return [name for name in names if name.endswith(".md") and name.count("/") <= 1]

    def read(self, name: str) -> str | None:
        with _storage_errors():
            try:
                body = self._client.get_object(Bucket=self._bucket, Key=self._folder + name)["Body"].read()
            except self._client.exceptions.NoSuchKey:
                return None
        try:
            return body.decode()
        except UnicodeDecodeError as error:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{name} is no text in UTF-8") from error

    def write(self, name: str, text: str) -> None:
        with _storage_errors():
            self._client.put_object(
                Bucket=self._bucket, Key=self._folder + name, Body=text.encode(), ContentType="text/markdown; charset=utf-8"
            )

    def delete(self, name: str) -> None:
        with _storage_errors():
            self._client.delete_object(Bucket=self._bucket, Key=self._folder + name)

    def drop_versions(self) -> None:
        with _storage_errors():
            for batch in in_batches(self._old_versions(), _AT_ONCE):
                answer = self._client.delete_objects(Bucket=self._bucket, Delete={"Objects": batch, "Quiet": True})
                if answer.get("Errors"):
                    raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the bucket has not dropped every old version")

    def _old_versions(self) -> "list[ObjectIdentifierTypeDef]":
        """The old versions of pages, then the delete markers, without which old versions would show again."""
        pages = self._client.get_paginator("list_object_versions").paginate(Bucket=self._bucket, Prefix=self._folder)
        old: list[ObjectIdentifierTypeDef] = []
        marks: list[ObjectIdentifierTypeDef] = []
        for page in pages:
            old += [
                {"Key": one["Key"], "VersionId": one["VersionId"]} for one in page.get("Versions", ()) if not one["IsLatest"]
            ]
            marks += [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in page.get("DeleteMarkers", ())]
        return old + marks


@contextmanager
def _storage_errors() -> Iterator[None]:
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        kind = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the bucket of pages can't be used: {kind}") from error

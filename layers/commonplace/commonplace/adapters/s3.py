"""Stores pages and users' files as objects in one bucket, where each user has a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, TYPE_CHECKING, get_args

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.transfer import MEDIA, FileKind, StoredFile
from commonplace.pages.page import owner_hash

if TYPE_CHECKING:
    from botocore.response import StreamingBody
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectIdentifierTypeDef

_DELETE_BATCH = 1_000  # versions per call
_FILE = "file"


def connect(region: str | None = None, endpoint_url: str | None = None) -> "S3Client":
    """Create a client that tries each call at most three times. By default, `region` comes from the environment."""
    config = Config(
        retries={"mode": "standard", "total_max_attempts": 3}, connect_timeout=1, read_timeout=10, signature_version="s3v4"
    )
    return botocore.session.get_session().create_client(  # type: ignore[return-value]
        "s3", region_name=region, endpoint_url=endpoint_url, config=config
    )


class S3Pages:
    """Stores pages in one folder of a bucket. The bucket's settings control access, encryption and retention."""

    def __init__(self, client: "S3Client", bucket: str, folder: str) -> None:
        self._client, self._bucket, self._folder = client, bucket, f"{folder}/"

    def names(self) -> list[str]:
        with _convert_errors():
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._folder)
            keys = [item["Key"] for page in pages for item in page.get("Contents", ())]
        names = (key.removeprefix(self._folder) for key in keys)
        return [name for name in names if name.endswith(".md") and name.count("/") <= 1]

    def read(self, name: str) -> str | None:
        with _convert_errors():
            try:
                body = self._client.get_object(Bucket=self._bucket, Key=self._folder + name)["Body"].read()
            except self._client.exceptions.NoSuchKey:
                return None
        try:
            return body.decode()
        except UnicodeDecodeError as error:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{name} is no text in UTF-8") from error

    def write(self, name: str, text: str) -> None:
        with _convert_errors():
            self._client.put_object(
                Bucket=self._bucket, Key=self._folder + name, Body=text.encode(), ContentType="text/markdown; charset=utf-8"
            )

    def delete(self, name: str) -> None:
        with _convert_errors():
            self._client.delete_object(Bucket=self._bucket, Key=self._folder + name)

    def drop_versions(self) -> None:
        with _convert_errors():
            _delete_versions(self._client, self._bucket, self._folder, and_newest=False)


class S3StoredFiles:
    """Stores users' files under `<kind>s/<hash of the user>/<id>`, so that a bucket rule can expire the files of one kind."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client, self._bucket = client, bucket

    def put(self, user_id: str, file: StoredFile, body: bytes | IO[bytes]) -> None:
        """Store a file or replace its body, and delete the earlier versions of the object."""
        media = MEDIA.get(file.format, ("application/octet-stream", ""))[0]
        key = _format_key(user_id, file.kind, file.file_id)
        if not isinstance(body, bytes):
            body.seek(0)
        with _convert_errors():
            self._client.put_object(
                Bucket=self._bucket, Key=key, Body=body, ContentType=media, Metadata={_FILE: file.model_dump_json()}
            )
            _delete_versions(self._client, self._bucket, key, and_newest=False)

    def get(self, user_id: str, kind: FileKind, file_id: str, now: datetime) -> tuple[StoredFile, bytes] | None:
        with _convert_errors():
            file = self._open(user_id, kind, file_id, now)
            return None if file is None else (file[0], file[1].read())

    def copy(self, user_id: str, kind: FileKind, file_id: str, now: datetime, into: IO[bytes]) -> bool:
        with _convert_errors():
            file = self._open(user_id, kind, file_id, now)
            for piece in file[1].iter_chunks() if file else ():
                into.write(piece)
        return file is not None

    def listed(self, user_id: str, kind: FileKind, now: datetime) -> list[StoredFile]:
        with _convert_errors():
            paginator = self._client.get_paginator("list_objects_v2")
            pages = paginator.paginate(Bucket=self._bucket, Prefix=_format_key(user_id, kind))
            keys = sorted((item["Key"] for page in pages for item in page.get("Contents", ())), reverse=True)
            metadata = [self._client.head_object(Bucket=self._bucket, Key=key)["Metadata"] for key in keys]
        return [file for fields in metadata if (file := StoredFile.model_validate_json(fields[_FILE])).expires_at > now]

    def delete(self, user_id: str, kind: FileKind, file_id: str) -> None:
        self._delete_prefix(_format_key(user_id, kind, file_id))

    def delete_all(self, user_id: str, kind: FileKind | None = None) -> None:
        for name in get_args(FileKind) if kind is None else (kind,):
            self._delete_prefix(_format_key(user_id, name))

    def link(self, user_id: str, file: StoredFile, seconds: int) -> str:
        name = f"{file.file_id}.{MEDIA[file.format][1]}"
        params = {
            "Bucket": self._bucket, "Key": _format_key(user_id, file.kind, file.file_id),
            "ResponseContentDisposition": f'attachment; filename="{name}"', "ResponseCacheControl": "no-store",
        }  # fmt: skip
        return self._client.generate_presigned_url("get_object", Params=params, ExpiresIn=seconds)

    def _open(self, user_id: str, kind: FileKind, file_id: str, now: datetime) -> "tuple[StoredFile, StreamingBody] | None":
        """Return a file with its open body, or None if the file is missing or expired."""
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=_format_key(user_id, kind, file_id))
        except self._client.exceptions.NoSuchKey:
            return None
        file = StoredFile.model_validate_json(answer["Metadata"][_FILE])
        return (file, answer["Body"]) if file.expires_at > now else None

    def _delete_prefix(self, prefix: str) -> None:
        with _convert_errors():
            _delete_versions(self._client, self._bucket, prefix, and_newest=True)


def _format_key(user_id: str, kind: FileKind, file_id: str = "") -> str:
    return f"{kind}s/{owner_hash(user_id)}/{file_id}"


def _delete_versions(client: "S3Client", bucket: str, prefix: str, and_newest: bool) -> None:
    """Delete old versions and delete markers, and all versions if `and_newest`. Markers go last, so nothing reappears."""
    old: list[ObjectIdentifierTypeDef] = []
    marks: list[ObjectIdentifierTypeDef] = []
    for page in client.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=prefix):
        versions = [version for version in page.get("Versions", ()) if and_newest or not version["IsLatest"]]
        old += [{"Key": version["Key"], "VersionId": version["VersionId"]} for version in versions]
        marks += [{"Key": marker["Key"], "VersionId": marker["VersionId"]} for marker in page.get("DeleteMarkers", ())]
    for batch in in_batches([*old, *marks], _DELETE_BATCH):
        answer = client.delete_objects(Bucket=bucket, Delete={"Objects": batch, "Quiet": True})
        if answer.get("Errors"):
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the bucket has not dropped every old version")


@contextmanager
def _convert_errors() -> Iterator[None]:
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        kind = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the bucket can't be used: {kind}") from error

"""DynamoDB's errors, translated into this package's own."""

from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ChecksumError, ClientError, ConnectionError, HTTPClientError

from commonplace.domain.errors import CommonplaceError, ErrorCode

Failure = ClientError | BotoCoreError

_REFUSED = "ConditionalCheckFailed"
_SOON = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
}
_SOON_WITHIN = {"ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"}


@dataclass(frozen=True)
class Refusal:
    """An action of a transaction whose condition didn't hold: its place, and the item that was there, {} for none."""

    place: int
    item: dict[str, Any]


def refusals(error: Failure) -> list[Refusal]:
    """The refused conditions of a write; none when it failed for another reason."""
    if not isinstance(error, ClientError):
        return []
    if error.response["Error"]["Code"] == f"{_REFUSED}Exception":
        return [Refusal(0, {})]
    return [
        Refusal(place, dict(reason.get("Item", {})))
        for place, reason in enumerate(_reasons(error))
        if reason.get("Code") == _REFUSED
    ]


def is_transient(error: Failure) -> bool:
    """Whether the same call may succeed in a moment: throttled, met another transaction, the server was not well, or its
    answer did not arrive whole."""
    if not isinstance(error, ClientError):
        return isinstance(error, ConnectionError | HTTPClientError | ChecksumError)
    if error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500 or error.response["Error"]["Code"] in _SOON:
        return True
    codes = {reason.get("Code", "None") for reason in _reasons(error)} - {"None"}
    return bool(codes) and codes <= _SOON_WITHIN


def storage_error(error: Failure) -> CommonplaceError:
    """The failure in our words: its kind is told, the vendor's own sentence is not, for it may quote data."""
    if is_transient(error):
        return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the record store is busy or can't be reached; try again")
    kind = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
    return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the record store can't be used: {kind}")


def _reasons(error: ClientError) -> list[Any]:
    return list(error.response.get("CancellationReasons", []))

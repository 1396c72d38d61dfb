"""Calls Lambda functions and waits for their answers."""

import json
from collections.abc import Mapping
from typing import Any

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from commonplace.domain.errors import CommonplaceError, ErrorCode

_CONNECT_SECONDS, _READ_SECONDS = 1.0, 26.0  # the calling function must answer within 29 s


def connect(region: str | None = None) -> Any:
    """Create a client that does not retry, because a function that does not answer may still have made a change."""
    config = Config(retries={"total_max_attempts": 1}, connect_timeout=_CONNECT_SECONDS, read_timeout=_READ_SECONDS)
    return botocore.session.get_session().create_client("lambda", region_name=region, config=config)


class LambdaFunctions:
    """Calls Lambda functions. `names` maps the local name of each function to its deployed name."""

    def __init__(self, client: Any, names: Mapping[str, str]) -> None:
        self._client, self._names = client, names

    def answer(self, function: str, event: Mapping[str, Any]) -> Mapping[str, Any]:
        """Invoke a function with an event and return its answer. Raises `STORAGE_UNAVAILABLE` on failures and timeouts."""
        if function not in self._names:
            raise RuntimeError(f"the settings name no function for {function}")
        try:
            response = self._client.invoke(FunctionName=self._names[function], Payload=json.dumps(event).encode())
            body = response["Payload"].read()
        except (ClientError, BotoCoreError) as error:
            kind = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
            raise _build_silence_error(function, kind) from error
        if "FunctionError" in response:
            raise _build_silence_error(function, response["FunctionError"])
        answered: Mapping[str, Any] = json.loads(body)
        return answered


def _build_silence_error(function: str, kind: str) -> CommonplaceError:
    why = f"the function {function} has not answered ({kind}); it may have made the change: check before you repeat the call"
    return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)

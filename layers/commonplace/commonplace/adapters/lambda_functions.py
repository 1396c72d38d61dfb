"""Functions of Lambda that are invoked and waited for."""

import json
from collections.abc import Mapping
from typing import Any

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from commonplace.domain.errors import CommonplaceError, ErrorCode

_CONNECT_SECONDS, _READ_SECONDS = 1.0, 26.0  # who invokes has 29 to answer in


def connect(region: str | None = None) -> Any:
    """A client that asks once: nobody knows what a function did that has not answered."""
    config = Config(retries={"total_max_attempts": 1}, connect_timeout=_CONNECT_SECONDS, read_timeout=_READ_SECONDS)
    session: Any = botocore.session.get_session()
    return session.create_client("lambda", region_name=region, config=config)


class LambdaFunctions:
    """Some functions; `names`: what each of them is called in the account, by its name here."""

    def __init__(self, client: Any, names: Mapping[str, str]) -> None:
        self._client, self._names = client, names

    def answer(self, function: str, event: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a function answers to an event; raises `STORAGE_UNAVAILABLE` where it does not."""
        if function not in self._names:
            raise RuntimeError(f"the settings name no function for {function}")
        try:
            told = self._client.invoke(FunctionName=self._names[function], Payload=json.dumps(event).encode())
            body = told["Payload"].read()
        except (ClientError, BotoCoreError) as error:
            kind = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
            raise _silent(function, kind) from error
        if "FunctionError" in told:
            raise _silent(function, told["FunctionError"])
        answered: Mapping[str, Any] = json.loads(body)
        return answered


def _silent(function: str, kind: str) -> CommonplaceError:
    why = f"the function {function} has not answered ({kind}); what was to be changed may be changed: look before you repeat"
    return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)

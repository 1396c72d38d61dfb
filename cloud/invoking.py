"""What Lambda hands to a handler beside the event."""

import time
import uuid
from collections.abc import Callable
from typing import Any

Handler = Callable[[dict[str, Any], Any], Any]

ACCOUNT, REGION = "000000000000", "eu-central-1"


class Context:
    """The context of one invocation, with the names that the runtime gives them."""

    def __init__(self, function: str, seconds: float = 29.0) -> None:
        self.function_name = function
        self.function_version = "$LATEST"
        self.invoked_function_arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}"
        self.memory_limit_in_mb = "1024"
        self.aws_request_id = str(uuid.uuid4())
        self.log_group_name = f"/aws/lambda/{function}"
        self.log_stream_name = "local"
        self.identity = None
        self.client_context = None
        self._until = time.monotonic() + seconds

    def get_remaining_time_in_millis(self) -> int:
        """What is left of the function's time."""
        return max(0, round((self._until - time.monotonic()) * 1000))

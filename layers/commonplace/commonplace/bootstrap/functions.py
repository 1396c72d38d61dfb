"""Opens the other functions of a deployment, to which the MCP function delegates its work."""

from collections.abc import Callable, Mapping
from typing import Any

from commonplace.bootstrap.cloud import missing
from commonplace.domain.errors import require_extra
from commonplace.settings import Settings

Answers = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Calls a function by its name in this project, with an event. Raises `STORAGE_UNAVAILABLE` if it gives no answer."""


def open_functions(settings: Settings) -> Answers:
    require_extra("aws", "functions are configured")
    from commonplace.adapters.lambda_functions import LambdaFunctions, connect

    if not settings.tool_functions:
        raise missing("tool_functions")
    return LambdaFunctions(connect(settings.region), dict(settings.tool_functions)).answer

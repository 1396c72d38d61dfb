"""Opens the client with which the MCP function invokes the other functions of a deployment."""

from collections.abc import Callable, Mapping
from typing import Any

from commonplace.bootstrap.cloud import missing
from commonplace.domain.errors import require_extra
from commonplace.settings import Settings

Answers = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Invokes a function, by its name in this project, with an event. Raises `STORAGE_UNAVAILABLE` if it does not answer."""


def open_functions(settings: Settings) -> Answers:
    require_extra("aws", "functions are configured")
    from commonplace.adapters.lambda_functions import LambdaFunctions, connect

    if not settings.tool_functions:
        raise missing("tool_functions")
    return LambdaFunctions(connect(settings.region), dict(settings.tool_functions)).answer

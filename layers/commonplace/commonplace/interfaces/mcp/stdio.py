"""The server on stdin and stdout, for the client that started this process: nothing else is ever written to stdout."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

import anyio
from mcp.server.stdio import stdio_server

from commonplace.contract.manifest import ShownTier
from commonplace.interfaces.logs import log_without_texts
from commonplace.interfaces.mcp.opened import OpenedLater
from commonplace.interfaces.mcp.server import server_over

_ENDING = (signal.SIGINT, signal.SIGTERM)


def serve(memory: OpenedLater, tier: ShownTier | None, stopped: Callable[[], int]) -> None:
    """Serves until stdin ends, or a signal comes: then `stopped` tells a person, and gives the exit code."""
    log_without_texts()

    def stop(_number: int, _frame: FrameType | None) -> None:
        for ending in _ENDING:
            signal.signal(ending, signal.SIG_DFL)  # a second signal ends it at once
        memory.close()
        os._exit(stopped())  # the thread that reads stdin would be waited for, and no client writes to it any more

    for number in _ENDING:
        signal.signal(number, stop)
    anyio.run(_served, memory, tier)
    memory.close()


async def _served(memory: OpenedLater, tier: ShownTier | None) -> None:
    server = server_over(memory, tier)
    async with stdio_server() as (read, write):
        try:
            await server.run(read, write, server.create_initialization_options())
        finally:
            sys.stdout.flush()  # while stdout still leads to stderr: what code printed is not for the client

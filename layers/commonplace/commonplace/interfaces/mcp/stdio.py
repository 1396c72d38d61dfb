"""Serve the client that started this process, over stdin and stdout. Only protocol messages are written to stdout."""

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
    """Serve until stdin ends or a signal arrives. After a signal, `stopped` prints a message and returns the exit code."""
    log_without_texts()

    def stop(_number: int, _frame: FrameType | None) -> None:
        for ending in _ENDING:
            signal.signal(ending, signal.SIG_DFL)  # a second signal ends the process at once
        memory.close()
        os._exit(stopped())  # a normal exit would wait for the thread that reads stdin

    for number in _ENDING:
        signal.signal(number, stop)
    anyio.run(_serve_memory, memory, tier)
    memory.close()


async def _serve_memory(memory: OpenedLater, tier: ShownTier | None) -> None:
    server = server_over(memory, tier)
    async with stdio_server() as (read, write):
        try:
            await server.run(read, write, server.create_initialization_options())
        finally:
            sys.stdout.flush()  # while stdout is still redirected to stderr, because printed text must not reach the client

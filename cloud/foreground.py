"""One server in the foreground of a terminal."""

import argparse
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from cloud.fetch import CannotRun
from cloud.process import Server


def run(kind: Callable[..., Server], port: int) -> None:
    """Reads the command line, runs a server until Ctrl-C or SIGTERM; `port`: where it listens if nothing else is said."""
    parser = argparse.ArgumentParser(prog=f"python -m cloud.{kind.__name__.lower()}")
    parser.add_argument("--port", type=int, default=port)
    parser.add_argument("--data", type=Path, help="a folder to keep the data in; without one it goes at the end")
    parser.add_argument("--heap", help="the heap of its JVM, such as 1g")
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    for number in (signal.SIGINT, signal.SIGTERM):  # Ctrl-C too: a shell's background jobs are born deaf to it
        signal.signal(number, signal.default_int_handler)
    try:
        with kind(**given) as server:
            print(f"{kind.__name__} on {server.url}, its log in {server.log}; Ctrl-C ends it", flush=True)
            sys.exit(server.wait())
    except KeyboardInterrupt:
        pass
    except (CannotRun, RuntimeError, ValueError) as error:
        sys.exit(str(error))

"""The command line, which imports the module of a command only when it is called, so that `--help` is fast."""

import atexit
import gc
import io
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from types import FrameType

import click

from commonplace import __version__
from commonplace.interfaces.cli import failures
from commonplace.interfaces.cli.options import group_options


class Listed(click.Command):
    """A command as `--help` lists it. The command's module is imported only when the command is called."""

    def __init__(self, name: str, module: str, help: str, attribute: str | None = None) -> None:
        super().__init__(name, help=help)
        self._module, self._attribute = module, attribute or name

    def load(self) -> click.Command:
        """Import the module and return the command."""
        command = getattr(import_module(f"commonplace.interfaces.cli.{self._module}"), self._attribute)
        assert isinstance(command, click.Command)
        return command


LISTED = (
    Listed("backup", "backing_up", "Make, verify and restore backups of the memories."),
    Listed("call", "programs", "Call any tool with a JSON object."),
    Listed("context", "memories", "Print the context of a topic, for an agent's prompt."),
    Listed("delete", "kept", "Delete a memory; you can undo it."),
    Listed("discover", "memories", "Show the state of the memories, and further tools."),
    Listed("doctor", "upkeep", "Check a memory file or a deployment for problems."),
    Listed("erase", "erasing", "Erase all data of a user, or one memory."),
    Listed("export", "conversations", "Export every record as JSON lines, or in another format."),
    Listed("feedback", "kept", "Record whether a memory was useful for a query."),
    Listed("get", "kept", "Show one memory as it is stored."),
    Listed("history", "kept", "Show the history of a memory, newest first."),
    Listed("import", "conversations", "Import memories from other tools and notes.", "import_file"),
    Listed("list", "kept", "List the memories, newest first.", "list_memories"),
    Listed("manifest", "programs", "Print the manifest of all tools, or check a file.", "check_manifest"),
    Listed("markdown", "files", "Write the memories as Markdown pages that you can edit."),
    Listed("mcp", "programs", "Serve the tools to an agent, over MCP."),
    Listed("merge", "maintenance", "Merge memories, or list which say the same."),
    Listed("migrate", "migrating", "Migrate memories from another store."),
    Listed("network", "analysis", "Show which concepts appear together."),
    Listed("nightly", "nightly_runs", "Read the recorded interactions that are pending."),
    Listed("normalize", "memories", "Turn a text into a statement with a type and tags."),
    Listed("record", "files", "Record the interactions of a day for the nightly run."),
    Listed("reindex", "upkeep", "Embed a file again, or rebuild a deployment's index."),
    Listed("repair", "upkeep", "Repair the search index."),
    Listed("runs", "nightly_runs", "Show, approve, discard or undo runs."),
    Listed("search", "searching", "Find memories for a question in plain words."),
    Listed("serve", "serving", "Serve the tools over HTTP on this machine."),
    Listed("stats", "analysis", "Count the memories, with bars."),
    Listed("store", "memories", "Store a memory."),
    Listed("tags", "maintenance", "List the tags, or merge tags with the same meaning."),
    Listed("timeline", "analysis", "Show when things happened, and what changed."),
    Listed("token", "serving", "Manage the tokens of a server for several users."),
    Listed("trace", "searching", "Explain how a search found its results."),
    Listed("ui", "serving", "Open a page to see, search and correct the memories."),
    Listed("undo", "nightly_runs", "Undo one operation of a tool or a run."),
    Listed("update", "kept", "Change a memory, or correct its labels."),
    Listed("usage", "searching", "Show how the memories are used."),
    Listed("validate", "upkeep", "Check whether the search index agrees with the memories."),
)

_EXIT_CODES = """\b
Exit codes: 0 success (also if nothing was found), 1 internal error,
2 wrong command line or input, or no command (then this help is shown),
3 no such tool or memory, 4 the file or port is not available, try again,
5 done, but something is left: a decision for you, or erased text that
disappears later, 130 stopped by Ctrl-C or a signal.
"""
_OBJECTS = 200_000
"""The number of new objects between two garbage collections. At 700, collections took 10 % of a store's time."""


class Verbs(click.Group):
    """The group of all commands, which lists the commands without importing their modules."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, remaining = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, Listed) else command, remaining


@click.group(cls=Verbs, commands=LISTED, epilog=_EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
@group_options
def commonplace() -> None:
    """A long-term memory for you and your agents, in one file on this machine.

    \b
      commonplace store "My daughter Mia is allergic to peanuts."
      commonplace search "is anybody allergic?"

    Give the shared options before or after the command. A text may be - for stdin.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line and exit. `arguments` defaults to the command line of the process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)  # otherwise, Python spends up to 0.5 s on a last garbage collection
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):  # both signals give the same message and exit code
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, stop)
    sys.exit(_run_command(sys.argv[1:] if arguments is None else list(arguments)))


def stop(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but not inside pydantic, which would replace the exception with one of its own.

    Nor is it raised while filelock takes or releases a file lock, because the file would stay locked.
    """
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(("pydantic", "filelock._unix")):
            return threading.Timer(0.01, signal.pthread_kill, (threading.get_ident(), number)).start()
        frame = frame.f_back
    raise KeyboardInterrupt


def _run_command(arguments: list[str]) -> int:
    """Run a command and return its exit code. Prints errors to stderr instead of raising them."""
    as_json = "--json" in arguments  # the command line may be invalid, so it is not parsed to find the option
    try:
        return int(commonplace.main(arguments, prog_name="commonplace", standalone_mode=False) or 0)
    except click.Abort:
        click.echo("commonplace: stopped", err=True)
        return failures.STOPPED
    except failures.Failed as error:
        failed = error
    except click.exceptions.NoArgsIsHelpError as error:  # help goes to stderr with code 2, because a command is required
        error.show()
        return failures.USAGE
    except click.ClickException as error:
        failed = failures.usage_error(error, as_json)
    except Exception as error:  # noqa: BLE001 - a person gets one line and never a traceback
        failed = failures.unexpected(error, as_json)
    failed.show()
    return failed.status

"""The command line. Commands are listed without importing their modules, so that `--help` answers at once."""

import gc
import io
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module

import click

from commonplace import __version__
from commonplace.interfaces.cli import failures
from commonplace.interfaces.cli.options import group_options


class Listed(click.Command):
    """A command as listed by `--help`; its module is imported when it is called."""

    def __init__(self, name: str, module: str, help: str, attribute: str | None = None) -> None:
        super().__init__(name, help=help)
        self._module, self._attribute = module, attribute or name

    def load(self) -> click.Command:
        """Return the command itself."""
        command = getattr(import_module(f"commonplace.interfaces.cli.{self._module}"), self._attribute)
        assert isinstance(command, click.Command)
        return command


LISTED = (
    Listed("backup", "backing_up", "Keep backups of the memories, and bring one back."),
    Listed("call", "programs", "Call any tool with a JSON object."),
    Listed("context", "memories", "Print what an agent puts into its prompt."),
    Listed("delete", "kept", "Delete a memory; undo brings it back."),
    Listed("discover", "memories", "Show the state, and what else there is."),
    Listed("doctor", "upkeep", "Tell what is the matter with a file, or a deployment."),
    Listed("erase", "erasing", "Erase everything that is kept of a user, or one memory."),
    Listed("export", "conversations", "Print every record as JSON lines, or another way."),
    Listed("feedback", "kept", "Tell whether a memory was useful for a query."),
    Listed("get", "kept", "Show one memory as it is kept."),
    Listed("history", "kept", "Show what a memory was before, newest first."),
    Listed("import", "conversations", "Bring memories along from other stores and notes.", "import_file"),
    Listed("list", "kept", "List the memories, newest first.", "list_memories"),
    Listed("manifest", "programs", "Print the manifest of all tools, or check one.", "check_manifest"),
    Listed("markdown", "files", "Write the memories as pages, to read and to edit."),
    Listed("mcp", "programs", "Serve the tools to an agent, over MCP."),
    Listed("merge", "maintenance", "Make one memory of several, or tell which say the same."),
    Listed("migrate", "migrating", "Move here from another store."),
    Listed("network", "analysis", "Show which concepts stand together."),
    Listed("nightly", "nightly_runs", "Read what was recorded and is not read yet."),
    Listed("normalize", "memories", "Turn a text into a clean statement."),
    Listed("record", "files", "Record what a day left behind, for a night to read."),
    Listed("reindex", "upkeep", "Embed a file anew, or rebuild a deployment's index."),
    Listed("repair", "upkeep", "Bring the index in line with the memories."),
    Listed("runs", "nightly_runs", "What the nights did, and how to take it back."),
    Listed("search", "searching", "Find memories for a question in plain words."),
    Listed("serve", "serving", "Serve the tools over HTTP on this machine."),
    Listed("stats", "analysis", "Count the memories, and draw what there is."),
    Listed("store", "memories", "Remember something, as it was said."),
    Listed("tags", "maintenance", "Keep the tags few."),
    Listed("timeline", "analysis", "Show when things happened, and what changed."),
    Listed("token", "serving", "Keep the tokens of a server for several users."),
    Listed("trace", "searching", "Show how a search comes to its answer."),
    Listed("ui", "serving", "Open a page to see, search and correct the memories."),
    Listed("undo", "nightly_runs", "Take one operation back, a tool's or a run's."),
    Listed("update", "kept", "Change what a memory says, or correct its labels."),
    Listed("usage", "searching", "Show how the memories are used."),
    Listed("validate", "upkeep", "Check whether memories and index are in line."),
)


_EXIT_CODES = """\b
Exit codes: 0 done (finding nothing is done, too), 1 a mistake of this program,
2 the command line or the input is wrong, or there is no command (you see this then),
3 no such tool or memory, 4 the file or the port is not available, try again,
5 done, but something of what was erased is left for a while, or something is
left for a person to decide, 130 stopped by Ctrl-C or a signal.
"""
_OBJECTS = 200_000
"""New objects between two garbage collections. Imported objects stay: collecting every 700 took a tenth of a store's time."""


class Verbs(click.Group):
    """The commands, listed without being imported."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name, found, rest = super().resolve_command(ctx, args)
        return name, found.load() if isinstance(found, Listed) else found, rest


@click.group(cls=Verbs, commands=LISTED, epilog=_EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
@group_options
def commonplace() -> None:
    """A long-term memory for you and your agents, in one file on this machine.

    \b
      commonplace store "My daughter Mia is allergic to peanuts."
      commonplace search "is anybody allergic?"

    The shared options stand before the command or after it. A text may be - for stdin.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, by default the process's own, and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    gc.set_threshold(_OBJECTS)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # SIGTERM gives the same message and code as Ctrl-C
    sys.exit(_run(sys.argv[1:] if arguments is None else list(arguments)))


def _run(arguments: list[str]) -> int:
    as_json = "--json" in arguments  # an invalid command line can't be parsed for it
    try:
        return int(commonplace.main(arguments, prog_name="commonplace", standalone_mode=False) or 0)
    except click.Abort:
        click.echo("commonplace: stopped", err=True)
        return failures.STOPPED
    except failures.Failed as error:
        failed = error
    except click.exceptions.NoArgsIsHelpError as error:  # on stderr with code 2: a script that forgot the command has failed
        error.show()
        return failures.USAGE
    except click.ClickException as error:
        failed = failures.usage_error(error, as_json)
    except Exception as error:  # noqa: BLE001 - the last resort: a person gets one line, never a traceback
        failed = failures.unexpected(error, as_json)
    failed.show()
    return failed.status

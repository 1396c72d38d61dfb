"""The command line. Nothing heavy is imported before a command runs, so that `--help` answers at once."""

import gc
import io
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import ModuleType

import click

from commonplace import __version__
from commonplace.interfaces.cli import failures
from commonplace.interfaces.cli.options import group_options

_EXIT_CODES = """\b
Exit codes: 0 done (finding nothing is done, too), 1 a mistake of this program,
2 the command line or the input is wrong, or there is no command (you see this then),
3 no such tool or memory, 4 the file or the port is not available, try again,
5 done, but something of what was erased is left for a while, or something is
left for a person to decide, 130 stopped by Ctrl-C or a signal.
"""
_OBJECTS = 200_000
"""New objects between two collections. What is imported stays: to look through it at every 700 took a tenth of a store."""


def _analysis() -> ModuleType:
    from commonplace.interfaces.cli import analysis

    return analysis


def _conversations() -> ModuleType:
    from commonplace.interfaces.cli import conversations

    return conversations


def _deployment() -> ModuleType:
    from commonplace.interfaces.cli import deployment

    return deployment


def _erasing() -> ModuleType:
    from commonplace.interfaces.cli import erasing

    return erasing


def _files() -> ModuleType:
    from commonplace.interfaces.cli import files

    return files


def _kept() -> ModuleType:
    from commonplace.interfaces.cli import kept

    return kept


def _maintenance() -> ModuleType:
    from commonplace.interfaces.cli import maintenance

    return maintenance


def _memories() -> ModuleType:
    from commonplace.interfaces.cli import memories

    return memories


def _migrating() -> ModuleType:
    from commonplace.interfaces.cli import migrating

    return migrating


def _nightly_runs() -> ModuleType:
    from commonplace.interfaces.cli import nightly_runs

    return nightly_runs


def _programs() -> ModuleType:
    from commonplace.interfaces.cli import programs

    return programs


def _searching() -> ModuleType:
    from commonplace.interfaces.cli import searching

    return searching


def _upkeep() -> ModuleType:
    from commonplace.interfaces.cli import upkeep

    return upkeep


class Listed(click.Command):
    """A command as `--help` lists it, by the first sentence of its own help; its module is imported when it is called."""

    def __init__(self, name: str, module: Callable[[], ModuleType], help: str, attribute: str | None = None) -> None:
        super().__init__(name, help=help)
        self._module, self._attribute = module, attribute or name

    def load(self) -> click.Command:
        """The command itself."""
        command = getattr(self._module(), self._attribute)
        assert isinstance(command, click.Command)
        return command


LISTED = (
    Listed("call", _programs, "Call any tool with a JSON object."),
    Listed("context", _memories, "Print what an agent puts into its prompt."),
    Listed("delete", _kept, "Delete a memory; undo brings it back."),
    Listed("discover", _memories, "Show the state, and what else there is."),
    Listed("doctor", _deployment, "Tell what is the matter with a file, or a deployment."),
    Listed("erase", _erasing, "Erase everything that is kept of a user, or one memory."),
    Listed("export", _conversations, "Print every record as JSON lines, or another way."),
    Listed("get", _kept, "Show one memory as it is kept."),
    Listed("history", _kept, "Show what a memory was before, newest first."),
    Listed("import", _conversations, "Store a conversation from a file, or take in an export.", "import_file"),
    Listed("list", _kept, "List the memories, newest first.", "list_memories"),
    Listed("manifest", _programs, "Print the manifest of all tools, or check one.", "check_manifest"),
    Listed("markdown", _files, "Write the memories as pages, to read and to edit."),
    Listed("merge", _maintenance, "Make one memory of several, or tell which say the same."),
    Listed("migrate", _migrating, "Move here from another store."),
    Listed("network", _analysis, "Show which concepts stand together."),
    Listed("nightly", _nightly_runs, "Read what was recorded and is not read yet."),
    Listed("normalize", _memories, "Turn a text into a clean statement."),
    Listed("record", _files, "Record what a day left behind, for a night to read."),
    Listed("reindex", _deployment, "Embed a file anew, or rebuild a deployment's index."),
    Listed("repair", _upkeep, "Bring the index in line with the memories."),
    Listed("runs", _nightly_runs, "What the nights did, and how to take it back."),
    Listed("search", _searching, "Find memories for a question in plain words."),
    Listed("serve", _programs, "Serve the tools over HTTP on this machine."),
    Listed("stats", _analysis, "Count the memories, and draw what there is."),
    Listed("store", _memories, "Remember something, as it was said."),
    Listed("tags", _maintenance, "Keep the tags few."),
    Listed("timeline", _analysis, "Show when things happened, and what changed."),
    Listed("trace", _searching, "Show how a search comes to its answer."),
    Listed("undo", _nightly_runs, "Take one operation back, a tool's or a run's."),
    Listed("update", _kept, "Change what a memory says, or correct its labels."),
    Listed("usage", _searching, "Show how the memories are used."),
    Listed("validate", _upkeep, "Check whether memories and index are in line."),
)


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
    """Runs a command line, the process's own by default, and exits."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    gc.set_threshold(_OBJECTS)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever stops it gets the same words and code as Ctrl-C
    sys.exit(_run(sys.argv[1:] if arguments is None else list(arguments)))


def _run(arguments: list[str]) -> int:
    as_json = "--json" in arguments  # a command line that can't be read can't tell it in a better way
    try:
        return int(commonplace.main(arguments, prog_name="commonplace", standalone_mode=False) or 0)
    except click.Abort:
        click.echo("commonplace: stopped", err=True)
        return failures.STOPPED
    except failures.Failed as error:
        failed = error
    except click.exceptions.NoArgsIsHelpError as error:  # on stderr and with 2: a script that forgot the command has failed
        error.show()
        return failures.USAGE
    except click.ClickException as error:
        failed = failures.usage_error(error, as_json)
    except Exception as error:  # noqa: BLE001 - the last place: a person gets a line, never a traceback
        failed = failures.unexpected(error, as_json)
    failed.show()
    return failed.status

"""The command line. Nothing heavy is imported before a command runs, so that `--help` answers at once."""

import gc
import io
import signal
import sys
import threading
from collections.abc import Sequence

import click

from commonplace import __version__
from commonplace.interfaces.cli import failures
from commonplace.interfaces.cli.options import group_options
from commonplace.interfaces.cli.verbs import LISTED, Listed

_EXIT_CODES = """\b
Exit codes: 0 done (finding nothing is done, too), 1 a mistake of this program,
2 the command line or the input is wrong, or there is no command (you see this then),
3 no such tool or memory, 4 the file or the port is not available, try again,
5 done, but something of what was erased is left for a while, or something is
left for a person to decide, 130 stopped by Ctrl-C or a signal.
"""
_OBJECTS = 200_000
"""New objects between two collections. What is imported stays: to look through it at every 700 took a tenth of a store."""


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

"""The options that all commands share, and arguments whose text may be read from stdin."""

import functools
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from commonplace.domain.errors import CommonplaceError, escaped, invalid
from commonplace.interfaces.cli.failures import STOPPED, Failed, sentence_for_person

if TYPE_CHECKING:
    from commonplace.client.memory import Commonplace

_Params = ParamSpec("_Params")


def with_options(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds several options to a command. `--help` lists them in the given order."""
    return lambda function: functools.reduce(lambda made, option: option(made), reversed(options), function)


_with_shared_options = with_options(
    click.option("--db", metavar="FILE", help="The memory file.  [default: ~/.commonplace/memory.db]"),
    click.option("--user", metavar="NAME", help="The user, a name on this machine.  [default: local]"),
    click.option("--timezone", metavar="ZONE", help="IANA name, e.g. Europe/Berlin.  [default: the machine's]"),
    click.option("--json", is_flag=True, default=None, help="Print results and errors as JSON."),
)


@dataclass(frozen=True)
class Shared:
    """The options that all commands share, which may be given before or after the name of the command."""

    db: str | None = None
    user: str | None = None
    timezone: str | None = None
    json: bool = False

    def open(self) -> "Commonplace":
        """Open the memories. Options that were not given default to environment variables."""
        from commonplace.client.memory import Commonplace

        return Commonplace(self.db, user_id=self.user, timezone=self.timezone)

    @contextmanager
    def reading(self) -> Iterator["Commonplace"]:
        """Yield the memories for a command that stores nothing, without creating a memory file.

        If the file named by `--db` is missing, print a warning. The default file may be missing, because storing creates it.
        """
        from tempfile import TemporaryDirectory

        from commonplace.settings import read_settings

        named = read_settings().db if self.db is None else Path(self.db)
        if not _is_absent(named.expanduser()):
            with self.open() as memory:
                yield memory
            return
        if self.db is not None:
            click.echo(f'commonplace: there is no memory file {escaped(self.db)}; "commonplace store" creates it', err=True)
        with TemporaryDirectory(prefix="commonplace-") as folder, replace(self, db=str(Path(folder, "no.db"))).open() as none:
            yield none

    def call(self, tool: str, /, *, creates: bool = False, **arguments: object) -> dict[str, Any]:
        """Call a tool with the arguments that are not None. If `creates` is true, a missing memory file is created."""
        with self.open() if creates else self.reading() as memory:
            return memory.call(tool, set_arguments(**arguments))

    @contextmanager
    def pointing(self, see: str) -> Iterator[None]:
        """Convert errors inside the block to failures that suggest the command `see`."""
        try:
            yield
        except CommonplaceError as error:
            raise Failed(error, see, self.json) from error


class _Whole(click.types.IntParamType):
    """A whole number. The form `10.0` is also accepted, because models and scripts write it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, str) and not value.partition(".")[2].strip("0"):
            value = value.partition(".")[0]
        return super().convert(value, param, ctx)


WHOLE = _Whole()


def group_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the shared options to the group, as defaults for the commands."""

    @click.pass_context
    @functools.wraps(function)
    def run(context: click.Context, /, **own: Any) -> None:
        context.obj = Shared(**set_arguments(**own))
        function()

    return _with_shared_options(run)


def command_options(
    function: Callable[Concatenate[Shared, _Params], None],
) -> Callable[Concatenate[click.Context, _Params], None]:
    """Pass the shared options to a command as its first argument. Options after the name of the command take precedence."""

    @click.pass_context
    @functools.wraps(function)
    def run(context: click.Context, /, *args: _Params.args, **kwargs: _Params.kwargs) -> None:
        own: dict[str, Any] = {name: kwargs.pop(name) for name in ("db", "user", "timezone", "json")}
        shared = replace(context.obj or Shared(), **set_arguments(**own))
        try:
            function(shared, *args, **kwargs)
        except CommonplaceError as error:
            sentence = sentence_for_person(error, context.info_name or "", asdict(shared))
            raise Failed(error, f"{context.command_path} --help", shared.json, sentence=sentence) from error

    return _with_shared_options(run)


def text_argument(name: str, **more: Any) -> Callable[..., Any]:
    """Return a decorator that adds a text argument. For `-`, the text is read from stdin, without the last line break."""

    def read_value(_context: object, _argument: object, value: str | tuple[str, ...] | None) -> str | None:
        text = " ".join(value) if isinstance(value, tuple) else value
        return text if text != "-" else stdin_text().removesuffix("\n").removesuffix("\r")

    return click.argument(name, callback=read_value, **more)


def words_argument(name: str) -> Callable[..., Any]:
    """Return a decorator that adds a text argument whose words need no quotes around them."""
    return text_argument(name, nargs=-1, required=True, metavar=name.upper())


def stdin_text() -> str:
    """Read up to 50 MB from stdin as UTF-8, regardless of the locale."""
    from commonplace.domain.transfer import MOST_BYTES

    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise click.UsageError(f"stdin has more than {MOST_BYTES // 1_000_000} MB; give a file, or less at a time")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise click.UsageError("stdin is not UTF-8") from None


def read_text(file: str) -> str:
    """Read UTF-8 text from a file or pipe, or from stdin if `file` is `-`."""
    if file == "-":
        return stdin_text()
    from commonplace.importing.sources import read_file

    try:
        return read_file(Path(file)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise invalid("file", "is not UTF-8") from None


@contextmanager
def new_file(file: str) -> Iterator[IO[str]]:
    """Create a UTF-8 file that only its owner can access. If writing fails, the file is removed."""
    path = Path(file)
    try:
        opened = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        why = "exists already, and is never overwritten" if isinstance(error, FileExistsError) else error.strerror
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            why = f"there is no folder {path.parent}: create it, or name another"
        raise invalid("output", f"{why}") from error
    try:
        with os.fdopen(opened, "w", encoding="utf-8", newline="") as new:
            yield new
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _is_absent(file: Path) -> bool:
    try:
        file.stat()
    except OSError as error:  # any other error is reported when the file is opened
        return isinstance(error, FileNotFoundError)
    return False


def set_arguments(**arguments: object) -> dict[str, Any]:
    """Return the arguments that are not None. The tools use their defaults for the others."""
    return {name: value for name, value in arguments.items() if value is not None}


@contextmanager
def progress_bar(label: str, total: int | None = None, resumes: str | None = None) -> Iterator[Callable[..., None]]:
    """Yield a function that receives the number done and the total. It shows them on stderr if stderr is a terminal.

    `resumes` is a noun for the counted items. If it is given, an interrupt prints the progress and how to continue.
    """
    length: dict[str, Any] = {"iterable": itertools.count()} if total is None else {"length": total}
    hidden = not sys.stderr.isatty()
    with click.progressbar(**length, label=label, file=sys.stderr, show_pos=True, hidden=hidden) as bar:

        def advance(done: int, of: int | None = total) -> None:
            bar.length = of
            bar.update(done - bar.pos)

        try:
            yield advance
        except KeyboardInterrupt:
            if resumes is None:
                raise
            of = "" if bar.length is None else f" of {bar.length}"
            line = f"commonplace: stopped after {bar.pos}{of} {resumes}; run the same command again to continue"
            click.echo(line, err=True)
            raise click.exceptions.Exit(STOPPED) from None

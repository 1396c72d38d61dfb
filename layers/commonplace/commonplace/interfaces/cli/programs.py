"""The commands `call` and `manifest` for programs, and the command `mcp`, which serves agents or configures their clients."""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonplace.contract import formats
from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.interfaces.cli.failures import STOPPED
from commonplace.interfaces.cli.options import Shared, command_options, read_text, text_argument
from commonplace.interfaces.cli.tables import print_json

if TYPE_CHECKING:
    from commonplace.contract.manifest import ShownTier
    from commonplace.contract.registry import Tier
    from commonplace.interfaces.mcp.clients import ClientName
    from commonplace.interfaces.mcp.install import Change


@click.command()
@click.argument("tool")
@text_argument("json_object", required=False, default="{}")
@command_options
def call(shared: Shared, tool: str, json_object: str) -> None:
    """Call any tool with a JSON object.

    "commonplace discover TOOL" shows its arguments.
    """
    from commonplace.contract.registry import tool_named
    from commonplace.contract.sent import as_declared
    from commonplace.domain.strict_json import read_object

    see = f"commonplace discover {shlex.quote(tool)}"
    with shared.pointing(see):
        arguments = read_object(json_object)
    with shared.open() as memory, shared.pointing(see):
        print_json(memory.call(tool, as_declared(tool_named(tool).request, arguments)), indent=None if shared.json else 2)


@click.command("manifest")
@click.option(
    "--for", "framework", type=click.Choice(formats.NAMES), help="The format of this framework (docs/internals/formats.md)."
)
@click.option(
    "--tier", type=click.Choice(["primary", "core", "advanced"]),
    help="Only these tools; core includes primary.  [default: all]",
)  # fmt: skip
@click.option(
    "--check", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Fail unless FILE is it."
)
@command_options
def check_manifest(
    shared: Shared,  # noqa: ARG001 - the manifest is JSON anyway
    framework: str | None,
    tier: "Tier | None",
    check: Path | None,
) -> None:
    """Print the manifest of all tools, or check a file."""
    from commonplace.contract.manifest import manifest_text, rows

    text = formats.text(framework, rows(tier)) if framework else manifest_text(tier)
    if check is None:
        click.echo(text, nl=False)
    elif read_text(str(check)) != text:
        chosen = (f" --for {framework}" if framework else "") + (f" --tier {tier}" if tier else "")
        raise invalid("check", f'{check} is not up to date: run "commonplace manifest{chosen} > {check}"')


_TIER = click.option(
    "--tier", type=click.Choice(["primary", "core", "all"]),
    help="List only these tools; core includes primary.  [default: primary, and three more]",
)  # fmt: skip


@click.group(invoke_without_command=True)
@_TIER
@command_options
def mcp(shared: Shared, tier: "ShownTier | None") -> None:
    """Serve the tools to an agent, over MCP.

    The agent's program starts this command and talks to it on stdin and stdout. Every tool can be called by its name, even if
    it is not listed.
    """
    context = click.get_current_context()
    context.obj = shared
    if context.invoked_subcommand is not None:
        return
    from commonplace.interfaces.mcp.opened import OpenedLater
    from commonplace.interfaces.mcp.stdio import serve

    serve(OpenedLater(shared.open), tier, _report_stop)


@mcp.command()
@click.option(
    "--client", "name", type=click.Choice(["claude-code", "claude-desktop", "cursor", "vscode"]), required=True,
    help="The client whose file is changed.",
)  # fmt: skip
@_TIER
@click.option("--file", type=click.Path(dir_okay=False, path_type=Path), help="The file to change, instead of the usual one.")
@click.option("--print", "only_print", is_flag=True, help="Show the change without making it.")
@click.option("--yes", is_flag=True, help="Make the change without asking.")
@command_options
def install(
    shared: Shared, name: "ClientName", tier: "ShownTier | None", file: Path | None, only_print: bool, yes: bool
) -> None:
    """Add this server to a client's file.

    It shows the change, asks, and saves a copy of the old file beside it. Everything else in the file stays. The client
    starts the server with the options --db, --user, --timezone and --tier that you give here.
    """
    from commonplace.interfaces.mcp.clients import CLIENTS
    from commonplace.interfaces.mcp.install import change_of, write
    from commonplace.settings import named_folder

    client = CLIENTS[name]
    command = [_find_command(), "mcp", *_build_server_options(shared, tier)]
    change = change_of(client, file or client.path(Path.home(), sys.platform, named_folder), command)
    if not shared.json:
        _print_change(change)
    copy = None
    writes = change.is_needed and not only_print
    if writes and not yes:
        click.confirm(f"Write this into {change.file}?", abort=True, err=True)
    if writes:
        copy = write(change)
    if shared.json:
        fields = {"file": str(change.file), "servers": change.servers, "old": change.old, "new": change.new}
        return print_json({**fields, "written": writes, "copy": None if copy is None else str(copy)})
    if writes:
        copied = "" if copy is None else f"; the old file is saved as {copy.name}"
        click.echo(f"written{copied}. Now {client.then}")
    return None


def _print_change(change: "Change") -> None:
    click.echo(f"{change.file}, under {change.servers}:")
    if not change.is_needed:
        return click.echo("  it is there already: nothing to change")
    for sign, entry in (("-", change.old), ("+", change.new)):
        if entry is not None:
            click.echo(f"  {sign} {json.dumps({'commonplace': entry}, ensure_ascii=False)[1:-1]}")
    return None


def _build_server_options(shared: Shared, tier: str | None) -> list[str]:
    """Return the server's options. The file path is absolute, because a client may start the server in any folder."""
    db = None if shared.db is None else str(Path(shared.db).expanduser().absolute())
    options = {"--db": db, "--user": shared.user, "--timezone": shared.timezone, "--tier": tier}
    return [part for option, value in options.items() if value is not None for part in (option, value)]


def _find_command() -> str:
    """Return the path of the command `commonplace` that belongs to this Python."""
    executable = Path(sys.executable)
    for path in (Path(sys.argv[0]), executable.with_name("commonplace"), executable.with_name("commonplace.exe")):
        if path.stem == "commonplace" and path.is_file():
            return str(path.absolute())
    why = f"there is no command commonplace beside {sys.executable}; install the package with that interpreter's pip"
    raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why)


def _report_stop() -> int:
    click.echo("commonplace: stopped, everything is saved", err=True)
    return STOPPED

"""`call`, `manifest` and `serve`: the tools for other programs."""

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonplace.contract import formats
from commonplace.interfaces.cli.options import Shared, command_options, text_argument
from commonplace.interfaces.cli.tables import print_json

if TYPE_CHECKING:
    from commonplace.contract.tool import Tier

_CALLS = (
    ("store_memory", '{"content": "My daughter Mia is allergic to peanuts."}'),
    ("search_memory", '{"query": "Is anybody allergic to something?"}'),
    ("discover_memory_tools", "{}"),
)


@click.command()
@click.argument("tool")
@text_argument("json_object", required=False, default="{}")
@command_options
def call(shared: Shared, tool: str, json_object: str) -> None:
    """Call any tool with a JSON object.

    "commonplace discover TOOL" tells what it takes.
    """
    from commonplace.domain.strict_json import read_object

    see = f"commonplace discover {shlex.quote(tool)}"
    with shared.pointing(see):
        arguments = read_object(json_object)
    with shared.open() as memory, shared.pointing(see):
        print_json(memory.call(tool, arguments), indent=None if shared.json else 2)


@click.command("manifest")
@click.option(
    "--for", "framework", type=click.Choice(formats.NAMES), help="Print it as this framework loads it (docs/formats.md)."
)
@click.option(
    "--tier", type=click.Choice(["primary", "core", "advanced"]),
    help="Only these tools; core has the primary ones in it.  [default: all]",
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
    """Print the manifest of all tools, or check one."""
    from commonplace.contract.manifest import manifest_text, rows
    from commonplace.domain.errors import CommonplaceError, ErrorCode

    text = formats.text(framework, rows(tier)) if framework else manifest_text(tier)
    if check is None:
        click.echo(text, nl=False)
    elif check.read_text(encoding="utf-8") != text:
        chosen = (f" --for {framework}" if framework else "") + (f" --tier {tier}" if tier else "")
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT,
            f'check: {check} is not up to date: run "commonplace manifest{chosen} > {check}"',
            "check",
        )


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8787, show_default=True, help="Where to listen; 0 takes a free one."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address; others are refused.")
@command_options
def serve(shared: Shared, port: int, host: str) -> None:
    """Serve the tools over HTTP on this machine.

    It listens on the loopback only, because it has no passwords. Ctrl-C ends it: what
    runs then may end, and an import says how far it came. With the extra [mcp] it serves
    agents, too, at /mcp.
    """
    if find_spec("mcp") is None:
        from commonplace.interfaces.http.listen import listen
    else:
        from commonplace.interfaces.mcp.listen import listen

    with shared.open() as memory:
        listen(memory, host, port, _announce, _announce_end)
    click.echo("commonplace: stopped, everything is saved")


def _announce_end(running: int) -> None:
    asked = "one request still runs" if running == 1 else f"{running} requests still run"
    click.echo(f"commonplace: ending, but {asked}; others are refused now. Ctrl-C ends it at once")


def _announce(url: str) -> None:
    if find_spec("mcp") is not None:
        click.echo(f"commonplace serves agents that speak MCP on {url}/mcp")
    click.echo(f"commonplace listens on {url}, for this machine only. Ctrl-C ends it. Try:\n")
    for tool, body in _CALLS:
        click.echo(f"  curl -s {shlex.quote(f'{url}/tools/{tool}')} -d {shlex.quote(body)}")
    click.echo()

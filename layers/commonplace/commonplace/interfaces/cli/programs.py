"""`call` and `manifest`: the tools for other programs."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonplace.contract import formats
from commonplace.interfaces.cli.options import Shared, command_options, text_argument
from commonplace.interfaces.cli.tables import print_json

if TYPE_CHECKING:
    from commonplace.contract.registry import Tier


@click.command()
@click.argument("tool")
@text_argument("json_object", required=False, default="{}")
@command_options
def call(shared: Shared, tool: str, json_object: str) -> None:
    """Call any tool with a JSON object.

    "commonplace discover TOOL" tells what it takes.
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

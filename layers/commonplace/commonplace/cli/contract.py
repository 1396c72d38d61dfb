"""`call` and `manifest`: the tools as other programs see them."""

from pathlib import Path

import click

from commonplace.cli.options import Shared, command_options, text_argument
from commonplace.cli.tables import print_json


@click.command()
@click.argument("tool")
@text_argument("json_object", required=False, default="{}")
@command_options
def call(shared: Shared, tool: str, json_object: str) -> None:
    """Call any tool with a JSON object."""
    from commonplace.strict_json import read_object

    arguments = read_object(json_object)
    with shared.open() as memory:
        print_json(memory.call(tool, arguments), indent=None if shared.json else 2)


@click.command("manifest")
@click.option(
    "--check", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Fail unless FILE is it."
)
@command_options
def check_manifest(shared: Shared, check: Path | None) -> None:  # noqa: ARG001 - the manifest is JSON anyway
    """Print the manifest of all tools, or check one."""
    from commonplace.errors import CommonplaceError, ErrorCode
    from commonplace.manifest import manifest_text

    if check is None:
        click.echo(manifest_text(), nl=False)
    elif check.read_text(encoding="utf-8") != manifest_text():
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT, f'check: {check} is not up to date: run "commonplace manifest > {check}"', "check"
        )

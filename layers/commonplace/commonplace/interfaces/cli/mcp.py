"""`mcp`: the tools for an agent that speaks the Model Context Protocol."""

from typing import TYPE_CHECKING

import click

from commonplace.interfaces.cli.failures import STOPPED
from commonplace.interfaces.cli.options import Shared, command_options

if TYPE_CHECKING:
    from commonplace.interfaces.mcp.tiers import ShownTier


@click.group(invoke_without_command=True)
@click.option(
    "--tier", type=click.Choice(["primary", "core", "all"]),
    help="Only these tools are listed; core has the primary ones in it.  [default: the primary ones and get_memory_context]",
)  # fmt: skip
@command_options
def mcp(shared: Shared, tier: "ShownTier | None") -> None:
    """Serve the tools to an agent, over MCP.

    An agent's program starts this itself and speaks to it on stdin and stdout; any tool can be called by its name,
    whatever is listed. Needs the extra [mcp].
    """
    context = click.get_current_context()
    context.obj = shared
    if context.invoked_subcommand is not None:
        return
    from commonplace.domain.errors import require_extra

    require_extra("mcp", "the Model Context Protocol is asked for")
    from commonplace.interfaces.mcp.opened import OpenedLater
    from commonplace.interfaces.mcp.stdio import serve

    serve(OpenedLater(shared.open), tier, _stopped)


def _stopped() -> int:
    click.echo("commonplace: stopped, everything is saved", err=True)
    return STOPPED

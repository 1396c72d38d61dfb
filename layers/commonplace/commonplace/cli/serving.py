"""`serve`: the same tools over HTTP, for other programs of this machine."""

import shlex

import click

from commonplace.cli.options import Shared, command_options

_CALLS = (
    ("store_memory", '{"content": "My daughter Mia is allergic to peanuts."}'),
    ("search_memory", '{"query": "Is anybody allergic to something?"}'),
    ("discover_memory_tools", "{}"),
)


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8787, show_default=True, help="Where to listen; 0 takes a free one."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address; others are refused.")
@command_options
def serve(shared: Shared, port: int, host: str) -> None:
    """Serve the tools over HTTP on this machine.

    It listens on the loopback only, because it has no passwords. Ctrl-C ends it.
    """
    from commonplace.server.listen import listen

    with shared.open() as memory:
        listen(memory, host, port, _announce)
    click.echo("commonplace: stopped, everything is saved")


def _announce(url: str) -> None:
    click.echo(f"commonplace listens on {url}, for this machine only. Ctrl-C ends it. Try:\n")
    for tool, body in _CALLS:
        click.echo(f"  curl -s {shlex.quote(f'{url}/tools/{tool}')} -d {shlex.quote(body)}")
    click.echo()

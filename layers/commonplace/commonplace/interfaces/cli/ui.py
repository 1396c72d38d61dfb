"""`ui`: the page on which a person sees what is remembered."""

import secrets
import webbrowser
from threading import Thread
from urllib.parse import urlencode

import click

from commonplace.interfaces.cli.options import Shared, command_options

_USUAL = 8787


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help=f"Where to listen.  [default: {_USUAL}, or a free one]")
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@command_options
def ui(shared: Shared, port: int | None, no_browser: bool) -> None:
    """Open a page to see, search and correct the memories.

    It serves this machine only, as "commonplace serve" does, and opens the browser. The
    address lets one browser in, once, for as long as this runs. Ctrl-C ends it.
    """
    from commonplace.interfaces.http.listen import listen
    from commonplace.interfaces.ui.page import Page, get_ready

    token = secrets.token_urlsafe(32)

    def announce(url: str) -> None:
        address = f"{url}/ui?{urlencode({'token': token})}"
        get_ready(memory)
        click.echo(f"commonplace shows the memories on {address}\nIt lets one browser in, once. Ctrl-C ends it.")
        if not no_browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # some browsers run until they are left

    with shared.open() as memory:
        chosen = free_port(_USUAL) if port is None else port
        listen(memory, "127.0.0.1", chosen, announce, page=lambda at: Page(memory, at, token))
    click.echo("commonplace: stopped, everything is saved")


def free_port(usual: int) -> int:
    """The usual port, or 0 for any, where another program listens there."""
    from commonplace.domain.errors import CommonplaceError
    from commonplace.interfaces.http.listen import bind

    try:
        bind("127.0.0.1", usual).close()
    except CommonplaceError:
        return 0
    return usual

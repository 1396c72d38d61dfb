"""The commands `serve`, `token` and `ui`, which serve the tools over HTTP, manage tokens and open the page for people."""

import secrets
import shlex
import webbrowser
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import click

from commonplace.domain.errors import CommonplaceError, invalid
from commonplace.interfaces.cli.options import Shared, command_options
from commonplace.interfaces.cli.tables import print_json

if TYPE_CHECKING:
    from commonplace.client.memory import Commonplace
    from commonplace.interfaces.http.access import Household

_CALLS = (
    ("store_memory", '{"content": "My daughter Mia is allergic to peanuts."}'),
    ("search_memory", '{"query": "Is anybody allergic to something?"}'),
    ("discover_memory_tools", "{}"),
)
_TOKENS = click.option(
    "--tokens", metavar="FILE", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file of tokens."
)


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8787, show_default=True, help="The port; 0 picks a free one.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on; only loopback without --tokens."
)
@click.option(
    "--tokens",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help='Require a token from "commonplace token add"; each token opens the memories of its user.',
)
@click.option("--allow-host", metavar="NAME", multiple=True, help="A host name that clients may use; may be repeated.")
@click.option("--per-minute", type=click.IntRange(1, 1_000_000), help="Requests per token.  [default: 600]")
@command_options
def serve(
    shared: Shared, port: int, host: str, tokens: Path | None, allow_host: tuple[str, ...], per_minute: int | None
) -> None:  # fmt: skip
    """Serve the tools over HTTP on this machine.

    Without --tokens it has no passwords, so it listens on the loopback only. Agents use MCP
    at /mcp. Ctrl-C stops it: running requests may finish, and an import reports how far
    it came.
    """
    from commonplace.interfaces.http.listen import listen

    if tokens is None:
        for option, value in (("allow_host", allow_host), ("per_minute", per_minute)):
            if value:
                raise invalid(option, "needs --tokens")
    with ExitStack() as stack:
        served = _build_house(shared, tokens, allow_host, per_minute, stack) if tokens else stack.enter_context(shared.open())
        listen(served, host, port, lambda url: _announce(url, by_token=tokens is not None), _announce_end)
    click.echo("commonplace: stopped, everything is saved")


@click.group()
def token() -> None:
    """Manage the tokens of a server for several users.

    \b
      commonplace token add laptop --user ana --tokens tokens.json
      commonplace serve --tokens tokens.json

    The file contains hashes of the tokens, and only its owner may read it. A running server
    uses a changed file from its next request on.
    """


@token.command()
@click.argument("name")
@_TOKENS
@command_options
def add(shared: Shared, name: str, tokens: Path) -> None:
    """Make a token, and show it once.

    NAME is the name of the token, e.g. laptop. It opens the memories of --user, by default of the user NAME.
    """
    from commonplace.interfaces.http.tokens import TokenFile

    user = name if shared.user is None else shared.user
    made = TokenFile(tokens).add(name, user)
    if shared.json:
        return print_json({"name": name, "user": user, "token": made})
    click.echo(f"commonplace: {name} opens the memories of {user}. This token is shown only once and not stored:", err=True)
    return click.echo(made)


@token.command("list")
@_TOKENS
@command_options
def list_tokens(shared: Shared, tokens: Path) -> None:
    """List the tokens: whose memories each opens, and when it was made."""
    from commonplace.interfaces.http.tokens import TokenFile

    holders = [{"name": holder.name, "user": holder.user, "made": holder.made} for holder in TokenFile(tokens).holders()]
    if shared.json:
        return print_json({"tokens": holders})
    for holder in holders:
        click.echo(f"{holder['name']}  opens the memories of {holder['user']}, since {holder['made']}")
    return None


@token.command()
@click.argument("name")
@_TOKENS
@command_options
def remove(shared: Shared, name: str, tokens: Path) -> None:
    """Remove a token; the memories stay."""
    from commonplace.interfaces.http.tokens import TokenFile

    gone = TokenFile(tokens).remove(name)
    if shared.json:
        return print_json({"name": gone.name, "user": gone.user})
    return click.echo(f"commonplace: removed the token {name}")


def _build_house(
    shared: Shared, tokens: Path, names: tuple[str, ...], per_minute: int | None, stack: ExitStack
) -> "Household":
    """Return the token file and the memories for a server with several users. `stack` closes the memories."""
    from commonplace.interfaces.http.access import PER_MINUTE, Household
    from commonplace.interfaces.http.open_memories import OpenMemories
    from commonplace.interfaces.http.tokens import TokenFile

    if shared.user is not None:
        raise invalid("user", "each token opens the memories of its own user; leave --user out")

    def make(user: str) -> "Commonplace":
        return replace(shared, user=user).open()

    memories = stack.enter_context(OpenMemories(make))
    return Household(TokenFile(tokens), memories, names, per_minute or PER_MINUTE)


def _announce_end(running: int) -> None:
    waiting = "one request is still running" if running == 1 else f"{running} requests are still running"
    click.echo(f"commonplace: stopping; {waiting}, and new requests are refused. Ctrl-C stops it at once")


def _announce(url: str, by_token: bool) -> None:
    click.echo(f"commonplace serves MCP agents on {url}/mcp")
    audience = "for requests with a token" if by_token else "for this machine only"
    click.echo(f"commonplace listens on {url}, {audience}. Ctrl-C stops it. Try:\n")
    header = " -H 'Authorization: Bearer TOKEN'" if by_token else ""
    for tool, body in _CALLS:
        click.echo(f"  curl -s{header} {shlex.quote(f'{url}/tools/{tool}')} -d {shlex.quote(body)}")
    click.echo()


_USUAL = 8787


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help=f"The port.  [default: {_USUAL}, or a free one]")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@command_options
def ui(shared: Shared, port: int | None, no_browser: bool) -> None:
    """Open a page to see, search and correct the memories.

    It serves this machine only, like "commonplace serve", and opens the browser. The
    address works once, in one browser, while this command runs. Ctrl-C stops it.
    """
    from commonplace.interfaces.http.listen import listen
    from commonplace.interfaces.ui.page import Page, get_ready

    token = secrets.token_urlsafe(32)

    def announce(url: str) -> None:
        address = f"{url}/ui?{urlencode({'token': token})}"
        get_ready(memory)
        click.echo(f"commonplace shows the memories on {address}\nThe address works once, in one browser. Ctrl-C stops it.")
        if not no_browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # some browsers block until closed

    with shared.open() as memory:
        chosen = free_port(_USUAL) if port is None else port
        listen(memory, "127.0.0.1", chosen, announce, page=lambda at: Page(memory, at, token))
    click.echo("commonplace: stopped, everything is saved")


def free_port(usual: int) -> int:
    """Return the usual port if it is free, and otherwise 0, which stands for any free port."""
    from commonplace.interfaces.http.listen import bind

    try:
        bind("127.0.0.1", usual).close()
    except CommonplaceError:
        return 0
    return usual

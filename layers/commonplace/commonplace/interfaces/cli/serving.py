"""`serve` and `token`: the tools over HTTP, for local programs, or for several users by token. `ui`: the page for people."""

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

from commonplace.domain.errors import CommonplaceError, ErrorCode
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
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8787, show_default=True, help="Where to listen; 0 takes a free one."
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on; beyond loopback with --tokens."
)
@click.option(
    "--tokens",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help='Answer only whom "commonplace token add" gave a token, each with their own memories.',
)
@click.option("--allow-host", metavar="NAME", multiple=True, help="A name that clients call it by; may be given again.")
@click.option("--per-minute", type=click.IntRange(1, 1_000_000), help="Requests of one token.  [default: 600]")
@command_options
def serve(
    shared: Shared, port: int, host: str, tokens: Path | None, allow_host: tuple[str, ...], per_minute: int | None
) -> None:  # fmt: skip
    """Serve the tools over HTTP on this machine.

    It listens on the loopback only, because it has no passwords; with --tokens it serves
    others, too. It serves agents that speak MCP at /mcp. Ctrl-C ends it: what runs then
    may end, and an import says how far it came.
    """
    from commonplace.interfaces.http.listen import listen

    if tokens is None:
        for option, given in (("allow_host", allow_host), ("per_minute", per_minute)):
            if given:
                why = f"{option}: is for a server with --tokens"
                raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, option)
    with ExitStack() as opened:
        served = _household(shared, tokens, allow_host, per_minute, opened) if tokens else opened.enter_context(shared.open())
        listen(served, host, port, lambda url: _announce(url, by_token=tokens is not None), _announce_end)
    click.echo("commonplace: stopped, everything is saved")


@click.group()
def token() -> None:
    """Keep the tokens of a server for several users.

    \b
      commonplace token add laptop --user ana --tokens tokens.json
      commonplace serve --tokens tokens.json

    The file has hashes of them and may be read by its owner alone. A server that runs goes
    by a changed file with its next request.
    """


@token.command()
@click.argument("name")
@_TOKENS
@command_options
def add(shared: Shared, name: str, tokens: Path) -> None:
    """Make a token, and show it this once.

    NAME is the token's, e.g. laptop. It opens the memories of --user, which is NAME where it is not given.
    """
    from commonplace.interfaces.http.tokens import TokenFile

    user = name if shared.user is None else shared.user
    made = TokenFile(tokens).add(name, user)
    if shared.json:
        return print_json({"name": name, "user": user, "token": made})
    click.echo(f"commonplace: {name} opens the memories of {user}. This is shown once, and kept nowhere:", err=True)
    return click.echo(made)


@token.command("list")
@_TOKENS
@command_options
def list_tokens(shared: Shared, tokens: Path) -> None:
    """List the tokens: whose memories each opens, and when it was made."""
    from commonplace.interfaces.http.tokens import TokenFile

    found = [{"name": one.name, "user": one.user, "made": one.made} for one in TokenFile(tokens).holders()]
    if shared.json:
        return print_json({"tokens": found})
    for one in found:
        click.echo(f"{one['name']}  opens the memories of {one['user']}, since {one['made']}")
    return None


@token.command()
@click.argument("name")
@_TOKENS
@command_options
def remove(shared: Shared, name: str, tokens: Path) -> None:
    """Take a token back; the memories stay."""
    from commonplace.interfaces.http.tokens import TokenFile

    gone = TokenFile(tokens).remove(name)
    if shared.json:
        return print_json({"name": gone.name, "user": gone.user})
    return click.echo(f"commonplace: {name} opens nothing any more")


def _household(
    shared: Shared, tokens: Path, names: tuple[str, ...], per_minute: int | None, opened: ExitStack
) -> "Household":
    from commonplace.interfaces.http.access import PER_MINUTE, Household
    from commonplace.interfaces.http.open_memories import OpenMemories
    from commonplace.interfaces.http.tokens import TokenFile

    if shared.user is not None:
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT, "user: with --tokens each token says whose memories it opens", "user"
        )

    def make(user: str) -> "Commonplace":
        return replace(shared, user=user).open()

    memories = opened.enter_context(OpenMemories(make))
    return Household(TokenFile(tokens), memories, names, per_minute or PER_MINUTE)


def _announce_end(running: int) -> None:
    asked = "one request still runs" if running == 1 else f"{running} requests still run"
    click.echo(f"commonplace: ending, but {asked}; others are refused now. Ctrl-C ends it at once")


def _announce(url: str, by_token: bool) -> None:
    click.echo(f"commonplace serves agents that speak MCP on {url}/mcp")
    whom = "for whom has a token" if by_token else "for this machine only"
    click.echo(f"commonplace listens on {url}, {whom}. Ctrl-C ends it. Try:\n")
    header = " -H 'Authorization: Bearer TOKEN'" if by_token else ""
    for tool, body in _CALLS:
        click.echo(f"  curl -s{header} {shlex.quote(f'{url}/tools/{tool}')} -d {shlex.quote(body)}")
    click.echo()


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
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # some browsers run until they are closed

    with shared.open() as memory:
        chosen = free_port(_USUAL) if port is None else port
        listen(memory, "127.0.0.1", chosen, announce, page=lambda at: Page(memory, at, token))
    click.echo("commonplace: stopped, everything is saved")


def free_port(usual: int) -> int:
    """Return the usual port, or 0 for any if another program listens there."""
    from commonplace.domain.errors import CommonplaceError
    from commonplace.interfaces.http.listen import bind

    try:
        bind("127.0.0.1", usual).close()
    except CommonplaceError:
        return 0
    return usual

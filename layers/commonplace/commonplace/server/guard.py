"""Who may speak to a server without passwords: programs of this machine, and no web page that a browser has open."""

from commonplace.errors import CommonplaceError, ErrorCode

_LISTEN_ON = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
_OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")


def loopback(host: str) -> str:
    """The address to listen on for a host that was asked for; anything but this machine's loopback is refused."""
    address = _LISTEN_ON.get(host.lower())
    if address is None:
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT,
            "host: this server has no passwords and is for this machine only: it listens on 127.0.0.1, localhost or ::1",
            "host",
        )
    return address


def check_caller(host: str | None, origin: str | None, port: int) -> None:
    """Raises `FORBIDDEN` for a `Host` or `Origin` that is not this server.

    A page on the web can have its own name lead to 127.0.0.1 (DNS rebinding), or post a form here; the browser then
    tells in these headers where the page came from.
    """
    own = {name for each in _OWN_NAMES for name in (each, f"{each}:{port}")}
    if host is None or host.lower() not in own:
        raise CommonplaceError(ErrorCode.FORBIDDEN, f"this server answers to 127.0.0.1:{port} and localhost:{port} only")
    if origin is not None and origin.lower() not in {f"http://{each}:{port}" for each in _OWN_NAMES}:
        raise CommonplaceError(ErrorCode.FORBIDDEN, "this server does not answer web pages")

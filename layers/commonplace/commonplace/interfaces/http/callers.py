"""Determine the addresses that a server listens on, and the host names that requests may use."""

import ipaddress
import re
from collections.abc import Collection

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid

_LISTEN_ON = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
_OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")
_NAME = re.compile(r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_PORT = re.compile(r":[0-9]+$")
_NO_WEB_PAGES = "this server does not answer web pages"


def loopback(host: str) -> str:
    """Return the address to listen on for a requested host. Raises `INVALID_ARGUMENT` if the host is not a loopback host."""
    address = _LISTEN_ON.get(host.lower())
    if address is None:
        raise invalid(
            "host", "without --tokens this server has no passwords and is for this machine only: 127.0.0.1, localhost or ::1"
        )
    return address


def check_caller(host: str | None, origin: str | None, site: str | None, port: int, names: Collection[str] = ()) -> None:
    """Raise `FORBIDDEN` if `Host` or `Origin` does not name this server, or if `Sec-Fetch-Site` names another site.

    `names` are additional names of this server, or of a TLS proxy in front of it. A web page can resolve its own name to
    127.0.0.1 (DNS rebinding), post a form to this server, or load an address of this server as an image. The headers that
    the browser sends reveal the origin of the page.
    """
    own = {form for name in (*_OWN_NAMES, *names) for form in (name, f"{name}:{port}")}
    if host is None or host.lower() not in own:
        more = ", and to the names of --allow-host" if names else ""
        why = f"this server answers to 127.0.0.1:{port} and localhost:{port} only{more}"
        raise CommonplaceError(ErrorCode.FORBIDDEN, why)
    pages = {f"http://{name}:{port}" for name in (*_OWN_NAMES, *names)} | {f"https://{name}" for name in names}
    if origin is not None and origin.lower() not in pages:
        raise CommonplaceError(ErrorCode.FORBIDDEN, _NO_WEB_PAGES)
    if site is not None and "cross-site" in site.lower():
        raise CommonplaceError(ErrorCode.FORBIDDEN, _NO_WEB_PAGES)


def names_of(host: str, allowed: Collection[str], bound: str = "") -> tuple[str, ...]:
    """Return the names that clients may use for a server on this host, in addition to the loopback names.

    `allowed` contains the configured names, with or without a port. `bound` is the resolved address of the host. Raises
    `INVALID_ARGUMENT` for an invalid name, and if the host stands for every address but no name is configured.
    """
    names = tuple(name.lower() for name in allowed)
    for name in names:
        if not _NAME.fullmatch(name):
            raise invalid("allow_host", f"{name} is no name or address, with or without a port")
    own = [_format_address(name.strip("[]").lower()) for name in (host, bound) if not _is_any_address(name.strip("[]"))]
    if not names and not own:
        raise invalid("host", f"{host} is every address of this machine: say what clients call it by --allow-host NAME")
    return (*names, *dict.fromkeys(own))


def url_of(bound: str, port: int, names: Collection[str]) -> str:
    """Return the base URL of a server. For a server on every address, the host is one of `names` or a loopback address."""
    if _is_any_address(bound):
        own = "[::1]" if ":" in bound else "127.0.0.1"
        return f"http://{next((name for name in names if not _PORT.search(name)), own)}:{port}"
    return f"http://{_format_address(bound)}:{port}"


def _format_address(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _is_any_address(host: str) -> bool:
    try:
        return not host or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False

"""A request takes its route, and its body is read within the limit of that route, or not at all."""

import os
import stat
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import IO, Any

import anyio
import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from commonplace.interfaces.http.routing import MAX_BODY, RequestError, Route, Table, header

SMALL, LARGE = Route("/small", Response, "POST", 100), Route("/large", Response, "POST", MAX_BODY + 1)


class Sent:
    """A request whose body comes in pieces; `read`: how many of them were asked for."""

    def __init__(self, pieces: Iterable[bytes], path: str = "/small", method: str = "POST", **headers: str) -> None:
        self.read, self._pieces = 0, iter(pieces)
        raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": method, "path": path, "headers": raw, "query_string": b""}
        self.request = Request(scope, self._receive)

    async def _receive(self) -> dict[str, Any]:
        self.read += 1
        piece = next(self._pieces, None)
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}


def body_of(sent: Sent, route: Route) -> tuple[bytes, IO[bytes], int | None]:
    """What a handler reads, the file that it is in, and the rights of that file."""
    found: list[tuple[bytes, int | None]] = []
    files: list[IO[bytes]] = []

    def respond(body: IO[bytes]) -> Response:
        mode = None if isinstance(body, BytesIO) else stat.S_IMODE(os.fstat(body.fileno()).st_mode)
        found.append((body.read(), mode))
        files.append(body)
        return Response()

    async def whole() -> None:
        await Table([route]).run(sent.request, route, respond)

    anyio.run(whole)
    return found[0][0], files[0], found[0][1]


def refused(sent: Sent, route: Route) -> RequestError:
    with pytest.raises(RequestError) as caught:
        body_of(sent, route)
    return caught.value


def test_a_body_comes_whole() -> None:
    assert body_of(Sent([b"a" * 60, b"b" * 40], content_length="100"), SMALL)[0] == b"a" * 60 + b"b" * 40


def test_a_body_that_is_announced_as_too_long_is_not_read() -> None:
    sent = Sent([b"a"], content_length="101")
    error = refused(sent, SMALL)
    assert (error.code.status, sent.read) == (413, 0)
    assert "100 bytes" in error.message


def test_a_body_of_unknown_length_is_read_up_to_the_limit() -> None:
    sent = Sent([b"a" * 60] * 1_000)
    assert refused(sent, SMALL).code.status == 413
    assert sent.read == 2


def test_a_body_of_a_request_that_has_none_is_not_read() -> None:
    sent = Sent([b"a"], method="GET")
    assert body_of(sent, Route("/small", Response))[0] == b""
    assert sent.read == 0


@pytest.mark.skipif(os.name != "posix", reason="rights are of POSIX")
def test_a_large_body_is_spooled_to_a_file_of_its_owner_that_goes_afterwards() -> None:
    text, file, mode = body_of(Sent([b"a" * 60_000] * 10), LARGE)
    assert (len(text), mode, file.closed) == (600_000, 0o600, True)
    assert body_of(Sent([b"a"]), SMALL)[2] is None


def test_half_a_body_is_none() -> None:
    def gone() -> Iterator[bytes]:
        yield b"a"
        raise ClientDisconnect

    with pytest.raises(ClientDisconnect):
        body_of(Sent(gone()), LARGE)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("/tools/search", {"name": "search"}), ("/tools/search/", {"name": "search"}), ("/memories/a/b", {"id": "a/b"}),
        ("/tools/a\nb", {"name": "a\nb"}),
    ],
)  # fmt: skip
def test_the_parts_of_a_path_have_names(path: str, parts: dict[str, str]) -> None:
    table = Table([Route("/tools/<name>", Response), Route("/memories/<path:id>", Response)])
    assert table.match(Sent([], path, "GET").request)[1] == parts


@pytest.mark.parametrize(
    "path", ["/tool", "/tools", "/tools/a/b", "//tools/a", "/tools/a//", "/tools/", "/tools//a", "/runs\n"]
)
def test_another_path_is_none_of_the_server(path: str) -> None:
    with pytest.raises(RequestError) as caught:
        Table([Route("/tools/<name>", Response), Route("/runs", Response)]).match(Sent([], path, "GET").request)
    assert caught.value.code.status == 404


def test_another_method_is_told_which_there_are() -> None:
    table = Table([Route("/import", Response), Route("/import", Response, "POST")])
    with pytest.raises(RequestError) as caught:
        table.match(Sent([], "/import", "PUT").request)
    assert (caught.value.code.status, caught.value.headers) == (405, {"Allow": "GET, HEAD, POST"})
    assert table.match(Sent([], "/import", "HEAD").request)[0].method == "GET"


def test_a_header_that_was_sent_twice_is_read_as_one() -> None:
    request = Sent([]).request
    request.scope["headers"] += [(b"authorization", b"Bearer a"), (b"authorization", b"Bearer b"), (b"origin", b"")]
    assert header(request, "Authorization") == "Bearer a,Bearer b"
    assert header(request, "Origin") == ""
    assert header(request, "Host") is None

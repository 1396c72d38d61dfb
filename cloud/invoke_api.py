"""Lambda's Invoke API, as much of it as one function asks of another: waits for the answer, knows no roles and no limits."""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from urllib.parse import unquote

from cloud.invoking import Context, Handler
from cloud.listener import Listener, Request, Response

_PATH = re.compile(r"/2015-03-31/functions/([^/]+)/invocations")
_JSON = {"Content-Type": "application/json"}
_log = logging.getLogger("cloud")


@contextmanager
def invoke_api(handlers: Mapping[str, Handler]) -> Iterator[str]:
    """Where functions can be invoked by their names, while it is entered."""
    listener = Listener(0, partial(_invoked, handlers))
    try:
        yield f"http://127.0.0.1:{listener.server_port}"
    finally:
        listener.end()


def _invoked(handlers: Mapping[str, Handler], request: Request) -> Response:
    asked = _PATH.fullmatch(unquote(request.path))
    name = asked[1] if asked else ""
    if name not in handlers:
        told = {"Message": f"Function not found: {name}", "Type": "User"}
        return Response(404, {**_JSON, "x-amzn-ErrorType": "ResourceNotFoundException"}, json.dumps(told).encode())
    try:
        answer = handlers[name](json.loads(request.body), Context(name))
    except Exception as error:  # noqa: BLE001 - the service tells of it in its answer
        _log.error("%s: %s", name, type(error).__name__, exc_info=error)
        raised = {"errorType": type(error).__name__, "errorMessage": str(error)}
        return Response(200, {**_JSON, "X-Amz-Function-Error": "Unhandled"}, json.dumps(raised).encode())
    return Response(200, _JSON, json.dumps(answer).encode())

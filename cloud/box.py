"""Everything at once: servers, table and index, the front, the stream poller, the queue's workers, the schedules.

Everything is set in the environment before a handler is imported, as Lambda does it.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import boto3

from cloud.authorizer import Authorizer
from cloud.dynamodb import DynamoDB
from cloud.front import PORT, Front
from cloud.invoke_api import invoke_api
from cloud.invoking import ACCOUNT, REGION
from cloud.nights import nights
from cloud.opensearch import OpenSearch
from cloud.process import Server, free_port
from cloud.schedule import by_schedule, until
from cloud.stream import Poller
from cloud.template import Template
from cloud.tokens import AUDIENCE, Issuer
from commonplace.contract.registry import TOOLS

_TEN_MINUTES = 600.0  # between two runs of reconcile, as the template's schedule has it
_NIGHT = 23  # o'clock (UTC), likewise
_UNLESS_SET = {
    "COMMONPLACE_TABLE": "commonplace",
    "POWERTOOLS_METRICS_DISABLED": "true",  # they would go to the terminal, line by line
    "POWERTOOLS_LOG_LEVEL": "WARNING",
}


@contextmanager
def cloud(port: int = PORT, data: Path | None = None) -> Iterator[tuple[Front, str, str]]:
    """All of it, while it is entered: the front, and the addresses of OpenSearch and DynamoDB. `data`: where to keep it."""
    _refuse_taken(port)
    with ExitStack() as stack:
        opensearch = _url("OPENSEARCH_URL", lambda: OpenSearch(data=data and data / "opensearch"), stack)
        dynamodb = _url("DYNAMODB_URL", lambda: DynamoDB(data=data and data / "dynamodb"), stack)
        template = Template()
        stack.enter_context(nights(template))
        os.environ |= _environment(opensearch, dynamodb)
        issuer = Issuer.kept()
        _invocable(template, issuer.name, stack)
        stream = _table()
        handlers = {name: template.functions[name].handler() for name in ("index", "reconcile", "plan")}
        _index()
        stack.enter_context(Poller(boto3.client("dynamodbstreams"), stream, handlers["index"], template.sources["index"]))
        stack.enter_context(by_schedule("reconcile", handlers["reconcile"], lambda: _TEN_MINUTES))
        stack.enter_context(by_schedule("plan", handlers["plan"], lambda: until(_NIGHT), seconds=900.0))
        front = Front(template.routes, Authorizer(issuer.name, [AUDIENCE], issuer.keys), port)
        yield stack.enter_context(front), opensearch, dynamodb


def _refuse_taken(port: int) -> None:
    """Before half a minute goes by in starting servers."""
    try:
        free_port([port])
    except OSError as error:
        raise ValueError(f"port {port} is in use; take another one with --port") from error


def _url(variable: str, make: Callable[[], Server], stack: ExitStack) -> str:
    given = os.environ.get(variable)
    return given.rstrip("/") if given else stack.enter_context(make()).url


def _environment(opensearch: str, dynamodb: str) -> dict[str, str]:
    """What the template gives to every function, and where this machine's servers are."""
    return {
        "COMMONPLACE_SEARCH_ENDPOINT": opensearch,
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb,
        "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": dynamodb,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_ACCOUNT_ID": ACCOUNT,
        "POWERTOOLS_TRACE_DISABLED": "true",
    } | {name: os.environ.get(name, value) for name, value in _UNLESS_SET.items()}


def _invocable(template: Template, issuer: str, stack: ExitStack) -> None:
    """Lets one function invoke others, by the names of their folders, and tell who issues tokens."""
    serving = sorted({tool.function for tool in TOOLS})
    url = stack.enter_context(invoke_api({name: template.functions[name].handler() for name in serving}))
    os.environ |= {
        "AWS_ENDPOINT_URL_LAMBDA": url,
        "COMMONPLACE_TOOL_FUNCTIONS": ",".join(f"{name}={name}" for name in serving),
        "COMMONPLACE_ISSUER": issuer,
        "COMMONPLACE_MCP_SCOPES": "openid",
    }


def _table() -> str:
    """Makes the table if it isn't there, and gives the ARN of its stream."""
    from commonplace.adapters.dynamodb.table import create_table

    client: Any = boto3.client("dynamodb")
    name = os.environ["COMMONPLACE_TABLE"]
    with suppress(client.exceptions.ResourceInUseException):  # kept from another time
        create_table(client, name)
    found: str = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    return found


def _index() -> None:
    """Makes what the index needs, as the function `setup` does at a deploy."""
    from commonplace.interfaces.aws import container

    if not container.projector().set_up():
        sys.stderr.write("there is no index of this version over what the table holds: `commonplace reindex` makes it\n")

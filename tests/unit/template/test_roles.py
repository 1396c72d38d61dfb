"""What each function may do: all of it, by whatever policy, for each way to find memories and to ask Claude."""

from typing import Any

import pytest

from commonplace.contract.registry import TOOLS
from tests.stack import ROOT, Stack

Allowed = set[tuple[str, str]]

OBSERVES = {
    ("logs:CreateLogStream", "FunctionLogs.Arn"),
    ("logs:PutLogEvents", "FunctionLogs.Arn"),
    ("xray:PutTraceSegments", "*"),
    ("xray:PutTelemetryRecords", "*"),
}
JOINS = {
    (f"ec2:{action}", "*")
    for action in (
        "CreateNetworkInterface", "DescribeNetworkInterfaces", "DescribeSubnets", "DeleteNetworkInterface",
        "AssignPrivateIpAddresses", "UnassignPrivateIpAddresses",
    )
}  # fmt: skip
_IN_REGION = "${AWS::Partition}:%s:${AWS::Region}:${AWS::AccountId}"
DOMAIN = f"arn:{_IN_REGION % 'es'}:domain/"
OWN, OTHER = f"{DOMAIN}commonplace-${{Stack}}/", f"{DOMAIN}mine/"
CHANGES = {(f"dynamodb:{action}", "Table.Arn") for action in ("BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem")}
CHECKS = {("dynamodb:ConditionCheckItem", "Table.Arn")}
FINDS = {(f"dynamodb:{action}", "Table.Arn") for action in ("BatchGetItem", "Query", "PutItem")}
BOTH = ["usage#*", "searched#*"]
KEEPS = {
    *((f"s3:{action}", "${Pages.Arn}/*") for action in ("PutObject", "GetObject", "DeleteObject", "DeleteObjectVersion")),
    *((f"s3:{action}", "Pages.Arn") for action in ("ListBucket", "ListBucketVersions")),
}
HANDS_ON = {("sqs:SendMessage", "Nights.Arn")}
MENDING = ("maintenance", "night")
SEARCHING = ("store", "search", "discover", "write", "read", "summarize", "analysis", "maintenance", "night")
TABLE: dict[str, Allowed] = {
    "normalize": set(),
    "store": CHANGES | CHECKS,
    "search": FINDS,
    "discover": {(f"dynamodb:{action}", "Table.Arn") for action in ("BatchGetItem", "Query", "UpdateItem", "DeleteItem")},
    "write": CHANGES,
    "read": FINDS,
    "summarize": FINDS,
    "analysis": {(f"dynamodb:{action}", "Table.Arn") for action in ("BatchGetItem", "Query", "UpdateItem", "DeleteItem")},
    "transfer": CHANGES | CHECKS | KEEPS | HANDS_ON,
    "maintenance": CHANGES | CHECKS | KEEPS | HANDS_ON,
    "mcp": {("lambda:InvokeFunction", f"{function.title()}Function.Arn") for function in {tool.function for tool in TOOLS}},
    "record": CHANGES | CHECKS | KEEPS,
    "plan": {
        ("dynamodb:Query", "${Table.Arn}/index/waiting"),
        ("sqs:SendMessage", "Nights.Arn"),
        ("sqs:SendMessage", "PlanDeadLetters.Arn"),
    },
    "night": CHANGES
    | CHECKS
    | KEEPS
    | {
        (f"sqs:{action}", "Nights.Arn") for action in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "SendMessage")
    },
    "index": {
        *((f"dynamodb:{action}", "Table.StreamArn") for action in ("DescribeStream", "GetRecords", "GetShardIterator")),
        ("dynamodb:ListStreams", "${Table.Arn}/stream/*"),
        ("dynamodb:DeleteItem", "Table.Arn"),
        ("sqs:SendMessage", "IndexDeadLetters.Arn"),
    },
    "reconcile": {
        ("dynamodb:Query", "${Table.Arn}/index/waiting"),
        *((f"dynamodb:{action}", "Table.Arn") for action in ("BatchGetItem", "Query", "UpdateItem", "DeleteItem")),
        ("sqs:SendMessage", "IndexDeadLetters.Arn"),
        ("sqs:SendMessage", "ReconcileDeadLetters.Arn"),
    },
    "interceptor": set(),
    "setup": {("dynamodb:Scan", "Table.Arn")},
}


def reading(domain: str) -> Allowed:
    return {("es:ESHttpPost", f"{domain}commonplace/_msearch")}


def writing(domain: str) -> Allowed:
    return {
        (f"es:ESHttp{action}", f"{domain}{alias}/{what}")
        for alias in ("commonplace", "commonplace-next")
        for action, what in (("Get", "_mapping"), ("Post", "_bulk"), ("Post", "_refresh"))
    }


def mending(domain: str) -> Allowed:
    posts = {("es:ESHttpPost", f"{domain}commonplace/{what}") for what in ("_mget", "_search", "_bulk", "_refresh")}
    return {("es:ESHttpGet", f"{domain}commonplace/_mapping")} | posts


def shaping(*paths: str) -> Allowed:
    return {(f"es:ESHttp{action}", path) for action in ("Get", "Put", "Post") for path in paths}


def index_of(function: str, domain: str, everything: Allowed) -> Allowed:
    if function in SEARCHING:
        return reading(domain) | (mending(domain) if function in MENDING else set())
    if function == "transfer":
        return {("es:ESHttpPost", f"{domain}commonplace/_mget")}
    if function in ("index", "reconcile"):
        return writing(domain)
    return everything if function == "setup" else set()


_NAMES = ("commonplace*", "_index_template/commonplace", "_search/pipeline/commonplace-fusion", "_aliases")
SEARCHES: dict[str, tuple[dict[str, Any], str | None, Allowed]] = {
    "domain": ({}, OWN, shaping(f"{OWN}*")),
    "endpoint": (
        {"Search": "endpoint", "SearchEndpoint": "https://mine.example", "SearchDomainName": "mine"}, OTHER,
        shaping(*(f"{OTHER}{name}" for name in _NAMES)),
    ),
    "none": ({"Search": "none"}, None, set()),
}  # fmt: skip


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("function", TABLE)
def test_a_function_may_do_this_and_nothing_else(function: str, search: str) -> None:
    parameters, domain, everything = SEARCHES[search]
    asks = index_of(function, domain, everything) if domain else set()
    assert Stack(**parameters).may(function) == OBSERVES | TABLE[function] | asks


@pytest.mark.parametrize("function", TABLE)
def test_interfaces_are_for_what_asks_a_domain_in_a_vpc(function: str) -> None:
    more = Stack(SubnetIds="subnet-1", SecurityGroupIds="sg-1").may(function) - Stack().may(function)
    assert more == (JOINS if function in (*SEARCHING, "maintenance", "transfer", "index", "reconcile", "setup") else set())


_SECRET = f"arn:{_IN_REGION % 'secretsmanager'}:secret:mine-??????"
_PROFILE = f"arn:{_IN_REGION % 'bedrock'}:inference-profile/eu.anthropic.claude"
CLAUDES: dict[str, tuple[dict[str, Any], Allowed]] = {
    "rules": ({}, set()),
    "anthropic": ({"Claude": "anthropic"}, {("secretsmanager:GetSecretValue", "Key")}),
    "anthropic-by-a-secret-that-is-there": (
        {"Claude": "anthropic", "AnthropicSecret": "mine"}, {("secretsmanager:GetSecretValue", _SECRET)},
    ),
    "bedrock": (
        {"Claude": "bedrock", "ClaudeModel": "eu.anthropic.claude"},
        {
            ("bedrock:InvokeModel", _PROFILE),
            ("bedrock:InvokeModel", "arn:${AWS::Partition}:bedrock:*::foundation-model/anthropic.*"),
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("claude", CLAUDES)
def test_claude_is_asked_by_what_cleans_reads_days_and_sums_up_and_only_as_was_chosen(claude: str) -> None:
    parameters, allowed = CLAUDES[claude]
    for function in TABLE:
        more = Stack(**parameters).may(function) - Stack().may(function)
        assert more == (allowed if function in ("normalize", "summarize", "night") else set())


@pytest.mark.parametrize(("function", "appended"), [("Search", BOTH), ("Read", BOTH), ("Summarize", BOTH[:1])])
def test_what_finds_writes_beside_the_users_and_nowhere_else(function: str, appended: list[str]) -> None:
    (policy,) = Stack().of("AWS::IAM::Role")[f"{function}Role"]["Policies"]
    (statement,) = (each for each in policy["PolicyDocument"]["Statement"] if "dynamodb:PutItem" in each["Action"])
    assert statement["Action"] == ["dynamodb:PutItem"]
    assert statement["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": appended}}


def test_everything_is_done_on_resources_that_are_named() -> None:
    """Except where the service knows none: traces, and the network interfaces that Lambda makes."""
    stacks = [Stack(**parameters) for parameters, _, _ in SEARCHES.values()]
    stacks += [Stack(**parameters) for parameters, _ in CLAUDES.values()]
    allowed = {pair for stack in stacks for function in TABLE for pair in stack.may(function)}
    assert {pair for pair in allowed if pair[1] == "*"} <= OBSERVES | JOINS
    assert not [action for action, _ in allowed if "*" in action]


def test_no_role_is_shared_and_each_is_for_lambda_alone() -> None:
    roles = [about["Role"] for about in Stack().functions().values()]
    assert len(set(roles)) == len(roles) == len(TABLE)
    for about in Stack().of("AWS::IAM::Role").values():
        (statement,) = about["AssumeRolePolicyDocument"]["Statement"]
        assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}


def test_only_this_api_and_the_named_agent_may_call() -> None:
    agent = "arn:aws:bedrock:eu-central-1:111122223333:agent/AGENT"
    permissions = Stack(BedrockAgentArn=agent).of("AWS::Lambda::Permission")
    api = f"arn:{_IN_REGION % 'execute-api'}:${{Api}}/*"
    found = {(about["Principal"], about["SourceArn"]) for about in permissions.values()}
    assert found == {("apigateway.amazonaws.com", api), ("bedrock.amazonaws.com", agent)}
    assert {about["Principal"] for about in Stack().of("AWS::Lambda::Permission").values()} == {"apigateway.amazonaws.com"}


def test_a_restored_table_takes_the_place_of_the_own_one() -> None:
    restored = Stack(RestoredTable="restored", RestoredStream="2026-05-20T10:00:00.000")
    assert not restored.of("AWS::DynamoDB::Table")
    arn = f"arn:{_IN_REGION % 'dynamodb'}:table/restored"
    places = {"Table.Arn": arn, "Table.StreamArn": f"{arn}/stream/2026-05-20T10:00:00.000"}
    for function, about in restored.functions().items():
        own = {(action, places.get(place, place.replace("${Table.Arn}", arn))) for action, place in Stack().may(function)}
        assert restored.may(function) == own
        assert about["Environment"]["COMMONPLACE_TABLE"] == "restored"


def test_every_statement_is_explained_and_names_what_it_allows() -> None:
    lines = [line.strip() for line in (ROOT / "template.yaml").read_text("utf-8").splitlines()]
    statements = [number for number, line in enumerate(lines) if line == "- Effect: Allow"]
    assert len(statements) > 20
    assert not [number + 1 for number in statements if not lines[number - 1].startswith("# ")]
    assert not [line for line in lines if line.startswith(("NotAction", "NotResource", "NotPrincipal"))]

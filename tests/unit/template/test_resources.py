"""`template.yaml` is held against the code that it deploys: tools, functions, settings, table, stream."""

import json
import re
from typing import Any

import pytest

from commonplace.adapters.dynamodb import table
from commonplace.contract.registry import TOOLS
from commonplace.interfaces.aws.http_api import MCP_ROUTES, OPEN, ROUTES
from commonplace.settings import Settings, read_settings
from tests.stack import ROOT, Stack, template

FUNCTIONS = (
    "normalize", "store", "search", "discover", "write", "read", "summarize", "analysis", "transfer", "maintenance", "mcp", "record",
    "plan", "night",
    "index", "reconcile", "interceptor", "setup",
)  # fmt: skip
AUTHS: tuple[dict[str, Any], ...] = ({}, {"JwtIssuer": "https://issuer.example", "JwtAudience": "me"}, {"AuthMode": "iam"})


@pytest.fixture(scope="module")
def stack() -> Stack:
    return Stack()


def test_every_tool_has_its_route_to_its_function_and_there_are_no_other_routes(stack: Stack) -> None:
    integrations = stack.of("AWS::ApiGatewayV2::Integration")
    folders = {name: about["CodeUri"] for name, about in stack.of("AWS::Serverless::Function").items()}
    routes = {}
    for about in stack.of("AWS::ApiGatewayV2::Route").values():
        target = about["Target"].removeprefix("integrations/${").removesuffix("}")
        function = integrations[target]["IntegrationUri"].removesuffix(".Arn")
        routes[about["RouteKey"]] = folders[function]
    expected = ROUTES | MCP_ROUTES
    assert routes == {f"{method} {path}": f"functions/{function}/" for (method, path), function in expected.items()}
    assert {f"POST {tool.route}": f"functions/{tool.function}/" for tool in TOOLS}.items() <= routes.items()


@pytest.mark.parametrize("parameters", AUTHS, ids=["own-pool", "own-issuer", "iam"])
def test_no_route_is_open_but_those_that_tell_who_gives_tokens(parameters: dict[str, Any]) -> None:
    stack = Stack(**parameters)
    by_jwt = parameters.get("AuthMode") != "iam"
    routes = stack.of("AWS::ApiGatewayV2::Route").values()
    is_open = [about["RouteKey"] for about in routes if about["AuthorizationType"] == "NONE"]
    assert sorted(is_open) == (sorted(f"{method} {path}" for method, path in OPEN) if by_jwt else [])
    for about in (each for each in routes if each["RouteKey"] not in is_open):
        if parameters.get("AuthMode") == "iam":
            assert about["AuthorizationType"] == "AWS_IAM"
            assert "AuthorizerId" not in about
        else:
            assert (about["AuthorizationType"], about["AuthorizerId"]) == ("JWT", "JwtAuthorizer")
    authorizers = stack.of("AWS::ApiGatewayV2::Authorizer")
    assert bool(authorizers) == by_jwt
    assert all(all(about["JwtConfiguration"]["Audience"]) for about in authorizers.values())


def test_a_pool_is_made_only_where_no_issuer_is_given() -> None:
    assert [bool(Stack(**parameters).of("AWS::Cognito::UserPool")) for parameters in AUTHS] == [True, False, False]


def test_only_a_stack_that_asks_for_it_has_a_client_that_may_act_as_others(stack: Stack) -> None:
    def scopes(of: Stack) -> list[list[str]]:
        return [about.get("AllowedOAuthScopes", []) for about in of.of("AWS::Cognito::UserPoolClient").values()]

    assert scopes(stack) == [[], ["openid"]]
    trusting = Stack(TrustedBackend="yes")
    assert scopes(trusting) == [[], ["openid"], ["commonplace/act-as", "commonplace/admin"]]
    server = trusting.of("AWS::Cognito::UserPoolResourceServer")["Scopes"]
    named = [f"{server['Identifier']}/{one['ScopeName']}" for one in server["Scopes"]]
    assert named == ["commonplace/act-as", "commonplace/admin"]
    (authorizer,) = trusting.of("AWS::ApiGatewayV2::Authorizer").values()
    assert authorizer["JwtConfiguration"]["Audience"] == ["UserClient", "McpClient", "BackendClient"]


def test_programs_on_peoples_machines_have_a_client_without_a_secret() -> None:
    stack = Stack(McpCallbackUrls="http://localhost:8080/callback,cursor://anysphere.cursor-mcp/oauth/callback")
    about = stack.of("AWS::Cognito::UserPoolClient")["McpClient"]
    assert about["GenerateSecret"] is False
    assert (about["AllowedOAuthFlows"], about["AllowedOAuthScopes"]) == (["code"], ["openid"])
    assert about["CallbackURLs"] == ["http://localhost:8080/callback", "cursor://anysphere.cursor-mcp/oauth/callback"]
    assert about["ExplicitAuthFlows"] == ["ALLOW_REFRESH_TOKEN_AUTH"]
    assert list(stack.of("AWS::Cognito::UserPoolDomain")) == ["TokenDomain"]
    told = stack.outputs()
    assert (told["McpClientId"], told["McpUrl"]) == ("McpClient", "${Api.ApiEndpoint}/mcp")


def test_with_another_issuer_its_own_clients_and_scopes_are_told() -> None:
    stack = Stack(JwtIssuer="https://issuer.example", JwtAudience="me", McpScopes="api://me/use")
    given = stack.functions()["mcp"]["Environment"]
    assert (given["COMMONPLACE_ISSUER"], given["COMMONPLACE_MCP_SCOPES"]) == ("https://issuer.example", "api://me/use")
    assert "McpClientId" not in stack.outputs()
    assert not stack.of("AWS::Cognito::UserPoolDomain")


def test_where_requests_are_signed_nothing_speaks_mcp() -> None:
    signed = Stack(AuthMode="iam")
    assert "mcp" not in signed.functions()
    assert not [name for kind in signed.resources.values() for name in str(kind).split("'") if name.startswith("Mcp")]
    assert "McpUrl" not in signed.outputs()


def test_what_speaks_mcp_knows_the_function_of_every_tool(stack: Stack) -> None:
    given = stack.functions()["mcp"]["Environment"]
    settings = read_settings({name: str(value) for name, value in given.items()})
    assert hash(settings)  # what is opened by settings is kept by them
    assert dict(settings.tool_functions) == {tool.function: f"${{{tool.function.title()}Function}}" for tool in TOOLS}
    assert given["COMMONPLACE_ISSUER"] == stack.outputs()["Issuer"]


def test_every_function_is_a_folder_with_a_handler(stack: Stack) -> None:
    assert tuple(stack.functions()) == FUNCTIONS
    assert {path.name for path in (ROOT / "functions").iterdir() if (path / "app.py").exists()} == set(FUNCTIONS)
    for name, about in stack.functions().items():
        assert about["Handler"] == "app.handler"
        assert re.search(r"^handler = |^def handler\(", (ROOT / "functions" / name / "app.py").read_text("utf-8"), re.M)
        assert (about["Runtime"], about["Architectures"]) == ("python3.13", ["arm64"])
        assert "FunctionName" not in about


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "interceptor"])
def test_memory_timeout_and_concurrency_are_parameters(name: str) -> None:
    plain = Stack().functions()[name]
    given = {"Memory": 777, "Timeout": 300 if name == "night" else 28, "Concurrency": "3"}
    about = Stack(**{f"{name.title()}{what}": value for what, value in given.items()}).functions()[name]
    assert "ReservedConcurrentExecutions" not in plain
    assert (about["MemorySize"], about["Timeout"], about["ReservedConcurrentExecutions"]) == tuple(given.values())


def test_what_answers_over_http_answers_within_its_thirty_seconds() -> None:
    parameters = template()["Parameters"]
    assert all(parameters[f"{tool.function.title()}Timeout"]["MaxValue"] < 30 for tool in TOOLS)


def test_a_function_carries_only_what_it_calls(stack: Stack) -> None:
    shared = ["DependenciesLayer", "TracingLayer", "CommonplaceLayer"]
    asking, embedding = {"normalize", "summarize", "night"}, {
        "normalize", "store", "search", "discover", "write", "read", "summarize", "transfer", "maintenance", "night",
    }  # fmt: skip
    for name, about in stack.functions().items():
        claude = ["ClaudeLayer"] if name in asking else ["McpLayer"] if name == "mcp" else []
        encoders = ["EncodersLayer"] if name in embedding else []
        assert about["Layers"] == [*shared, *claude, *encoders]


def test_settings_are_given_by_names_that_are_read(stack: Stack) -> None:
    known = {f"COMMONPLACE_{name.upper()}" for name in Settings.model_fields}
    given = {name for about in stack.functions().values() for name in about["Environment"]}
    assert {name for name in given if name.startswith("COMMONPLACE_")} <= known
    assert given - known == {"POWERTOOLS_LOG_LEVEL", "POWERTOOLS_METRICS_NAMESPACE"}


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"Search": "endpoint", "SearchEndpoint": "https://mine.example", "SearchDomainName": "mine"},
        {"DomainInstances": 3, "IndexAlias": "other", "IndexShards": 5, "KnnEngine": "faiss"},
        {"RestoredTable": "restored", "RestoredStream": "2026-05-20T10:00:00.000"},
        {"Search": "none"},
    ],
)
def test_one_output_is_the_environment_of_the_commands(parameters: dict[str, Any]) -> None:
    stack = Stack(**parameters)
    told = dict(one.split("=", 1) for one in stack.outputs()["Environment"].split(" "))
    assert told.pop("AWS_REGION") == "${AWS::Region}"
    given = stack.functions()["setup"]["Environment"]
    assert told.pop("COMMONPLACE_PAGES_BUCKET") == "${Pages}"
    assert stack.functions()["night"]["Environment"]["COMMONPLACE_PAGES_BUCKET"] == "Pages"
    assert told == {name: str(given[name]) for name in told}
    not_told = {f"COMMONPLACE_{name}" for name in ("AGENTCORE_GATEWAYS", "RANKING", "FUSION", "SEARCH_LOG", "DEPTH")}
    not_told |= {"COMMONPLACE_SIMILARITY", *(f"COMMONPLACE_{name}_WEIGHT" for name in ("IMPORTANCE", "RECENCY", "USAGE"))}
    not_told |= {"COMMONPLACE_CATEGORY_CONFIDENCE"}
    not_told |= {"POWERTOOLS_LOG_LEVEL", "POWERTOOLS_METRICS_NAMESPACE"}
    assert given.keys() - told.keys() == not_told


def test_the_choices_of_parameters_are_those_of_the_settings() -> None:
    schema = Settings.model_json_schema()["properties"]
    names = {"KnnEngine": "knn_engine"}
    names |= {name.title(): name for name in ("fusion", "ranking", "depth", "similarity")}
    for parameter, name in names.items():
        about = template()["Parameters"][parameter]
        assert about["AllowedValues"] == schema[name]["enum"]
        assert about["Default"] == schema[name]["default"]


def test_the_bounds_of_parameters_are_those_of_the_settings() -> None:
    schema = Settings.model_json_schema()["properties"]
    for name in ("importance_weight", "recency_weight", "usage_weight", "category_confidence"):
        about = template()["Parameters"][name.title().replace("_", "")]
        told = schema[name]
        assert (about["Default"], about["MinValue"], about["MaxValue"]) == (told["default"], told["minimum"], told["maximum"])


def test_the_table_is_the_one_that_the_adapter_knows(stack: Stack) -> None:
    (about,) = stack.of("AWS::DynamoDB::Table").values()
    assert {name: about[name] for name in table.KEYS} == table.KEYS
    assert about["StreamSpecification"]["StreamViewType"] == table.STREAM["StreamViewType"]
    assert about["TimeToLiveSpecification"] == {"Enabled": True, "AttributeName": table.PURGE_AT}
    assert about["BillingMode"] == "PAY_PER_REQUEST"


def test_data_outlives_the_stack() -> None:
    resources = template()["Resources"]
    for name in ("Table", "UserPool", "Pages"):
        assert (resources[name]["DeletionPolicy"], resources[name]["UpdateReplacePolicy"]) == ("Retain", "Retain")
    about = resources["Table"]["Properties"]
    assert about["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert about["DeletionProtectionEnabled"] is True
    assert about["SSESpecification"] == {"SSEEnabled": True}


def test_the_stream_brings_records_only_and_waits_for_as_long_as_they_are_kept(stack: Stack) -> None:
    about = stack.functions()["index"]["Events"]["Stream"]["Properties"]
    (pattern,) = (json.loads(each["Pattern"]) for each in about["FilterCriteria"]["Filters"])
    assert pattern == {"dynamodb": {"Keys": {table.ITEM: {"S": [{"prefix": table.MEMORY}]}}}}
    assert about["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert (about["MaximumRetryAttempts"], about["MaximumRecordAgeInSeconds"]) == (-1, -1)
    assert about["Enabled"] is True


def test_without_a_domain_nothing_follows_the_table() -> None:
    stack = Stack(Search="none")
    assert not stack.of("AWS::OpenSearchService::Domain")
    assert not stack.of("Custom::SearchIndex")
    assert stack.functions()["index"]["Events"]["Stream"]["Properties"]["Enabled"] is False
    assert stack.functions()["search"]["Environment"]["COMMONPLACE_SEARCH_ENDPOINT"] == ""


def test_the_domain_is_closed_encrypted_and_of_the_version_that_is_tested(stack: Stack) -> None:
    (about,) = stack.of("AWS::OpenSearchService::Domain").values()
    assert about["EngineVersion"] == "OpenSearch_2.19"
    assert about["EncryptionAtRestOptions"] == about["NodeToNodeEncryptionOptions"] == {"Enabled": True}
    assert about["DomainEndpointOptions"]["EnforceHTTPS"] is True
    assert "VPCOptions" not in about
    assert "*" not in [who for each in about["AccessPolicies"]["Statement"] for who in each["Principal"]["AWS"]]


def test_in_a_vpc_are_the_domain_and_whoever_asks_it() -> None:
    stack = Stack(SubnetIds="subnet-1,subnet-2", SecurityGroupIds="sg-1", DomainZones=2, DomainInstances=2)
    inside = {"SubnetIds": ["subnet-1", "subnet-2"], "SecurityGroupIds": ["sg-1"]}
    (domain,) = stack.of("AWS::OpenSearchService::Domain").values()
    assert domain["VPCOptions"] == inside
    assert domain["ClusterConfig"]["ZoneAwarenessConfig"] == {"AvailabilityZoneCount": 2}
    found = {name for name, about in stack.functions().items() if about.get("VpcConfig") == inside}
    asking = {"store", "search", "discover", "write", "read", "summarize", "analysis", "transfer", "maintenance", "night"}
    assert found == asking | {"index", "reconcile", "setup"}
    assert not [name for name, about in Stack().functions().items() if "VpcConfig" in about]


@pytest.mark.parametrize(("nodes", "copies"), [(1, 0), (2, 1)])
def test_shards_have_copies_where_there_is_a_second_node(nodes: int, copies: int) -> None:
    """A change of it has to run setup, which gives them to the index that is there."""
    stack = Stack(DomainInstances=nodes)
    assert stack.functions()["setup"]["Environment"]["COMMONPLACE_INDEX_REPLICAS"] == copies
    (about,) = stack.of("Custom::SearchIndex").values()
    assert about["Replicas"] == str(copies)


def test_setup_runs_again_whenever_the_index_may_have_to_change(stack: Stack) -> None:
    (about,) = stack.of("Custom::SearchIndex").values()
    assert {"Package", "Endpoint", "Alias", "Shards", "Engine", "Fusion"} <= about.keys()
    assert about["ServiceToken"] == "SetupFunction.Arn"


# What may stand in a rule: no other function, not even one that conditions may use.
IN_RULES = {"Ref", "Fn::RefAll", "Fn::ValueOf", "Fn::ValueOfAll", "Fn::And", "Fn::Or", "Fn::Not", "Fn::Equals"}
IN_RULES |= {"Fn::Contains", "Fn::EachMemberEquals", "Fn::EachMemberIn"}


def functions_in(value: Any) -> set[str]:
    """The names of all intrinsic functions in a part of the template."""
    if isinstance(value, list):
        return {name for item in value for name in functions_in(item)}
    if not isinstance(value, dict):
        return set()
    own = {key for key in value if key in ("Ref", "Condition") or key.startswith("Fn::")}
    return own.union(*(functions_in(item) for item in value.values()))


@pytest.mark.parametrize("rule", template()["Rules"])
def test_rules_have_only_functions_that_rules_may_have(rule: str) -> None:
    assert functions_in(template()["Rules"][rule]) <= IN_RULES


@pytest.mark.parametrize(
    ("parameters", "refused"),
    [
        ({}, set()),
        ({"JwtIssuer": "https://issuer.example"}, {"AnIssuerHasAnAudience"}),
        ({"JwtIssuer": "https://issuer.example", "JwtAudience": "me,you"}, set()),
        ({"Search": "endpoint", "SearchEndpoint": "https://mine.example"}, {"AnEndpointHasItsDomain"}),
        ({"Claude": "bedrock"}, {"BedrockHasItsModel"}),
        ({"RestoredTable": "restored"}, {"ATableHasItsStream"}),
        ({"SubnetIds": "subnet-1,subnet-2"}, {"SubnetsHaveSecurityGroups"}),
        ({"SubnetIds": "subnet-1,subnet-2", "SecurityGroupIds": "sg-1"}, set()),
    ],
)
def test_parameters_that_need_others_are_refused_without_them(parameters: dict[str, Any], refused: set[str]) -> None:
    assert Stack(**parameters).refused() == refused


@pytest.mark.parametrize(("chosen", "lambdas"), [("DEBUG", "DEBUG"), ("INFO", "INFO"), ("WARN", "INFO"), ("ERROR", "INFO")])
def test_metrics_are_told_whatever_is_logged(chosen: str, lambdas: str) -> None:
    """They are printed without a level, which Lambda takes for INFO and leaves out above it."""
    for about in Stack(LogLevel=chosen).functions().values():
        assert about["LoggingConfig"]["ApplicationLogLevel"] == lambdas
        assert about["Environment"]["POWERTOOLS_LOG_LEVEL"] == chosen


def test_the_api_is_throttled_and_logs_neither_bodies_nor_users(stack: Stack) -> None:
    (about,) = stack.of("AWS::ApiGatewayV2::Stage").values()
    assert about["DefaultRouteSettings"]["ThrottlingRateLimit"] == 50
    assert about["DefaultRouteSettings"]["ThrottlingBurstLimit"] == 100
    logged = json.loads(about["AccessLogSettings"]["Format"])
    told = {"requestId", "requestTime", "routeKey", "status", "responseLatency", "integrationLatency", "responseLength"}
    assert set(logged.values()) == {f"$context.{name}" for name in told | {"authorizer.error", "error.messageString"}}


def test_what_fails_for_good_is_kept(stack: Stack) -> None:
    queues = {name: about for name, about in stack.of("AWS::SQS::Queue").items() if name.endswith("DeadLetters")}
    assert set(queues) == {f"{name}DeadLetters" for name in ("Index", "Reconcile", "Plan", "Night")}
    assert all(about["SqsManagedSseEnabled"] and about["MessageRetentionPeriod"] == 14 * 86_400 for about in queues.values())
    stream = stack.functions()["index"]["Events"]["Stream"]["Properties"]
    assert stream["DestinationConfig"] == {"OnFailure": {"Destination": "IndexDeadLetters.Arn"}}
    schedule = stack.functions()["reconcile"]["Events"]["EveryTenMinutes"]["Properties"]
    assert schedule["DeadLetterConfig"] == {"Arn": "ReconcileDeadLetters.Arn"}
    assert schedule["ScheduleExpression"] == "rate(10 minutes)"


def test_alarms_tell_somebody(stack: Stack) -> None:
    alarms = stack.of("AWS::CloudWatch::Alarm")
    expected = (
        "Errors WorkErrors Throttles WorkThrottles ApiErrors IteratorAge IndexDeadLetters ReconcileDeadLetters "
        "PlanDeadLetters NightDeadLetters NightErrors PendingAge DomainRed DomainStorage"
    )
    assert set(alarms) == {f"{name}Alarm" for name in expected.split()}
    assert all(about["AlarmActions"] == ["Alarms"] for about in alarms.values())
    for what in ("Errors", "Throttles"):
        watched = [
            [each["MetricStat"]["Metric"] for each in alarms[name]["Metrics"] if "MetricStat" in each]
            for name in (f"{what}Alarm", f"Work{what}Alarm")
        ]
        assert all(len(metrics) <= 10 for metrics in watched)  # an alarm takes no more
        assert {each["MetricName"] for metrics in watched for each in metrics} == {what}
        functions = [each["Dimensions"][0]["Value"] for metrics in watched for each in metrics]
        assert sorted(functions) == sorted(f"{name.title()}Function" for name in FUNCTIONS if name != "interceptor")
    assert not stack.of("AWS::SNS::Subscription")
    assert Stack(AlarmEmail="me@example.com").of("AWS::SNS::Subscription")["AlarmMail"]["Endpoint"] == "me@example.com"


def test_the_dashboard_can_be_read(stack: Stack) -> None:
    (about,) = stack.of("AWS::CloudWatch::Dashboard").values()
    assert len(json.loads(about["DashboardBody"])["widgets"]) == 9


@pytest.mark.parametrize("name", template()["Parameters"])
def test_every_parameter_is_described_bounded_grouped_and_used(name: str) -> None:
    about = template()["Parameters"][name]
    assert about["Description"].endswith(".")
    bounds = {"AllowedValues"} & about.keys() or {"AllowedPattern"} & about.keys() or {"MinValue", "MaxValue"} <= about.keys()
    assert bounds or about["Type"] == "CommaDelimitedList"
    assert "Default" in about
    groups = template()["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    assert [name in group["Parameters"] for group in groups].count(True) == 1
    text = (ROOT / "template.yaml").read_text("utf-8")
    assert re.search(rf"!Ref {name}\b|\$\{{{name}\}}", text)


def test_a_key_is_never_a_parameter() -> None:
    assert not [name for name, about in template()["Parameters"].items() if "NoEcho" in about]
    assert "SecretString" not in (ROOT / "template.yaml").read_text("utf-8")


@pytest.mark.parametrize("layer", ["dependencies", "claude", "tracing", "mcp"])
def test_layers_are_pinned_with_hashes_to_what_was_tested(layer: str) -> None:
    pins = pinned((ROOT / "layers" / layer / "requirements.txt").read_text("utf-8"))
    tested = pinned((ROOT / "requirements-dev.txt").read_text("utf-8"))
    assert all("--hash=sha256:" in about for about in pins.values())
    other = {name: (version(about), version(tested[name])) for name, about in pins.items() if name in tested}
    assert {name for name, (here, there) in other.items() if not here & there} == set()


def pinned(text: str) -> dict[str, str]:
    """Each package with all that is said of it; one pinned twice, for older Pythons, with both."""
    found: dict[str, str] = {}
    for block in re.split(r"\n(?=\S)", text):
        name = block.partition("==")[0]
        found[name] = found.get(name, "") + block
    return found


def version(about: str) -> set[str]:
    return set(re.findall(r"==([^\s;]+)", re.sub(r";[^\\]*", " ", about)))

"""What `template.yaml` says of functions, routes and the stream, as far as the cloud in a box runs it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from cloud.batches import Source
from cloud.invoking import Handler
from cloud.queue import QueueSource

PATH = Path(__file__).parent.parent / "template.yaml"
Resource = Mapping[str, Any]


@dataclass(frozen=True)
class Function:
    """A function: its name, which is that of its folder, and where its handler is.

    `parts`: what it is built of, by the names of the template: itself, then its layers.
    """

    name: str
    module: str
    attribute: str
    parts: tuple[str, ...] = ()

    def handler(self) -> Handler:
        """The handler itself; what it imports is imported now."""
        found: Handler = getattr(import_module(self.module), self.attribute)
        return found


@dataclass(frozen=True)
class Route:
    """What answers a request: `POST /import` and the like; `scopes`: of which its caller's token needs one.

    `is_open`: whether it is answered without a token.
    """

    key: str
    function: Function
    scopes: tuple[str, ...] = ()
    is_open: bool = False


class Template:
    """The template, read."""

    def __init__(self, path: Path = PATH) -> None:
        whole = yaml.load(path.read_text("utf-8"), _Loader)
        self._resources: Mapping[str, Resource] = whole["Resources"]
        self._defaults = {name: about["Default"] for name, about in whole["Parameters"].items()}
        self._conditions: Resource = whole["Conditions"]
        self._global: Resource = whole["Globals"]["Function"]
        named = dict(self._of("AWS::Serverless::Function"))
        self._functions = {name: self._function(name, about["Properties"]) for name, about in named.items()}
        events = {
            (self._functions[name].name, event["Type"]): (event["Properties"], about["Properties"])
            for name, about in named.items()
            for event in about["Properties"].get("Events", {}).values()
        }
        self._sources = {name: Source.of(event) for (name, kind), (event, _) in events.items() if kind == "DynamoDB"}
        self._queues = {name: self._queue(*abouts) for (name, kind), abouts in events.items() if kind == "SQS"}

    @property
    def functions(self) -> dict[str, Function]:
        """Every function by its name."""
        return {function.name: function for function in self._functions.values()}

    @property
    def sources(self) -> dict[str, Source]:
        """How the stream of the table comes to functions, by their names."""
        return self._sources

    @property
    def queue_sources(self) -> dict[str, QueueSource]:
        """How the messages of a queue come to functions, by their names."""
        return self._queues

    @property
    def routes(self) -> dict[str, Route]:
        """Every route by its key: its target is an integration, and that leads to a function."""
        return {
            route.key: route
            for _, about in self._of("AWS::ApiGatewayV2::Route")
            for route in [self._route(about["Properties"])]
        }

    def _queue(self, event: Resource, function: Resource) -> QueueSource:
        return QueueSource(
            batch_size=event["BatchSize"],
            most_at_once=self._by_default(event["ScalingConfig"]["MaximumConcurrency"]),
            partial="ReportBatchItemFailures" in event.get("FunctionResponseTypes", ()),
            seconds=self._by_default(function["Timeout"]),
        )

    def _by_default(self, value: Any) -> Any:
        return self._defaults[value["Ref"]] if isinstance(value, dict) else value

    def _route(self, about: Resource) -> Route:
        integration = about["Target"]["Sub"].removeprefix("integrations/${").removesuffix("}")
        function = _name(self._resources[integration]["Properties"]["IntegrationUri"])
        scopes, is_open = tuple(about.get("AuthorizationScopes", ())), about["AuthorizationType"] == "NONE"
        return Route(about["RouteKey"], self._functions[function], scopes, is_open)

    def _function(self, name: str, about: Resource) -> Function:
        folder = Path(about["CodeUri"])
        module, attribute = about.get("Handler", self._global["Handler"]).rsplit(".", 1)
        layers = [self._chosen(layer)["Ref"] for layer in (*self._global["Layers"], *about.get("Layers", ()))]
        there = (layer for layer in layers if layer != "AWS::NoValue")
        return Function(folder.name, ".".join([*folder.parts, module]), attribute, (name, *there))

    def _chosen(self, value: Resource) -> Resource:
        """What `!If [A, x, y]` comes to by the parameters' defaults, where A is `!Equals` of two values."""
        if "If" not in value:
            return value
        condition, yes, no = value["If"]
        left, right = map(self._by_default, self._conditions[condition]["Equals"])
        chosen: Resource = yes if left == right else no
        return chosen

    def _of(self, kind: str) -> Iterator[tuple[str, Resource]]:
        return ((name, about) for name, about in self._resources.items() if about["Type"] == kind)


class _Loader(yaml.SafeLoader):
    """Reads `!Ref x` and its like as `{"Ref": x}`."""


def _tagged(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        return {tag: loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {tag: loader.construct_sequence(node, deep=True)}
    assert isinstance(node, yaml.MappingNode)
    return {tag: loader.construct_mapping(node, deep=True)}


_Loader.add_multi_constructor("!", _tagged)


def _name(value: Any) -> str:
    """The resource that a value of `!GetAtt Name.Arn` means."""
    found: str = value["GetAtt"].partition(".")[0]
    return found

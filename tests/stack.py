"""`template.yaml` as CloudFormation would make it for some parameters: conditions decided, values filled in."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
_NOTHING = {"Ref": "AWS::NoValue"}
_NAME = re.compile(r"\$\{([\w.:]+)\}")


class _Loader(yaml.CSafeLoader):
    """Reads `!Sub x` as `{"Fn::Sub": x}`, as the long form has it."""


def _tagged(loader: yaml.CSafeLoader, tag: str, node: yaml.Node) -> dict[str, Any]:
    name = tag if tag in ("Ref", "Condition") else f"Fn::{tag}"
    if isinstance(node, yaml.ScalarNode):
        return {name: loader.construct_scalar(node)}
    assert isinstance(node, yaml.SequenceNode)
    return {name: loader.construct_sequence(node, deep=True)}


_Loader.add_multi_constructor("!", _tagged)


@cache
def template() -> dict[str, Any]:
    """The template as it is written."""
    whole: dict[str, Any] = yaml.load((ROOT / "template.yaml").read_text("utf-8"), _Loader)
    return whole


class Stack:
    """The resources for some parameters, the others as they are by default.

    What only AWS can know stays readable: a resource is its name, an attribute `Name.Attribute`, a text keeps `${Name}`.
    """

    def __init__(self, **parameters: str | int) -> None:
        declared = template()["Parameters"]
        assert parameters.keys() <= declared.keys()
        self._values = {name: parameters.get(name, about.get("Default")) for name, about in declared.items()}
        for name, about in declared.items():
            if about["Type"] == "CommaDelimitedList":
                self._values[name] = str(self._values[name]).split(",")
        self._global = self._filled(template()["Globals"]["Function"])
        there = {name: about for name, about in template()["Resources"].items() if self._wanted(about)}
        self.resources: dict[str, Any] = {name: self._filled(about) for name, about in there.items()}

    def of(self, kind: str) -> dict[str, Any]:
        """The properties of the resources of a type, by name."""
        found = {name: about for name, about in self.resources.items() if about["Type"] == kind}
        return {name: about.get("Properties", {}) for name, about in found.items()}

    def functions(self) -> dict[str, Any]:
        """The properties of every function by its folder's name, with what is set for all of them."""
        return {
            Path(about["CodeUri"]).name: {
                **self._global,
                **about,
                "Layers": self._global["Layers"] + about.get("Layers", []),
                "Environment": {**_variables(self._global), **_variables(about)},
            }
            for about in self.of("AWS::Serverless::Function").values()
        }

    def outputs(self) -> dict[str, Any]:
        """The values of the stack's outputs, by name."""
        there = {name: about for name, about in template()["Outputs"].items() if self._wanted(about)}
        return {name: self._filled(about["Value"]) for name, about in there.items()}

    def may(self, function: str) -> set[tuple[str, str]]:
        """Every action on every resource that the role of a function is allowed, by whatever policy."""
        role = str(self.functions()[function]["Role"]).removesuffix(".Arn")
        about = self.of("AWS::IAM::Role")[role]
        attached = [self.of("AWS::IAM::ManagedPolicy")[name] for name in about["ManagedPolicyArns"]]
        policies = [*attached, *about.get("Policies", [])]
        named = [
            statement
            for domain in self.of("AWS::OpenSearchService::Domain").values()
            for statement in domain["AccessPolicies"]["Statement"]
            if f"{role}.Arn" in statement["Principal"]["AWS"]
        ]
        statements = [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]] + named
        return {
            (action, resource)
            for statement in statements
            for action in statement["Action"]
            for resource in _several(statement["Resource"])
        }

    def refused(self) -> set[str]:
        """The rules that these parameters break: CloudFormation makes nothing then."""
        return {
            name
            for name, rule in template()["Rules"].items()
            if self._holds(rule["RuleCondition"]) and not all(self._holds(one["Assert"]) for one in rule["Assertions"])
        }

    def _wanted(self, about: Mapping[str, Any]) -> bool:
        return "Condition" not in about or self._holds(about["Condition"])

    def _holds(self, condition: Any) -> bool:
        if isinstance(condition, str):
            return self._holds(template()["Conditions"][condition])
        ((kind, operands),) = condition.items()
        if kind == "Condition":
            return self._holds(operands)
        if kind == "Fn::Equals":
            left, right = (self._filled(operand) for operand in operands)
            return str(left) == str(right)
        if kind == "Fn::EachMemberEquals":
            members, wanted = (self._filled(operand) for operand in operands)
            return all(member == wanted for member in members)
        if kind == "Fn::Not":
            return not self._holds(operands[0])
        assert kind == "Fn::And"
        return all(self._holds(operand) for operand in operands)

    def _filled(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._filled(item) for item in value if self._chosen(item) != _NOTHING]
        if not isinstance(value, dict):
            return value
        if len(value) == 1 and next(iter(value)).startswith(("Ref", "Fn::")):
            return self._function(value)
        return {key: self._filled(item) for key, item in value.items() if self._chosen(item) != _NOTHING}

    def _chosen(self, value: Any) -> Any:
        """What a value comes to when its `Fn::If`s are decided."""
        while isinstance(value, dict) and "Fn::If" in value:
            condition, yes, no = value["Fn::If"]
            value = yes if self._holds(condition) else no
        return value

    def _function(self, value: dict[str, Any]) -> Any:
        ((kind, operand),) = value.items()
        if kind == "Ref":
            return self._values.get(operand, operand)
        if kind == "Fn::GetAtt":
            return operand
        if kind == "Fn::If":
            return self._filled(self._chosen(value))
        if kind == "Fn::Sub":
            text, more = operand if isinstance(operand, list) else (operand, {})
            return self._text(text, {name: self._filled(item) for name, item in more.items()})
        if kind == "Fn::Join":
            return operand[0].join(self._filled(operand[1]))
        if kind == "Fn::FindInMap":
            mapping, first, second = (self._filled(part) for part in operand)
            return template()["Mappings"][mapping][str(first)][second]
        return value  # Select and Split of the stack's id

    def _text(self, text: str, more: Mapping[str, Any]) -> str:
        def put(match: re.Match[str]) -> str:
            found = more.get(match[1], self._values.get(match[1]))
            return match[0] if found is None or isinstance(found, dict) else str(found)

        return _NAME.sub(put, text)


def _variables(about: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = about.get("Environment", {}).get("Variables", {})
    return found


def _several(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]

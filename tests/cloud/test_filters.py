"""Filter criteria: what the service's documentation says of each rule."""

import json
from typing import Any

import pytest

from cloud.filters import passes, patterns

RECORD = {
    "eventName": "MODIFY",
    "userIdentity": {"type": "Service"},
    "dynamodb": {"Keys": {"item": {"S": "memory#1"}}, "SizeBytes": 90, "NewImage": {"version": {"N": "3"}}},
}


def item(rule: Any) -> dict[str, Any]:
    return {"dynamodb": {"Keys": {"item": {"S": [rule]}}}}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ({"eventName": ["INSERT", "MODIFY"]}, True),
        ({"eventName": ["REMOVE"]}, False),
        ({"eventName": ["MODIFY"], "awsRegion": ["x"]}, False),
        (item({"prefix": "memory#"}), True),
        (item({"prefix": "audit#"}), False),
        (item({"suffix": "#1"}), True),
        (item({"anything-but": ["memory#1"]}), False),
        (item({"anything-but": {"prefix": "usage#"}}), True),
        (item({"equals-ignore-case": "MEMORY#1"}), True),
        ({"dynamodb": {"SizeBytes": [{"numeric": [">", 50, "<=", 90]}]}}, True),
        ({"dynamodb": {"SizeBytes": [{"numeric": [">", 90]}]}}, False),
        ({"dynamodb": {"NewImage": {"version": {"N": [3]}}}}, False),
        ({"dynamodb": {"NewImage": {"version": {"N": ["3"]}}}}, True),
        ({"dynamodb": {"OldImage": {"version": {"N": [{"exists": False}]}}}}, True),
        ({"dynamodb": {"NewImage": {"version": {"N": [{"exists": True}]}}}}, True),
        ({"dynamodb": {"OldImage": {"version": {"N": [{"anything-but": ["3"]}]}}}}, False),
    ],
)
def test_a_rule(pattern: dict[str, Any], expected: bool) -> None:
    assert passes(RECORD, patterns({"Filters": [{"Pattern": json.dumps(pattern)}]})) is expected


def test_one_pattern_is_enough_and_none_lets_all_pass() -> None:
    assert passes(RECORD, [{"eventName": ["REMOVE"]}, {"eventName": ["MODIFY"]}])
    assert passes(RECORD, patterns(None))


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="wildcard"):
        passes(RECORD, [item({"wildcard": "*"})])

"""The key of Claude out of Secrets Manager, as moto plays it."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from aws_lambda_powertools.utilities import parameters
from moto import mock_aws

from commonplace.adapters.claude.clients import read_secret
from commonplace.ports.values import ModelUnavailable

pytestmark = pytest.mark.integration


def forget() -> None:
    """Drops what Powertools holds on to."""
    parameters.clear_caches()  # type: ignore[no-untyped-call]


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, value in {"REGION": "eu-central-1", "ACCESS_KEY_ID": "x", "SECRET_ACCESS_KEY": "x"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    with mock_aws():
        forget()
        yield boto3.client("secretsmanager")
        forget()


def test_a_secret_is_its_whole_text(secrets: Any) -> None:
    arn = secrets.create_secret(Name="key", SecretString="sk-made-up")["ARN"]
    assert read_secret(arn) == "sk-made-up"


def test_a_secret_is_asked_for_once_in_a_while_only(secrets: Any) -> None:
    arn = secrets.create_secret(Name="key", SecretString="first")["ARN"]
    assert read_secret(arn) == "first"
    secrets.put_secret_value(SecretId=arn, SecretString="second")
    assert read_secret(arn) == "first"
    forget()
    assert read_secret(arn) == "second"


@pytest.mark.parametrize("text", [None, " \n"])
def test_a_secret_that_is_missing_not_filled_or_empty_is_a_misconfiguration(secrets: Any, text: str | None) -> None:
    arns = ["arn:aws:secretsmanager:eu-central-1:123456789012:secret:missing-abcdef"] if text is None else []
    arns.append(secrets.create_secret(Name="key", **({} if text is None else {"SecretString": text}))["ARN"])
    for arn in arns:
        with pytest.raises(ModelUnavailable) as caught:
            read_secret(arn)
        assert caught.value.misconfigured

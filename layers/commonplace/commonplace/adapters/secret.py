"""A secret out of Secrets Manager, cached: a new version of it holds within minutes, without a deployment."""

from functools import partial

from commonplace.errors import require_extra
from commonplace.ports import ModelUnavailable

_SECONDS = 300


def read_secret(arn: str) -> str:
    """The secret's text. Raises `ModelUnavailable` when it can't be read, as a misconfiguration."""
    require_extra("aws", "the key of Claude is configured as a secret of AWS")
    from aws_lambda_powertools.utilities import parameters

    try:
        found = parameters.get_secret(arn, max_age=_SECONDS)
    except parameters.exceptions.GetParameterError as error:
        raise ModelUnavailable("the secret with Claude's key can't be read", misconfigured=True) from error
    if not isinstance(found, str) or not found.strip():
        raise ModelUnavailable("the secret with Claude's key is empty", misconfigured=True)
    return found


def secret_reader(arn: str) -> partial[str]:
    """Reads that secret, each time it is called."""
    return partial(read_secret, arn)

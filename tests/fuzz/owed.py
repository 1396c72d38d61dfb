"""What every answer owes, whatever was asked."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from commonplace import CommonplaceError
from commonplace.contract.manifest import rows
from commonplace.domain.errors import ErrorCode

MARK = "Quillfeather"
"""A word of what users say: it stands in memories and texts that are sent, and in no name. Errors never tell it."""
_OF_THE_WHOLE = re.compile("must be (a JSON|an) object|^file: |^line [0-9]+: ")  # then no field of it is at fault


def check_refusal(error: CommonplaceError) -> None:
    """The error has a code that tells the caller what to do, names a field where one is at fault, and quotes no memory."""
    check_error(error.code.status, error.body())


def check_error(status: int, body: Mapping[str, Any]) -> None:
    """The same of an error as ways in that speak HTTP have it."""
    told = body["error"]
    assert told["code"] != ErrorCode.INTERNAL.label, told
    assert status < 500 or told["code"] == ErrorCode.STORAGE_UNAVAILABLE.label, told
    assert status != 400 or told["code"] == "invalid_json" or told["field"] or _OF_THE_WHOLE.search(told["message"]), told
    assert not quotes_memory(body), told


def quotes_memory(told: object) -> bool:
    """Whether what users said stands in it."""
    return MARK.lower() in json.dumps(told, ensure_ascii=False, default=str).lower()


def check_answer(tool: str, answer: Mapping[str, Any]) -> None:
    """The answer is valid by the tool's own schema, and can be sent."""
    json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()
    _reader(tool).validate(answer)


@cache
def _reader(tool: str) -> Draft202012Validator:
    schema: Any = next(row["output_schema"] for row in rows() if row["name"] == tool)
    return Draft202012Validator(schema)

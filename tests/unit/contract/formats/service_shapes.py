"""What an AWS service would refuse in a request, as far as its published model tells.

botocore itself checks types, unknown and missing members and lower limits; the model also has upper limits, patterns and
closed lists of values, which the service checks and botocore does not.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import botocore.session
from botocore.model import ServiceModel
from botocore.validate import ParamValidator


@cache
def model(service: str) -> ServiceModel:
    return botocore.session.get_session().get_service_model(service)


def faults(service: str, operation: str, arguments: Mapping[str, Any]) -> list[str]:
    """Everything that is wrong with the arguments of an operation."""
    shape = model(service).operation_model(operation).input_shape
    assert shape is not None
    report = ParamValidator().validate(arguments, shape)
    return [report.generate_report()] if report.has_errors() else list(_beyond_limits(arguments, shape, operation))


def _beyond_limits(value: Any, shape: Any, path: str) -> Iterator[str]:
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        for name, inner in value.items():
            yield from _beyond_limits(inner, shape.members[name], f"{path}.{name}")
    elif shape.type_name == "list":
        for number, inner in enumerate(value):
            yield from _beyond_limits(inner, shape.member, f"{path}[{number}]")
    elif shape.type_name == "map":
        for key, inner in value.items():
            yield from _beyond_limits(key, shape.key, f"{path}.{key}")
            yield from _beyond_limits(inner, shape.value, f"{path}.{key}")
    if isinstance(value, str | list | dict) and len(value) > shape.metadata.get("max", len(value)):
        yield f"{path}: {len(value)} is more than {shape.metadata['max']}"
    if isinstance(value, str):
        if not re.fullmatch(shape.metadata.get("pattern", "(?s).*"), value):
            yield f"{path}: does not match {shape.metadata['pattern']}"
        if value not in shape.metadata.get("enum", [value]):
            yield f"{path}: is none of {shape.metadata['enum']}"

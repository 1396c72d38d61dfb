"""The typed dictionaries of the client are the models of the requests, field for field."""

import inspect
from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from pydantic import BaseModel

import commonplace
from commonplace import Commonplace
from commonplace.client import arguments
from commonplace.contract.registry import TOOLS
from commonplace.domain import fields, requests, transfer

TYPED = {name: kind for name, kind in vars(arguments).items() if is_typeddict(kind)}

NESTED = [
    (tool.name, field, kind)
    for tool in TOOLS
    for field, kind in get_type_hints(tool.request).items()
    if any(inspect.isclass(part) and issubclass(part, BaseModel) for part in (kind, *get_args(kind)))
]


def model_of(name: str) -> type[BaseModel]:
    room = next(room for room in (requests, transfer, fields) if hasattr(room, name))
    model: type[BaseModel] = getattr(room, name)
    return model


def in_python(kind: Any) -> Any:
    """The type that a caller may give for a field of a model."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is datetime:
        return datetime | str
    if inspect.isclass(kind) and issubclass(kind, BaseModel):
        return TYPED[kind.__name__]
    if origin is list:
        return Sequence[in_python(inner[0])]  # type: ignore[misc]
    if origin in (Union, UnionType):
        return reduce(or_, map(in_python, inner))
    return kind


@pytest.mark.parametrize("name", TYPED)
def test_it_has_the_fields_of_the_model_with_their_types(name: str) -> None:
    kinds = get_type_hints(model_of(name))
    expected = {field: in_python(kinds[field]) for field in model_of(name).model_fields}
    assert get_type_hints(TYPED[name]) == expected


@pytest.mark.parametrize("name", TYPED)
def test_it_requires_what_the_model_requires(name: str) -> None:
    required = {field for field, told in model_of(name).model_fields.items() if told.is_required()}
    assert TYPED[name].__required_keys__ == required
    assert inspect.getdoc(TYPED[name]) == inspect.getdoc(model_of(name))


@pytest.mark.parametrize(("tool", "field", "kind"), NESTED)
def test_a_method_takes_it_where_its_tool_takes_the_model(tool: str, field: str, kind: Any) -> None:
    assert get_type_hints(getattr(Commonplace, tool))[field] == in_python(kind)


def test_they_are_public() -> None:
    assert set(TYPED) <= set(commonplace.__all__)
    assert all(getattr(commonplace, name) is kind for name, kind in TYPED.items())

"""The table of expressions: each row is one, and names only rows that there are."""

import tomllib
from importlib.resources import files

import pytest

from commonplace.text.redaction import vocabulary
from commonplace.text.redaction.vocabulary import compiled, expression

TABLE = tomllib.loads(files(vocabulary.__package__).joinpath("expressions.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", [f"{section}.{row}" for section, rows in TABLE.items() for row in rows])
def test_each_row_is_an_expression_without_holes(name: str) -> None:
    assert compiled(name).pattern == expression(name)
    assert not any(f"{{{section}." in expression(name) for section in TABLE)


def test_an_unknown_row_is_an_error() -> None:
    with pytest.raises(KeyError):
        expression("locks.nothing")

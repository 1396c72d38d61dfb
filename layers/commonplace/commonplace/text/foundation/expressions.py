"""Tables of words and regular expressions, stored in the package that uses them."""

import re
import tomllib
from importlib.resources import files
from typing import Any

from commonplace.domain.loading import loaded_once

_ROW = re.compile(r"\{(\w+\.\w+)\}")


def read_table(package: str, name: str) -> dict[str, Any]:
    """Return a TOML file of a package."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


table_of = loaded_once(read_table)
"""Return a TOML file of a package, which is read once."""


class Expressions:
    """The table `expressions.toml` of a package. The lines of a row are joined. `{section.row}` inserts another row.

    The file is read on first use. An unknown row raises KeyError.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._texts: dict[str, str] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def expression(self, name: str) -> str:
        """Return the row `section.row`, as part of another expression."""
        if name not in self._texts:
            section, row = name.split(".")
            joined = "".join(table_of(self._package, "expressions.toml")[section][row].splitlines())
            self._texts[name] = _ROW.sub(lambda named: self.expression(named[1]), joined)
        return self._texts[name]

    def compiled(self, name: str) -> re.Pattern[str]:
        """Return the row `section.row` as a pattern."""
        pattern = self._patterns.get(name)
        if pattern is None:
            pattern = self._patterns[name] = re.compile(self.expression(name))
        return pattern

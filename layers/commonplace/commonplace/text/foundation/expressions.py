"""Load tables of words and regular expressions from the package that uses them."""

import re
import tomllib
from importlib.resources import files
from typing import Any

from commonplace.domain.loading import loaded_once

_ROW = re.compile(r"\{(\w+\.\w+)\}")


def read_table(package: str, name: str) -> dict[str, Any]:
    """Return the parsed TOML file `name` of a package."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


table_of = loaded_once(read_table)
"""Return the parsed TOML file of a package, which is read once per process."""


class Expressions:
    """The regular expressions in a package's `expressions.toml`. Inside a row, `{section.row}` inserts another row.

    The file is read on first use, and the lines of each row are joined. An unknown row raises KeyError.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._texts: dict[str, str] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def expression(self, name: str) -> str:
        """Return a row as text for use inside another expression. `name` has the form "section.row"."""
        if name not in self._texts:
            section, row = name.split(".")
            joined = "".join(table_of(self._package, "expressions.toml")[section][row].splitlines())
            self._texts[name] = _ROW.sub(lambda named: self.expression(named[1]), joined)
        return self._texts[name]

    def compiled(self, name: str) -> re.Pattern[str]:
        """Return a row as a compiled pattern. `name` has the form "section.row"."""
        pattern = self._patterns.get(name)
        if pattern is None:
            pattern = self._patterns[name] = re.compile(self.expression(name))
        return pattern

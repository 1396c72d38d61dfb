"""A standing wish that is told of the user ("The user wants all answers in French"), by its wording."""

import functools
import re
import tomllib
from importlib.resources import files

_USER = r"\b(?:the )?user"


def is_standing_wish(text: str) -> bool:
    """Whether it says how the user wants to be answered or addressed from now on, and not what they want done once."""
    return _wishes().search(text.strip().replace("’", "'")) is not None


@functools.cache
def _wishes() -> re.Pattern[str]:
    table = tomllib.loads((files(__package__) / "standing.toml").read_text(encoding="utf-8"))
    lines = "|".join(f"(?:{line})" for line in table.pop("wishes").splitlines() if line)
    for name, listed in {**table, "user": _USER}.items():
        lines = lines.replace(f"{{{name}}}", "|".join(line for line in listed.splitlines() if line))
    return re.compile(lines, re.IGNORECASE)

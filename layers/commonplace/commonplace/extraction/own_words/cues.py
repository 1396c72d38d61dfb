"""The wordings that announce foreign words, in each language, read on first use."""

import re
import tomllib
from functools import cache
from importlib.resources import files

_SLOT = re.compile(r"\{([a-z_]+)\}")


@cache
def cue(name: str) -> re.Pattern[str]:
    """All wordings of that name in `cues.toml`, of whatever language, as one pattern that minds no capitals."""
    table = tomllib.loads((files(__package__) / "cues.toml").read_text("utf-8"))
    wordings = [
        _filled(wording, table["any"]["words"] | row["words"]) for row in table.values() for wording in row.get(name, [])
    ]
    return re.compile("|".join(f"(?:{wording})" for wording in wordings), re.IGNORECASE | re.MULTILINE)


def _filled(wording: str, words: dict[str, str]) -> str:
    return _SLOT.sub(lambda slot: f"(?:{words[slot[1]]})", wording)

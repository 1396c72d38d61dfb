"""Text that talks to whoever reads it: instructions to the extraction, and attempts to steer what is remembered."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from unicodedata import normalize

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]")
_BLANKS = re.compile(r"\s+")


def is_instruction_to_reader(text: str) -> bool:
    """Whether any of it orders the reader about or dictates memories, in whatever language it is.

    What a user asks for about themselves is none: "remember that I …", "forget what I said", "always answer in French".
    The time is linear in the length of the text.
    """
    plain = _BLANKS.sub(" ", _INVISIBLE.sub("", normalize("NFKC", text)).replace("’", "'"))
    return _wordings().search(plain) is not None


@cache
def _wordings() -> re.Pattern[str]:
    table = tomllib.loads((files(__package__) / "injections.toml").read_text("utf-8"))
    wordings = [wording for key, row in table.items() if key != "words" for wording in row]
    for name, words in table["words"].items():
        wordings = [wording.replace(f"{{{name}}}", f"(?:{words})") for wording in wordings]
    return re.compile("|".join(f"(?:{wording})" for wording in wordings), re.IGNORECASE)

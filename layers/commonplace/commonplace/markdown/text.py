"""A memory's text as a piece of one line of Markdown that shows it as it is, and back, letter by letter."""

import re

# HTML, entities, and images: nothing is fetched by looking at a page.
_MARKUP = re.compile(r"\\|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<=!)\[")
_FIRST = re.compile(r"\A(\d{1,9}(?=[.)])|(?=[#>+*~`|=\[_-]))")  # what would begin a block
_EDGES = re.compile(r"\A\s+|\s+\Z")
_LINE_ENDS = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")  # whatever some program takes for one
_WRITTEN = re.compile(r"\\([!-/:-@\[-`{-~])|&#(\d{1,7});|<br ?/?>")
_SURROGATES = range(0xD800, 0xE000)


def written(text: str) -> str:
    """The text with its markup escaped, line breaks as `<br>`, and blanks at either end as entities."""
    shown = _FIRST.sub(r"\1\\", _MARKUP.sub(r"\\\g<0>", text))
    shown = _EDGES.sub(lambda blanks: "".join(char if char == "\n" else _entity(char) for char in blanks[0]), shown)
    return _LINE_ENDS.sub(lambda end: _entity(end[0]), shown).replace("\n", "<br>")


def read(shown: str) -> str:
    """The text that was written so, or that a person typed."""
    return _WRITTEN.sub(_meant, shown)


def _entity(char: str) -> str:
    return f"&#{ord(char)};"


def _meant(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    if not found[2]:
        return "\n"
    code = int(found[2])
    return found[0] if code > 0x10FFFF or code in _SURROGATES else chr(code)

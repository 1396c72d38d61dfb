"""Notes as statements: each bullet and each paragraph of a Markdown text, with its line and the heading over it."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

_BULLET = re.compile(r"\s*(?:[-*+]|(?P<number>\d+)[.)])\s+(?P<said>.*)")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(?P<title>.*?)(?:\s+#+)?\s*$")
_FENCE = re.compile(r"\s*(```(?!.*`)|~~~)")
_TASK = re.compile(r"\[[ xX-]\]\s+")
_RULE = re.compile(r"\s*([-*_]\s*){3,}$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FIELD = re.compile(r"(?P<name>[\w-]+):(?:\s+(?P<value>.*?))?\s*$")
_MARK, _MOST_DIGITS = "---", 5
_BLOCK = re.compile(r"[|>][+-]?\d?")  # a text over several lines begins below

CODE, COMMENT, HEADING = "code between fences", "a comment", "a heading that no memory needs"
SECOND_HEAD, EMPTY_NOTE = "a second front matter", "the front matter of a note that says nothing"
Leave = Callable[[int, str, Any], None]
"""Is called with the line, the reason and the words of what is left out."""


def _ignore(_line: int, _reason: str, _said: Any) -> None:
    """Counts nothing."""


def statements(text: str, leave: Leave = _ignore) -> Iterator[tuple[int, str, str]]:
    """Line, heading and words of each bullet and each paragraph; code between fences is none."""
    heading, under, begun, said, code, listed_last = "", 0, 0, list[str](), list[str](), 0
    for comment in _COMMENT.finditer(text):
        leave(text.count("\n", 0, comment.start()) + 1, COMMENT, comment[0])
    lines = [*_COMMENT.sub(lambda found: " " + "\n" * found[0].count("\n"), text).split("\n"), ""]
    for number, line in enumerate(lines, 1):
        fence, title, bullet = _FENCE.match(line), _HEADING.match(line), _BULLET.match(line)
        rule = _RULE.match(line) is not None
        ends = bool(fence or title or bullet) or not line.strip() or bool(code) or rule
        if ends and said:
            yield begun, heading, " ".join(said)
            said, under = [], 0
        if fence or code:
            code.append(line)
            if (fence and len(code) > 1) or number == len(lines):
                leave(number + 1 - len(code), CODE, "\n".join(code))
                code = []
        elif title:
            if under:
                leave(under, HEADING, heading)
            heading, under, listed_last = title["title"], number, 0
        elif bullet and not rule:
            begun, words = number, _TASK.sub("", bullet["said"], count=1).strip()
            if bullet["number"] and len(bullet["number"]) < _MOST_DIGITS and int(bullet["number"]) in (0, 1, listed_last + 1):
                listed_last = int(bullet["number"])
            elif bullet["number"]:  # "1984. A good year." counts nothing
                words = line.strip()
            said = [words] if words else []
        elif not ends:
            begun, said = (begun if said else number), [*said, line.strip()]
    if under:
        leave(under, HEADING, heading)


def front_matter(text: str, leave: Leave = _ignore) -> tuple[dict[str, Any], str]:
    """The fields between `---` at the head of a note, and the rest with its lines where they were.

    Read are names with a text, with a list in brackets, or with items, fields or further lines on the lines after them. A
    second block of fields right behind the first, as a sync may leave it, is skipped.
    """
    lines = text.split("\n")
    fields, end = _head(lines, 0)
    begins = end
    while begins:
        while end < len(lines) and not lines[end].strip():
            end += 1
        begins, (_, end) = end, _head(lines, end, strict=True)
        if end == begins:
            break
        leave(begins + 1, SECOND_HEAD, "\n".join(lines[begins:end]))
    return fields, "\n" * end + "\n".join(lines[end:])


def _head(lines: Sequence[str], begins: int, *, strict: bool = False) -> tuple[dict[str, Any], int]:
    """The fields of a block that begins at this line, and the line behind it; the same line if none begins there.

    `strict`: each line is a field, an item or indented.
    """
    block = [line.strip() for line in lines[begins:]]
    end = block.index(_MARK, 1) if block[:1] == [_MARK] and _MARK in block[1:] else 0
    fields: dict[str, Any] = {}
    name = ""
    for line in lines[begins + 1 : begins + end]:
        found, bullet = _FIELD.match(line), _BULLET.match(line)
        if found:
            name, value = found["name"], _value(found["value"] or "")
            fields[name] = [*_several(fields[name]), *_several(value)] if name in fields else value
        elif line.lstrip().startswith("#"):
            fields["comment"] = [*_several(fields.get("comment")), line.strip()]
        elif (line.strip() and not name) or (strict and not bullet and not line.startswith((" ", "\t"))):
            return {}, begins  # text between two rules
        elif line.strip():
            fields[name] = [*_several(fields[name]), _unquoted(bullet["said"]) if bullet else line.strip()]
    return (fields, begins + end + 1) if name else ({}, begins)


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value and not _BLOCK.fullmatch(value) else []


def listed(fields: Mapping[str, Any], name: str) -> list[str]:
    """A field that is a list, or a text with commas."""
    value = fields.get(name) or []
    return value if isinstance(value, list) else [one.strip() for one in str(value).split(",")]


def digest(content: Any) -> str:
    """Twelve characters by which a statement is known again in a store that gives it no id."""
    return hashlib.sha256(" ".join(str(content).casefold().split()).encode(errors="replace")).hexdigest()[:12]


def _value(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return [_unquoted(one) for one in text[1:-1].split(",") if one.strip()]
    return _unquoted(text)


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text

"""Notes as statements: each bullet and each paragraph of a Markdown text, with its line and the heading over it."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?P<said>.*)")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(?P<title>.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_TASK = re.compile(r"\[[ xX-]\]\s+")
_RULE = re.compile(r"\s*([-*_]\s*){3,}$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FIELD = re.compile(r"(?P<name>[\w-]+):\s*(?P<value>.*?)\s*$")
_MARK = "---"


def statements(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, heading and words of each bullet and each paragraph; code between fences is none."""
    heading, begun, said, fenced = "", 0, list[str](), False
    lines = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text).split("\n")
    for number, line in enumerate([*lines, ""], 1):
        fence, title, bullet = _FENCE.match(line), _HEADING.match(line), _BULLET.match(line)
        ends = bool(fence or title or bullet) or not line.strip() or fenced or _RULE.match(line) is not None
        if ends and said:
            yield begun, heading, " ".join(said)
            said = []
        if fence:
            fenced = not fenced
        elif title and not fenced:
            heading = title["title"]
        elif bullet and not fenced and not _RULE.match(line):
            begun, said = number, [_TASK.sub("", bullet["said"], count=1).strip()]
        elif not ends:
            begun, said = (begun if said else number), [*said, line.strip()]


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The fields between `---` at the head of a note, and the rest with its lines where they were.

    Read are names with a text, with a list in brackets, or with one item, or one field of its own, on each line after them.
    """
    lines = text.split("\n")
    if lines[0].strip() != _MARK or _MARK not in (line.strip() for line in lines[1:]):
        return {}, text
    end = next(number for number, line in enumerate(lines[1:], 1) if line.strip() == _MARK)
    fields: dict[str, Any] = {}
    name = ""
    for line in lines[1:end]:
        found, bullet = _FIELD.match(line), _BULLET.match(line)
        if found:
            name, fields[found["name"]] = found["name"], _value(found["value"])
        elif name and (bullet or _FIELD.match(line.lstrip())):
            before = fields[name] if isinstance(fields[name], list) else []
            fields[name] = [*before, _unquoted(bullet["said"]) if bullet else line.strip()]
    return fields, "\n" * (end + 1) + "\n".join(lines[end + 1 :])


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

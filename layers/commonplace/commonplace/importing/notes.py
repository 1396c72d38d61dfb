"""Read notes from basic-memory, from the `/memories` folder of Claude's memory tool, and from plain Markdown or text."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from commonplace.domain.imports import ForeignFact, RefusedEntry, Unread, merged_fields
from commonplace.domain.taxonomy import Source as Who
from commonplace.importing.entries import OTHER_PARTS, objects, refusal, unused_fields
from commonplace.importing.sources import Source, Text

_BULLET = re.compile(r"\s*(?:[-*+]|(?P<number>\d+)[.)])\s+(?P<said>.*)")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(?P<title>.*?)(?:\s+#+)?\s*$")
_FENCE = re.compile(r"\s*(```(?!.*`)|~~~)")
_TASK = re.compile(r"\[[ xX-]\]\s+")
_RULE = re.compile(r"\s*([-*_]\s*){3,}$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FIELD = re.compile(r"(?P<name>[\w-]+):(?:\s+(?P<value>.*?))?\s*$")
_MARK, _MOST_DIGITS = "---", 5
_BLOCK = re.compile(r"[|>][+-]?\d?")  # starts a multi-line text

CLAUDE_MEMORY, _PROJECTS = "conversations_memory", "project_memories"
_BOLD_HEADING = re.compile(r"^\*\*([^*\n]+)\*\*:?[ \t]*", re.MULTILINE)
CODE, COMMENT, HEADING = "code between fences", "a comment", "a heading that no memory needs"
SECOND_HEAD, EMPTY_NOTE = "a second front matter", "the front matter of a note that says nothing"
Leave = Callable[[int, str, Any], None]
"""A callback that receives the line, the reason and the text of each skipped passage."""

# "[00:12:31] ..." in a transcript and "[>] ..." in a task list are not categories.
OBSERVATION = re.compile(r"\[(?!\d+:\d\d|[\W_xX]\])(?P<category>[^\[\]()\s][^\[\]()]*)\]\s+(?P<said>\S.*)")
_RELATION = re.compile(r"(?P<kind>[^\[\]]*?)\s*\[\[(?P<target>[^\]]+)\]\]\s*(?:\((?P<context>[^()]*)\))?\s*$")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")
_TAGS = re.compile(r"(?:(?<!\S)#\S+\s*)+$")
_NO_TAG = re.compile(r"\d+|(?=.*\d)(?:[0-9a-f]{3}){1,2}", re.IGNORECASE)  # matches numbers (PR #812) and colours (#ff8800)
_SECTIONS = ("observations", "relations")
_ELEMENT = re.compile(r"</?[A-Za-z][^<>]*>")
ELEMENT = "an element of XML"
_TIMES = ("created_at", "created", "date")
_MARKDOWN = (".md", ".markdown")
Facts = Iterator[ForeignFact | RefusedEntry | Unread]
Statement = tuple[str, dict[str, Any], list[str]]
"""The text, the fields and the tags of a statement."""
ReadStatement = Callable[[str, str, str], Statement]
"""A function that receives the title of a note, a heading and a text, and returns a statement."""


def read_markdown(source: Source) -> Facts:
    """Yield a statement for each bullet and paragraph in the notes, with the tags of the note."""
    for text in source.texts(*_MARKDOWN, ".txt"):
        yield from _read_note(text, "user", _build_plain_fact) if isinstance(text, Text) else [text]


def read_anthropic_memory(source: Source) -> Facts:
    """Yield the statements in files that an agent wrote (text or XML), or in the `memories.json` of an export from Claude."""
    if not source.is_folder and source.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"[", b"{")):
        yield from _parse_claude_memories(source)
        return
    for text in source.texts():
        if isinstance(text, Text) and text.name.lower().endswith(".xml"):
            yield from (Unread(text.name, ELEMENT, element) for element in _ELEMENT.findall(text.text) if element[1] != "/")
            text = Text(text.name, _ELEMENT.sub("\n", text.text), text.changed)
        yield from _read_note(text, "agent", _build_plain_fact) if isinstance(text, Text) else [text]


def _parse_claude_memories(source: Source) -> Facts:
    for entry in objects(source.json):
        if not isinstance(entry, Mapping):
            yield from refusal("entry", entry)
            continue
        projects = entry.get(_PROJECTS)
        named = {CLAUDE_MEMORY: entry.get(CLAUDE_MEMORY), **(projects if isinstance(projects, Mapping) else {})}
        texts = {name: text for name, text in named.items() if isinstance(text, str)}
        for name, text in texts.items():
            yield from _read_note(Text(name, _BOLD_HEADING.sub(r"## \1\n", text), source.changed), "agent", _build_plain_fact)
        yield from unused_fields(entry, CLAUDE_MEMORY, _PROJECTS)
        yield from (Unread(name, OTHER_PARTS, value) for name, value in named.items() if value and name not in texts)


def read_basic_memory(source: Source) -> Facts:
    """Yield observations with category, tags and context, relations as sentences, and all other text in the notes."""
    for text in source.texts(*_MARKDOWN):
        yield from _read_note(text, "user", _build_basic_fact) if isinstance(text, Text) else [text]


def _read_note(text: Text, source: Who, read: ReadStatement) -> Facts:
    """Yield the statements and the skipped passages in a note."""
    left, sections = list[Unread](), set[str]()

    def leave(line: int, reason: str, statement: Any) -> None:
        left.append(Unread(f"{text.name}, line {line}", reason, statement))

    fields, body = front_matter(text.text, leave)
    title = str(fields.get("title") or text.name.rpartition("/")[2].rpartition(".")[0])
    written = next((name for name in _TIMES if fields.get(name)), "")
    facts = list(statements(body, leave))
    for line, heading, statement in facts:
        content, more, tags = read(title, heading, statement)
        if "heading" not in more and heading not in sections:
            leave(line, HEADING, heading)
            sections.add(heading)
        ours = {"tags", "permalink", written, *(["title"] if read is _build_basic_fact else [])}
        extra = {name: value for name, value in fields.items() if name not in ours}
        yield ForeignFact(
            where=f"{text.name}, line {line}",
            name=f"{fields.get('permalink') or text.name}#{digest(content)}",
            content=content,
            tags=[*tags, *listed(fields, "tags")],
            times={"created_at": fields.get(written) or text.changed},
            source=source,
            extra=merged_fields(more, {"file": text.name}, extra),
        )
    if not facts:
        leave(1, EMPTY_NOTE, fields)
    yield from left


def _build_plain_fact(_title: str, heading: str, statement: str) -> Statement:
    return statement, {"heading": heading}, []


def _build_basic_fact(title: str, heading: str, statement: str) -> Statement:
    """Return the statement in a relation, an observation or other text of a basic-memory note."""
    relation, observation = _RELATION.fullmatch(statement), OBSERVATION.fullmatch(statement)
    is_section = heading.casefold() in _SECTIONS and bool(relation or observation)
    more: dict[str, Any] = {} if is_section else {"heading": heading}
    if relation:
        statement = f"{title} {relation['kind'].strip().replace('_', ' ') or 'relates to'} {relation['target']}."
        return statement, {"context": relation["context"], **more}, ["relation"]
    if not observation:
        return statement, {"note": title, **more}, []
    statement, context = observation["said"], _CONTEXT.search(observation["said"])
    statement = statement[: context.start()] if context else statement
    trailing = _TAGS.search(statement)  # tags stay in the text; numbers and colours aren't tags
    tags = [tag.rstrip(".,;:!?") for tag in re.split(r"[#\s]+", trailing[0])] if trailing else []
    tags = [tag for tag in tags if tag and not _NO_TAG.fullmatch(tag)]
    more = {"note": title, "context": context["context"] if context else None, **more}
    return statement, more, [observation["category"].strip(), *tags]


def statements(text: str, leave: Leave = lambda *_: None) -> Iterator[tuple[int, str, str]]:
    """Yield the line number, heading and text of each bullet and paragraph. Fenced code is skipped."""
    heading, under, begun, paragraph, code, listed_last = "", 0, 0, list[str](), list[str](), 0
    for comment in _COMMENT.finditer(text):
        leave(text.count("\n", 0, comment.start()) + 1, COMMENT, comment[0])
    lines = [*_COMMENT.sub(lambda match: " " + "\n" * match[0].count("\n"), text).split("\n"), ""]
    for number, line in enumerate(lines, 1):
        fence, title, bullet = _FENCE.match(line), _HEADING.match(line), _BULLET.match(line)
        rule = _RULE.match(line) is not None
        ends = bool(fence or title or bullet) or not line.strip() or bool(code) or rule
        if ends and paragraph:
            yield begun, heading, " ".join(paragraph)
            paragraph, under = [], 0
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
            elif bullet["number"]:  # "1984. A good year." isn't a list item
                words = line.strip()
            paragraph = [words] if words else []
        elif not ends:
            begun, paragraph = (begun if paragraph else number), [*paragraph, line.strip()]
    if under:
        leave(under, HEADING, heading)


def front_matter(text: str, leave: Leave = lambda *_: None) -> tuple[dict[str, Any], str]:
    """Return the fields between `---` at the start of a note, and the rest of the note with unchanged line numbers.

    The value of a field is a text, a list in brackets, or the items, fields or lines after the name. A second block of fields
    directly after the first, which a sync can leave behind, is skipped. A block after a heading is skipped only if all names
    are in lower case, because "Note: ..." between two horizontal rules is text.
    """
    lines = text.split("\n")
    fields, end = _parse_head(lines, 0)
    at, titled = end, False
    while at < len(lines):
        more, after = _parse_head(lines, at, strict=True) if end or titled else ({}, at)
        if after > at and not (titled and any(name[0].isupper() for name in more)):
            leave(at + 1, SECOND_HEAD, "\n".join(lines[at:after]))
            lines[at:after] = [""] * (after - at)
        elif lines[at].strip() and not _HEADING.match(lines[at]):
            break
        titled = titled or bool(lines[at].strip())
        at = max(after, at + 1)
    return fields, "\n" * end + "\n".join(lines[end:])


def _parse_head(lines: Sequence[str], begins: int, *, strict: bool = False) -> tuple[dict[str, Any], int]:
    """Return the fields of the block that starts at line `begins`, and where the text continues. A note may have no block.

    If `strict` is true, every line in a block must be a field, an item or indented.
    """
    marks = range(begins + 1, len(lines) if lines[begins].strip() == _MARK else 0)
    end = next((at for at in marks if lines[at].strip() == _MARK), begins)
    fields: dict[str, Any] = {}
    name = ""
    for line in lines[begins + 1 : end]:
        match, bullet = _FIELD.match(line), _BULLET.match(line)
        if match:
            name, value = match["name"], _parse_value(match["value"] or "")
            fields[name] = [*_list_values(fields[name]), *_list_values(value)] if name in fields else value
        elif line.lstrip().startswith("#"):
            fields["comment"] = [*_list_values(fields.get("comment")), line.strip()]
        elif (line.strip() and not name) or (strict and not bullet and not line.startswith((" ", "\t"))):
            return {}, begins  # text between two horizontal rules
        elif line.strip():
            fields[name] = [*_list_values(fields[name]), _strip_quotes(bullet["said"]) if bullet else line.strip()]
    return (fields, end + 1) if name else ({}, begins)


def _list_values(value: Any) -> list[Any]:
    """Return a field's value as a list. An empty value, or a mark that starts a multi-line text, gives an empty list."""
    return value if isinstance(value, list) else [value] if value and not _BLOCK.fullmatch(value) else []


def listed(fields: Mapping[str, Any], name: str) -> list[str]:
    """Return a field's values as a list. If the field contains a text, it is split at commas."""
    value = fields.get(name) or []
    return value if isinstance(value, list) else [item.strip() for item in str(value).split(",")]


def digest(content: Any) -> str:
    """Return a twelve-character hash that identifies a statement from a store without ids."""
    return hashlib.sha256(" ".join(str(content).casefold().split()).encode(errors="replace")).hexdigest()[:12]


def _parse_value(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return [_strip_quotes(item) for item in text[1:-1].split(",") if item.strip()]
    return _strip_quotes(text)


def _strip_quotes(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text

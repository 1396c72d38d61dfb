"""Folders of notes: basic-memory's Markdown, the `/memories` of Claude's memory tool, and anybody's plain notes."""

import re
from collections.abc import Iterator
from typing import Any

from commonplace.domain.imports import ForeignFact, RefusedEntry
from commonplace.domain.taxonomy import Source as Who
from commonplace.importing.sources import Source, Text
from commonplace.importing.statements import digest, front_matter, listed, statements

OBSERVATION = re.compile(r"\[(?P<category>[^\[\]()\s][^\[\]()]*)\]\s+(?P<said>\S.*)")
_RELATION = re.compile(r"(?P<kind>[^\[\]]*?)\s*\[\[(?P<target>[^\]]+)\]\]\s*(?:\((?P<context>[^()]*)\))?\s*$")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")
_TAG = re.compile(r"(?<!\S)#(?P<tag>[^\s#]+)")
_ELEMENT = re.compile(r"</?[A-Za-z][^<>]*>")
_OURS = {"title", "tags", "created", "date", "created_at", "permalink"}
_MARKDOWN = (".md", ".markdown")
Facts = Iterator[ForeignFact | RefusedEntry]


def read_markdown(source: Source) -> Facts:
    """A statement of each bullet and paragraph, with the tags of the note."""
    for text in source.texts(*_MARKDOWN, ".txt"):
        yield from [text] if isinstance(text, RefusedEntry) else _plain(text, "user")


def read_anthropic_memory(source: Source) -> Facts:
    """The same of all text files, which an agent wrote; of XML what stands between the elements."""
    for text in source.texts():
        if isinstance(text, RefusedEntry):
            yield text
        elif text.name.lower().endswith(".xml"):
            yield from _plain(Text(text.name, _ELEMENT.sub("\n", text.text), text.changed), "agent")
        else:
            yield from _plain(text, "agent")


def read_basic_memory(source: Source) -> Facts:
    """Observations with category, tags and context; relations as sentences; and what else a note says."""
    for text in source.texts(*_MARKDOWN):
        if isinstance(text, RefusedEntry):
            yield text
            continue
        fields, body = front_matter(text.text)
        title = str(fields.get("title") or text.name.rpartition("/")[2].rpartition(".")[0])
        for line, heading, said in statements(body):
            relation, observation = _RELATION.fullmatch(said), OBSERVATION.fullmatch(said)
            if relation:
                kind = relation["kind"].strip().replace("_", " ") or "relates to"
                more = {"context": relation["context"]}
                yield _fact(text, fields, line, f"{title} {kind} {relation['target']}.", more, ["relation"], "user")
            elif observation:
                yield _observation(text, fields, line, title, observation)
            else:
                yield _fact(text, fields, line, said, {"note": title, "heading": heading}, [], "user")


def _observation(text: Text, fields: dict[str, Any], line: int, title: str, found: re.Match[str]) -> ForeignFact:
    said, context = found["said"], _CONTEXT.search(found["said"])
    said = said[: context.start()] if context else said
    tags = [one["tag"] for one in _TAG.finditer(said)]
    more = {"note": title, "context": context["context"] if context else None}
    return _fact(text, fields, line, _TAG.sub("", said).strip(), more, [found["category"].strip(), *tags], "user")


def _plain(text: Text, who: Who) -> Iterator[ForeignFact]:
    fields, body = front_matter(text.text)
    for line, heading, said in statements(body):
        yield _fact(text, fields, line, said, {"heading": heading}, [], who)


def _fact(
    text: Text, fields: dict[str, Any], line: int, said: str, more: dict[str, Any], tags: list[str], who: Who
) -> ForeignFact:
    written = fields.get("created_at") or fields.get("created") or fields.get("date")
    rest = {name: value for name, value in fields.items() if name not in _OURS}
    return ForeignFact(
        where=f"{text.name}, line {line}",
        name=f"{fields.get('permalink') or text.name}#{digest(said)}",
        content=said,
        tags=[*tags, *listed(fields, "tags")],
        times={"created_at": written or text.changed},
        source=who,
        rest={**more, "file": text.name, **rest},
    )

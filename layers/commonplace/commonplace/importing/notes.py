"""Folders of notes: basic-memory's Markdown, the `/memories` of Claude's memory tool, and anybody's plain notes."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from commonplace.domain.imports import ForeignFact, RefusedEntry, Unread, merged_fields
from commonplace.domain.taxonomy import Source as Who
from commonplace.importing.sources import Source, Text
from commonplace.importing.statements import EMPTY_NOTE, HEADING, digest, front_matter, listed, statements

# "[00:12:31] ..." of a transcript and "[>] ..." of a list of tasks have no category.
OBSERVATION = re.compile(r"\[(?!\d+:\d\d|[\W_xX]\])(?P<category>[^\[\]()\s][^\[\]()]*)\]\s+(?P<said>\S.*)")
_RELATION = re.compile(r"(?P<kind>[^\[\]]*?)\s*\[\[(?P<target>[^\]]+)\]\]\s*(?:\((?P<context>[^()]*)\))?\s*$")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")
_TAGS = re.compile(r"(?:(?<!\S)#\S+\s*)+$")
_NO_TAG = re.compile(r"\d+|(?=.*\d)(?:[0-9a-f]{3}){1,2}", re.IGNORECASE)  # PR #812, #ff8800
_SECTIONS = ("observations", "relations")
_ELEMENT = re.compile(r"</?[A-Za-z][^<>]*>")
ELEMENT = "an element of XML"
_TIMES = ("created_at", "created", "date")
_OURS = {"tags", "permalink"}
_MARKDOWN = (".md", ".markdown")
Facts = Iterator[ForeignFact | RefusedEntry | Unread]


def read_markdown(source: Source) -> Facts:
    """A statement of each bullet and paragraph, with the tags of the note."""
    for text in source.texts(*_MARKDOWN, ".txt"):
        yield from _plain(text, "user") if isinstance(text, Text) else [text]


def read_anthropic_memory(source: Source) -> Facts:
    """The same of all text files, which an agent wrote; of XML what stands between the elements."""
    for text in source.texts():
        if not isinstance(text, Text):
            yield text
        elif text.name.lower().endswith(".xml"):
            for element in _ELEMENT.findall(text.text):
                if not element.startswith("</"):
                    yield Unread(text.name, ELEMENT, element)
            yield from _plain(Text(text.name, _ELEMENT.sub("\n", text.text), text.changed), "agent")
        else:
            yield from _plain(text, "agent")


def read_basic_memory(source: Source) -> Facts:
    """Observations with category, tags and context; relations as sentences; and what else a note says."""
    for text in source.texts(*_MARKDOWN):
        yield from _basic_note(text) if isinstance(text, Text) else [text]


def _basic_note(text: Text) -> Facts:
    note, sections = _Note(text, "user"), dict[str, int]()
    title = str(note.fields.get("title") or text.name.rpartition("/")[2].rpartition(".")[0])
    for line, heading, said in note.statements():
        relation, observation = _RELATION.fullmatch(said), OBSERVATION.fullmatch(said)
        more, tags = dict[str, Any](note=title), list[str]()
        if relation:
            said = f"{title} {relation['kind'].strip().replace('_', ' ') or 'relates to'} {relation['target']}."
            more, tags = {"context": relation["context"]}, ["relation"]
        elif observation:
            said, category = observation["said"], observation["category"].strip()
            context = _CONTEXT.search(said)
            said = said[: context.start()] if context else said
            more, tags = {**more, "context": context["context"] if context else None}, [category, *_trailing_tags(said)]
        if heading.casefold() not in _SECTIONS or not (relation or observation):
            more["heading"] = heading
        else:
            sections.setdefault(heading, line)
        yield note.fact(line, said, more, tags, but=frozenset({"title"}))
    yield from note.left
    for heading, line in sections.items():
        yield Unread(f"{text.name}, above line {line}", HEADING, heading)


def _trailing_tags(said: str) -> list[str]:
    """The tags at the end of an observation; they stay in its text, and a number or a colour is none."""
    found = _TAGS.search(said)
    tags = [tag.rstrip(".,;:!?") for tag in re.split(r"[#\s]+", found[0])] if found else []
    return [tag for tag in tags if tag and not _NO_TAG.fullmatch(tag)]


def _plain(text: Text, who: Who) -> Facts:
    note = _Note(text, who)
    for line, heading, said in note.statements():
        yield note.fact(line, said, {"heading": heading})
    yield from note.left


class _Note:
    """A note with the fields at its head, its statements, and what is left out of it."""

    def __init__(self, text: Text, who: Who) -> None:
        self.text, self.who, self.left = text, who, list[Unread]()
        self.fields, self.body = front_matter(text.text, self._leave)

    def _leave(self, line: int, reason: str, said: Any) -> None:
        self.left.append(Unread(f"{self.text.name}, line {line}", reason, said))

    def statements(self) -> Iterator[tuple[int, str, str]]:
        """Line, heading and words of each; of a note without any its fields are left out."""
        number = 0
        for number, found in enumerate(statements(self.body, self._leave), 1):  # noqa: B007 - how many there were
            yield found
        if not number:
            self._leave(1, EMPTY_NOTE, self.fields)

    def fact(
        self, line: int, said: str, more: dict[str, Any], tags: Sequence[str] = (), but: frozenset[str] = frozenset()
    ) -> ForeignFact:
        """A statement of the note. `but`: fields that it has already."""
        written = next((name for name in _TIMES if self.fields.get(name)), "")
        rest = {name: value for name, value in self.fields.items() if name not in _OURS | but | {written}}
        return ForeignFact(
            where=f"{self.text.name}, line {line}",
            name=f"{self.fields.get('permalink') or self.text.name}#{digest(said)}",
            content=said,
            tags=[*tags, *listed(self.fields, "tags")],
            times={"created_at": self.fields.get(written) or self.text.changed},
            source=self.who,
            rest=merged_fields(more, {"file": self.text.name}, rest),
        )

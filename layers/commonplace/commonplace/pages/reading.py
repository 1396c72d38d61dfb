"""Parse a page entry by entry. A page has Commonplace's header, but may otherwise have been edited in any way."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from commonplace.domain.taxonomy import Section
from commonplace.pages import page as texts
from commonplace.pages.page import HEADINGS, Page, PageEntry, title_of

OPENING = "<!-- commonplace page 1"
CLOSING = "<!-- end of the page -->"
_HEADER = re.compile(rf"\ufeff?\s*{OPENING}[^\S\n]*\n(.*?)\n-->(.*)", re.DOTALL)
_FACT = re.compile(r"(owner|sum): (\w+)")
_LISTED = re.compile(r"([\w.-]+) v(\d{1,9})")
_ID = re.compile(r"(?<! ) *+(?<!\\)<!-- ([\w.-]+) v(\d{1,9}) -->")
_LONGEST_ID = 200  # characters of the comment with an id
_HEADING = re.compile(r" {0,3}(#{1,6}) +(.*)")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?: +(.*))?")
_KEY = re.compile(r"\*\*([\w.-]{1,64})\*\*:(?: +|$)")
_SECTIONS = {heading.casefold(): section for section, heading in HEADINGS.items()}


def parse(name: str, page: str) -> Page | None:
    """Return the parsed page, or None for a file without Commonplace's complete header, which is not a page."""
    header = _HEADER.fullmatch(page.replace("\r\n", "\n").replace("\r", "\n"))
    if header is None:
        return None
    head = [line.rstrip(" \t") for line in header[1].split("\n")]
    facts = {match[1]: match[2] for line in head if (match := _FACT.fullmatch(line))}
    listed = {match[1]: int(match[2]) for line in head if (match := _LISTED.fullmatch(line))}
    body = _BodyParser(title_of(name), number=header.string.count("\n", 0, header.start(2)) + 1)
    for line in header[2].split("\n"):
        body.take(line.rstrip(" \t"))
    body.drop_cut_entry()
    lines = tuple(item.line() for item in body.items)
    return Page(
        name=name,
        owner=facts.get("owner", ""),
        listed=listed,
        lines=lines,
        unread=tuple(body.unread),
        whole=body.whole,
        edited=facts.get("sum") != digest(listed, lines, body.unread.values(), body.whole),
    )


def digest(listed: Mapping[str, int], lines: Iterable[PageEntry], unread: Iterable[str] = (), whole: bool = True) -> str:
    """Return a digest of a page's content, which doesn't depend on an editor's layout."""
    content = [[line.text, line.key, line.section, line.memory_id, line.version] for line in lines]
    parts = json.dumps([dict(listed), content, list(unread), whole])
    return hashlib.sha256(parts.encode("utf-8")).hexdigest()[:16]


def _strip_closing(heading: str) -> str:
    """Return a heading without the closing `#` characters at its end."""
    bare = heading.rstrip("#")
    return bare.rstrip(" ") if bare.endswith(" ") else heading


@dataclass
class _ParsedItem:
    number: int
    section: Section | None
    parts: list[str]
    closed: bool = False
    """Whether the id, which ends the item, was read."""

    def take(self, part: str) -> None:
        """Append a part, and check whether the item's id is now complete. An editor may have wrapped a line inside an id."""
        self.parts.append(part)
        self.closed = self.closed or _ID.search("".join(self.parts[-4:])[-_LONGEST_ID - len(part) :]) is not None

    @property
    def joined(self) -> str:
        """The parts read so far as one text, including the id."""
        return "".join(self.parts)

    def line(self) -> PageEntry:
        """Return the item as an entry. If a person has joined two entries, the first id counts."""
        whole = self.joined
        match = _ID.search(whole)
        shown = _ID.sub("", whole).strip(" \t")
        key = _KEY.match(shown)
        return PageEntry(
            text=texts.unescape(shown[key.end() :] if key else shown),
            key=key[1] if key else None,
            section=self.section,
            memory_id=match[1] if match else None,
            version=int(match[2]) if match else None,
            number=self.number,
        )


@dataclass
class _BodyParser:
    """Parses the part of a page below the header, line by line. `number` is the number of the next line."""

    title: str
    number: int
    section: Section | None = None
    items: list[_ParsedItem] = field(default_factory=list)
    unread: dict[int, str] = field(default_factory=dict)
    whole: bool = False
    open: bool = False

    def take(self, line: str) -> None:
        """Read the next line. A line that is not a heading, an entry or a continuation is added to `unread`."""
        item = _ITEM.fullmatch(line)
        if item and (not self.open or len(item[1].expandtabs()) < 2):
            self.items.append(_ParsedItem(self.number, self.section, []))
            self.items[-1].take(item[2] or "")
            self.open = True
        elif line.strip() == CLOSING:
            self.whole, self.section, self.open = True, None, False
        elif heading := _HEADING.fullmatch(line):
            self._read_heading(len(heading[1]), _strip_closing(heading[2]), line)
        elif not line.strip():
            self.open = False
        elif self.open and (line[0] in " \t" or not self.items[-1].closed):
            # A line wrapped by an editor continues up to its id; a list inside an entry retains its lines.
            self.items[-1].take(("<br>" if item else " ") + line.strip())
        else:
            self.unread[self.number] = line
        self.number += 1

    def drop_cut_entry(self) -> None:
        """Drop the entry where the page was cut off."""
        if not self.whole and self.open and not self.items[-1].closed:
            cut = self.items.pop()
            self.unread[cut.number] = cut.joined

    def _read_heading(self, level: int, heading: str, line: str) -> None:
        """Set the current section. A heading of level 3 or deeper keeps it, and an unknown heading counts as unread."""
        self.open = False
        named = _SECTIONS.get(heading.casefold())
        if named or level <= 2:
            self.section = named
        if named is None and heading != self.title:
            self.unread[self.number] = line

"""Parsed pages, the names of pages, and the conversion of a memory's text to and from a line of Markdown."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import get_args

from commonplace.domain.fields import local_day
from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import Section
from commonplace.ports.values import Caller
from commonplace.text.foundation.characters import undisguised

# HTML, entities, and images, because viewing a page must not fetch anything.
_MARKUP = re.compile(r"\\|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<=!)\[")
_FIRST = re.compile(r"\A(\d{1,9}(?=[.)])|(?=[#>+*~`|=\[_-]))")  # would start a Markdown block
_EDGES = re.compile(r"\A\s+|(?<!\s)\s+\Z")  # the lookbehind prevents quadratic time on long runs of blanks
_LINE_ENDS = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")  # all characters that some program treats as a line end
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&#(\d{1,7});|<br ?/?>")
_SURROGATES = range(0xD800, 0xE000)
MAIN = "MEMORY.md"
HEADINGS: dict[Section, str] = {name: name.replace("_", " ").capitalize() for name in get_args(Section)}
_DAY = re.compile(r"memory/(\d{4}-\d{2}-\d{2})\.md")


def escape(text: str) -> str:
    """Escape Markdown, and write line breaks as `<br>` and blanks at either end as entities."""
    shown = _FIRST.sub(r"\1\\", _MARKUP.sub(r"\\\g<0>", text))
    shown = _EDGES.sub(lambda blanks: "".join(char if char == "\n" else f"&#{ord(char)};" for char in blanks[0]), shown)
    return _LINE_ENDS.sub(lambda end: f"&#{ord(end[0])};", shown).replace("\n", "<br>")


def text_of(memory: Memory) -> str:
    """Return a memory's text as it appears on a page, without invisible characters."""
    return undisguised(memory.content)


def unescape(shown: str) -> str:
    """Return the text of an escaped line, or of a line typed by a person."""
    return _ESCAPED.sub(_unescape_match, shown)


def _unescape_match(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    if not match[2]:
        return "\n"
    code = int(match[2])
    return match[0] if code > 0x10FFFF or code in _SURROGATES else chr(code)


@dataclass(frozen=True)
class PageEntry:
    """An entry on a page. `section` belongs to the heading above the entry. `number` is the line on the page, from 1.

    `memory_id` and `version` are None if a person has added the entry.
    """

    text: str
    key: str | None
    section: Section | None
    memory_id: str | None
    version: int | None
    number: int


@dataclass(frozen=True)
class Page:
    """A parsed page. `listed` maps the ids of all memories that were written to the page to their versions.

    `unread` contains the numbers of lines that are not entries. `whole` is False if the page was cut off. `edited` is True if
    the content has changed since the page was written.
    """

    name: str
    owner: str
    listed: Mapping[str, int]
    lines: tuple[PageEntry, ...]
    unread: tuple[int, ...]
    whole: bool
    edited: bool

    @property
    def day(self) -> date | None:
        """The day of a page of daily notes, or None for the main page."""
        return day_of(self.name)


def owner_hash(user_id: str) -> str:
    """Return a hash that stands for the user id in folders and pages, so that these don't expose the id."""
    return hashlib.sha256(user_id.encode("utf-8")).hexdigest()[:32]


def page_name(memory: Memory, zone: tzinfo) -> str:
    """Return the name of a memory's page. For a daily note, the name contains the event date in the user's time zone."""
    return MAIN if memory.durability == "durable" else f"memory/{local_day(memory.happened_at, zone)}.md"


def zone_of(caller: Caller) -> tzinfo:
    """Return the time zone of the caller's clock."""
    zone = caller.now.tzinfo
    assert zone is not None
    return zone


def day_of(name: str) -> date | None:
    """Return the day of a page of daily notes, or None for the name of any other file."""
    match = _DAY.fullmatch(name)
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def title_of(name: str) -> str:
    """Return the heading of a page."""
    return str(day_of(name) or "Memory")


def is_page(name: str) -> bool:
    return name == MAIN or day_of(name) is not None


def was_moved_to(page: Page, memory: Memory, zone: tzinfo) -> bool:
    """Return whether a person has moved the memory's entry to `page` from another page."""
    if memory.memory_id in page.listed:
        return False
    if page.day is None:
        return memory.durability != "durable"
    return memory.durability == "durable" or local_day(memory.happened_at, zone) != page.day

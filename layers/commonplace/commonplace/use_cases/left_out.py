"""Count and list, by reason and without secrets, the passages that an import doesn't store as memories."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from commonplace.domain.imports import LeftOutPassage, Unread
from commonplace.text.redaction import redact

REFUSED = "refused: {}"
_WORD = re.compile(r"[^\W_]+")
_ESCAPED = re.compile(r"(\\[\\\"])|\\(?:[nrtbf]|u00[01].)")
_MACHINE = re.compile(r"(?=\S*\d)[\w.:+/=-]{8,}|[\d\s.:+/-]*")  # an id, hash, time or number
_MOST_REASONS, _OTHER_REASONS = 200, "another reason"
_MOST_PASSAGES, _MOST_CHARACTERS = 10_000, 10_000_000
_Entry = TypeVar("_Entry")


@dataclass
class LeftOutWords:
    """Counts passages by up to 200 reasons. If `listing` is true, up to 10,000 passages or 10 million characters are kept."""

    listing: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    listed_characters: int = 0
    passages: list[LeftOutPassage] = field(default_factory=list)

    def add(self, part: Unread) -> None:
        """Add a passage if it contains words."""
        if not has_words(part.content):
            return
        reason = part.reason if part.reason in self.counts or len(self.counts) < _MOST_REASONS else _OTHER_REASONS
        self.counts[reason] += 1
        if self.listing and len(self.passages) < _MOST_PASSAGES and self.listed_characters < _MOST_CHARACTERS:
            text = redact(json_text(part.content), part.before).text
            self.passages.append(LeftOutPassage(where=part.where, reason=reason, text=text))
            self.listed_characters += len(text)

    def taken(self, entries: Iterable[_Entry | Unread]) -> Iterator[_Entry]:
        """Count the entries that are passages to leave out, and yield all other entries."""
        for entry in entries:
            if isinstance(entry, Unread):
                self.add(entry)
            else:
                yield entry

    @property
    def answer_fields(self) -> dict[str, Any]:
        """The counts by reason, largest first, and the listed passages, as fields of an answer."""
        return {"left_out": dict(self.counts.most_common()), "passages": self.passages}


def has_words(value: Any) -> bool:
    """Return whether a JSON value contains a word or a number."""
    return any(_WORD.search(leaf) if isinstance(leaf, str) else isinstance(leaf, (int, float)) for leaf in leaves(value))


def is_technical(value: Any) -> bool:
    """Return whether a JSON value contains only ids, hashes, times and numbers."""
    return all(_MACHINE.fullmatch(leaf) for leaf in leaves(value) if isinstance(leaf, str))


def leaves(value: Any) -> Iterator[Any]:
    """Yield the texts, numbers and nulls in a JSON value."""
    if isinstance(value, (Mapping, list, tuple)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(part)
    elif not isinstance(value, bool):
        yield value


def words_of(text: str) -> set[str]:
    """Return the words of a text, normalized and case-folded for comparison."""
    return set(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def json_text(value: Any) -> str:
    """Return text unchanged. Return other values as JSON, with spaces instead of escaped control characters."""
    if isinstance(value, str):
        return value
    return _ESCAPED.sub(lambda match: match[1] or " ", json.dumps(value, ensure_ascii=False))

"""The stories: a user's days, what should be remembered of them, and what should not. `stories/README.md` has the format."""

import unicodedata
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from benchmarks.report import FOLDER

Half = Literal["handed", "apart"]
HALVES: tuple[Half, ...] = ("handed", "apart")
KINDS = (
    "secret", "injection", "code", "role_play", "assistant", "quote", "hypothetical", "third_party", "small_talk",
)  # fmt: skip


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Worded(_Part):
    """Something that a text tells if it holds one of the words of every group."""

    words: tuple[tuple[str, ...], ...]

    def told_by(self, text: str) -> bool:
        """Whether the text tells it; case, width and kinds of blanks don't matter."""
        plain = folded(text)
        return all(any(folded(word) in plain for word in group) for group in self.words)


class Fact(Worded):
    fact: str
    id: str = ""


class Gold(Fact):
    """A fact to be remembered, and a question for it. `replaces`: the id of the gold that it changes."""

    day: date
    question: str
    replaces: str | None = None


class Never(Worded):
    """Something that was said and must not be remembered."""

    kind: str
    text: str


class Day(_Part):
    date: date
    interactions: tuple[dict[str, Any], ...]


class Story(_Part):
    """Some consecutive days of one user. `stays`: facts that resemble changed ones and stay true."""

    name: str
    language: str
    zone: str
    days: tuple[Day, ...]
    gold: tuple[Gold, ...]
    stays: tuple[Fact, ...]
    never: tuple[Never, ...]
    forgotten: tuple[Fact, ...]

    @property
    def changes(self) -> list[tuple[Gold, Gold]]:
        """Each changed fact: as it was, as it became."""
        by_id = {gold.id: gold for gold in self.gold}
        return [(by_id[gold.replaces], gold) for gold in self.gold if gold.replaces]

    @property
    def current(self) -> list[Gold]:
        """The facts that nothing changed up to the end."""
        replaced = {gold.replaces for gold in self.gold}
        return [gold for gold in self.gold if gold.id not in replaced]


def stories(half: Half) -> list[Story]:
    """The stories of one half, by name of their files."""
    return [story(path) for path in sorted((FOLDER / "stories" / half).glob("*.json"))]


def story(path: Path) -> Story:
    """One story."""
    return Story.model_validate_json(path.read_text(encoding="utf-8"))


@lru_cache(20_000)
def folded(text: str) -> str:
    """The text as words are looked for in it."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())

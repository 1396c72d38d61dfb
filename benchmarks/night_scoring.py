"""What is counted at the end of a story, of all that its user told."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from benchmarks.night_stories import KINDS, Gold, Never, Story, Worded, folded

_Thing = TypeVar("_Thing")
FIRST = 5
"""How many of the memories found count."""


@dataclass(frozen=True)
class Remembered:
    """A memory that can be found: what it says, and the words of the user that it rests on."""

    text: str
    evidence: str = ""


@dataclass(frozen=True)
class Ending:
    """How a story ended.

    `active`: what is remembered. `ever`: the texts of all that was in the record after any night. `found`: by id of a gold,
    the texts that its question found, best first; `passing`: those of them above the default threshold of relevance.
    `values`: every text in a column of the file. `file`: its bytes, folded.
    """

    active: Sequence[Remembered]
    ever: Sequence[str]
    found: Mapping[str, Sequence[str]]
    passing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    values: Sequence[str] = ()
    file: str = ""


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    count: int = 0
    of: int = 0

    def __add__(self, other: "Share") -> "Share":
        return Share(self.count + other.count, self.of + other.of)

    @property
    def value(self) -> float | None:
        """From 0 to 1; None of nothing."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True)
class Score:
    """The counts of a story, or of several together.

    `found`: current golds that are told by one of the first five; `passing`: by one of them above the threshold. `closed`:
    changed facts, of those once remembered, that are told by no active memory any more. `renewed`: of the same, those whose
    question finds the new value and not the old. `lost`: look-alikes, of those once remembered, that no active memory tells.
    `forgotten`: of what was to be forgotten, what no active memory tells; `erased`: what isn't in a column of the file
    either. `stored`: by kind, what must not be remembered and is. `leaked`: secrets anywhere in the file.
    """

    found: Share = Share()
    passing: Share = Share()
    closed: Share = Share()
    renewed: Share = Share()
    lost: Share = Share()
    forgotten: Share = Share()
    erased: Share = Share()
    leaked: Share = Share()
    stored: Mapping[str, Share] = field(default_factory=dict)
    memories: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            found=self.found + other.found,
            passing=self.passing + other.passing,
            closed=self.closed + other.closed,
            renewed=self.renewed + other.renewed,
            lost=self.lost + other.lost,
            forgotten=self.forgotten + other.forgotten,
            erased=self.erased + other.erased,
            leaked=self.leaked + other.leaked,
            stored={kind: self.stored_of(kind) + other.stored_of(kind) for kind in KINDS},
            memories=self.memories + other.memories,
        )

    def stored_of(self, *kinds: str) -> Share:
        """What is remembered of these kinds together."""
        return sum((self.stored.get(kind, Share()) for kind in kinds), Share())


def score(story: Story, ending: Ending) -> Score:
    """The counts of one story."""
    texts = [memory.text for memory in ending.active]
    once = [(old, new) for old, new in story.changes if any(_tells_old(old, new, text) for text in ending.ever)]
    stays = [fact for fact in story.stays if any(map(fact.told_by, ending.ever))]
    secrets = [never for never in story.never if never.kind == "secret"]

    def told(gold: Gold, found: Mapping[str, Sequence[str]]) -> bool:
        return any(map(gold.told_by, found.get(gold.id, ())[:FIRST]))

    return Score(
        found=_counted(story.current, lambda gold: told(gold, ending.found)),
        passing=_counted(story.current, lambda gold: told(gold, ending.passing)),
        closed=_counted(once, lambda pair: not any(_tells_old(*pair, text) for text in texts)),
        renewed=_counted(once, lambda pair: renewed(*pair, ending.found.get(pair[1].id, ())[:FIRST])),
        lost=_counted(stays, lambda fact: not any(map(fact.told_by, texts))),
        forgotten=_counted(story.forgotten, lambda fact: not any(map(fact.told_by, texts))),
        erased=_counted(story.forgotten, lambda fact: not any(map(fact.told_by, (*texts, *ending.values)))),
        leaked=_counted(secrets, lambda never: leaks(never, ending.file)),
        stored={
            kind: _counted([one for one in story.never if one.kind == kind], lambda never: remembered(never, ending.active))
            for kind in KINDS
        },
        memories=len(ending.active),
    )


def remembered(never: Never, active: Iterable[Remembered]) -> bool:
    """Whether one memory tells what must not be remembered, by its text or by its evidence."""
    return any(never.told_by(f"{memory.text}\n{memory.evidence}") for memory in active)


def leaks(secret: Never, file: str) -> bool:
    """Whether a file (folded) holds a secret as a word or number of its own: a hash may hold any four digits."""
    return all(
        any(re.search(rf"(?<![a-z0-9]){re.escape(folded(word))}(?![a-z0-9])", file) for word in group)
        for group in secret.words
    )


def renewed(old: Worded, new: Worded, first: Sequence[str]) -> bool:
    """Whether the first memories found tell the new value and none of them the old one as if it were true."""
    return any(map(new.told_by, first)) and not any(_tells_old(old, new, text) for text in first)


def _tells_old(old: Worded, new: Worded, text: str) -> bool:
    """A text that tells both values tells of the change."""
    return old.told_by(text) and not new.told_by(text)


def _counted(things: Sequence[_Thing], holds: Callable[[_Thing], bool]) -> Share:
    return Share(sum(map(holds, things)), len(things))

"""What one user tells over years: facts of `years/*.toml` by a seed, some told again in other words, some changed."""

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.night_stories import Day, Half, Worded
from benchmarks.report import FOLDER

ZONE = ZoneInfo("Europe/Berlin")
_TOLD_A_DAY, _CHAT_A_DAY = 2, 2
_REPEATED, _CHANGED = 0.1, 0.1
_DAYS_A_TITLE = 3


@dataclass(frozen=True)
class Kind:
    """A kind of fact, with its wordings. `changed` is None where nothing changes."""

    subjects: tuple[str, ...]
    values: tuple[str, ...]
    said: str
    again: str
    asked: str
    share: int
    changed: str | None = None


@dataclass(frozen=True)
class Facts:
    """Kinds of facts, small talk that is said beside them, and topics of titles."""

    kinds: tuple[Kind, ...]
    chat: tuple[str, ...]
    topics: tuple[str, ...]


@dataclass(frozen=True)
class Told:
    """A fact that holds since it was told."""

    kind: Kind
    subject: str
    value: str

    @property
    def worded(self) -> Worded:
        """The words that any memory of it holds; that of one's home need not say so."""
        about = () if self.subject == "home" else ((self.subject,),)
        return Worded(words=(*about, (self.value,)))

    @property
    def question(self) -> str:
        """Asks for it."""
        return self.kind.asked.format(s=self.subject)

    def said(self, wording: str) -> str:
        """The fact in a wording of its kind."""
        text = wording.format(s=self.subject, v=self.value)
        return text[0].upper() + text[1:]


@dataclass
class Life:
    """A user's days from a seed. `now`: what holds; `before`: what did; `saved`: titles with their dates."""

    facts: Facts
    begun: date
    chance: random.Random = field(default_factory=lambda: random.Random(11))
    now: dict[tuple[str, str], Told] = field(default_factory=dict)
    before: list[Told] = field(default_factory=list)
    saved: dict[str, date] = field(default_factory=dict)

    def days(self, count: int) -> Iterator[Day]:
        """One after the other; what holds does so as of the day that came last."""
        for number in range(count):
            yield self._day(self.begun + timedelta(days=number))

    def _day(self, day: date) -> Day:
        said = [self._fact() for _ in range(_TOLD_A_DAY)] + self.chance.sample(self.facts.chat, _CHAT_A_DAY)
        self.chance.shuffle(said)
        messages = [
            message
            for text in said
            for message in ({"role": "user", "content": text}, {"role": "assistant", "content": "I see. What else can I do?"})
        ]
        found: list[dict[str, Any]] = [{"type": "discussion", "id": f"talk-{day}", "time": _at(day, 9), "messages": messages}]
        if (day - self.begun).days % _DAYS_A_TITLE == 0:
            title = f"{self.chance.choice(self.facts.topics).title()} notes, issue {len(self.saved) + 1:04}"
            self.saved[title] = day
            found.append({"type": "save", "id": f"save-{day}", "time": _at(day, 20), "post_title": title})
        return Day(date=day, interactions=tuple(found))

    def _fact(self) -> str:
        """A new fact, or one that holds in other words, or a change of one."""
        what = self.chance.random()
        if self.now and what < _REPEATED:
            told = self.chance.choice(list(self.now.values()))
            return told.said(told.kind.again)
        changing = [told for told in self.now.values() if told.kind.changed]
        if changing and what < _REPEATED + _CHANGED:
            return self._changed(self.chance.choice(changing))
        return self._new()

    def _new(self) -> str:
        free = [kind for kind in self.facts.kinds if any((kind.asked, subject) not in self.now for subject in kind.subjects)]
        kind = self.chance.choices(free, [kind.share for kind in free])[0]
        subject = self.chance.choice([subject for subject in kind.subjects if (kind.asked, subject) not in self.now])
        told = self.now[kind.asked, subject] = Told(kind, subject, self.chance.choice(kind.values))
        return told.said(kind.said)

    def _changed(self, old: Told) -> str:
        assert old.kind.changed
        self.before.append(old)
        value = self.chance.choice([value for value in old.kind.values if value != old.value])
        new = self.now[old.kind.asked, old.subject] = Told(old.kind, old.subject, value)
        return new.said(old.kind.changed)


def facts(half: Half) -> Facts:
    """What a file of `years/` has to tell."""
    read = tomllib.loads((FOLDER / "years" / f"{half}.toml").read_text(encoding="utf-8"))

    def listed(names: str) -> tuple[str, ...]:
        """A list of the file, or each of one with each of another."""
        return tuple(" ".join(parts) for parts in product(*(read["lists"][name].split() for name in names.split())))

    kinds = tuple(
        Kind(**{**kind, "subjects": listed(kind["subjects"]), "values": listed(kind["values"])}) for kind in read["kind"]
    )
    return Facts(kinds, tuple(read["chat"]["said"]), listed("topics"))


def _at(day: date, hour: int) -> str:
    return datetime.combine(day, time(hour), ZONE).isoformat()

"""Where a sentence goes on about the same one with another verb ("... and have a cat"), and of whom that is said."""

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from commonplace.extraction.wordings import wording

_LEAST_WORDS = 3
_HE_OR_SHE = re.compile(
    r",? (?:and|but|und|aber|et|mais|y|pero|e|mas|ma|en|maar)"
    r" (?:he|she|er|sie|il|elle|él|ella|ele|ela|lui|lei|hij|zij)(?='s| \w)",
    re.IGNORECASE,
)
_HERS = re.compile(r",? (?:and|but) (?:her|his)(?= \w)", re.IGNORECASE)
_TOPIC = re.compile(r"^[^、。は]{1,12}は")
_TE = re.compile(  # a noun and "で" may be a place too: only behind what people are, or where the place is told behind it
    r"(?P<form>[てで]いて|(?:(?<=[師員者士家生人医手婦官長子歳])|(?<=[ァ-ヶー])(?=で、[^。]*に(?:住|暮)))で|(?<=ます|です)(?:が|けど|けれど))、"
)
_WHOLE_FORM = {"ていて": "ています", "でいて": "でいます", "で": "です"}


@dataclass(frozen=True)
class Turn:
    """Where a text, read up to `start`, goes on at `end`: `whole` is what was said till then, `who` begins the rest."""

    start: int
    end: int
    whole: str
    who: str


@dataclass(frozen=True)
class _Row:
    next: re.Pattern[str]
    who: re.Pattern[str]
    never: re.Pattern[str] | None
    says: str | None

    def subject(self, part: str) -> str | None:
        """Whom a part tells of, as the rest must say it; None where that is not sure."""
        found = self.who.search(part)
        if found is None or (self.never and self.never.search(part)):
            return None
        return self.says if self.says is not None else next(filter(None, found.groups()), None)


def turns(text: str) -> Iterator[Turn]:
    """All that a text may be parted at, in no order: behind a statement that is whole, before another of the same one."""
    found = [(cut, row) for row in _rows() for cut in row.next.finditer(text)]
    for cut, row in found:
        part = text[: cut.start()].strip()
        who = row.subject(part) if len(part.split()) >= _LEAST_WORDS or "'m " in part else None
        if who is not None:
            yield Turn(cut.start(), cut.end(), part, f"{who.strip()} " if who else "")
    yield from _of_one_of_theirs(text)
    yield from _of_one_topic(text)


def _of_one_of_theirs(text: str) -> Iterator[Turn]:
    """Where it goes on with "she" or "her", which is said of the one of the household that it began with, if of no other."""
    for pattern, ending in ((_HE_OR_SHE, ""), (_HERS, "'s")):
        for cut in pattern.finditer(text):
            part = text[: cut.start()].strip()
            named = list(wording("household").finditer(part))
            if len(named) == 1 and named[0].start() == 0:
                yield Turn(cut.start(), cut.end(), part, named[0][0] + ending)


def _of_one_topic(text: str) -> Iterator[Turn]:
    """Japanese: where a clause ends in a form that another must follow; its topic is that of the rest, if that has none."""
    for cut in _TE.finditer(text):
        part, topic = text[: cut.start()], _TOPIC.match(text[: cut.start()])
        if cut["form"] != "で" or topic:
            who = topic[0] if topic and not _TOPIC.match(text[cut.end() :]) else ""
            yield Turn(cut.start(), cut.end(), f"{part}{_WHOLE_FORM.get(cut['form'], '')}。", who)


@functools.cache
def _rows() -> tuple[_Row, ...]:
    table = tomllib.loads((files(__package__) / "going_on.toml").read_text(encoding="utf-8"))

    def compiled(row: dict[str, str], key: str) -> re.Pattern[str]:
        return re.compile(row[key].replace("{verbs}", row["verbs"]), re.IGNORECASE)

    return tuple(
        _Row(compiled(row, "next"), compiled(row, "who"), compiled(row, "never") if "never" in row else None, row.get("says"))
        for row in table["rows"]
    )

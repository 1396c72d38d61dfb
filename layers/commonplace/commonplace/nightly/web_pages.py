"""Turns a web page into an interaction: a discussion if it is a transcript, else a page read."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from commonplace.domain.interactions import Discussion, Message, Page, Reaction, Role

_MARK = r"^[^\S\n]*(?:[*_#>]+[^\S\n]*)?({names})(?:[^\S\n]*[*_]+)?[^\S\n]*[:：][^\S\n]*(?:[*_]+(?=\s|$))?"
_LONGEST_TITLE = 300
_LONGEST_NAME = 128


def interaction_of(page: Page) -> Discussion | Reaction:
    """Return what the user did on a page: said the turns of a transcript, or read the title, its first line."""
    turns = turns_of(page.text)
    if turns:
        return Discussion(type="discussion", id=page.id, time=page.time, messages=turns)
    title = next(line.strip(" #\t") for line in page.text.splitlines() if any(map(str.isalnum, line)))
    return Reaction(
        type="reaction",
        id=page.id,
        time=page.time,
        post_id=(page.url or page.id)[:_LONGEST_NAME],
        reaction=f"read on {page.platform}"[:_LONGEST_NAME] if page.platform else "read",
        title=title[:_LONGEST_TITLE],
    )


def turns_of(text: str) -> tuple[Message, ...]:
    """Return the turns of a transcript that begins with a speaker and includes the user; else an empty tuple."""
    marks = list(_marks().finditer(text))
    if not marks or text[: marks[0].start()].strip():
        return ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    said = [
        Message(role=_role(mark[1]), content=text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)
    ]
    return tuple(one for one in said if one.content) if any(one.role == "user" for one in said) else ()


def _role(name: str) -> Role:
    return "user" if " ".join(name.casefold().split()) in _names()["user"] else "assistant"


@cache
def _marks() -> re.Pattern[str]:
    names = sorted((name for group in _names().values() for name in group), key=len, reverse=True)
    spelled = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in names)
    return re.compile(_MARK.format(names=spelled), re.IGNORECASE | re.MULTILINE)


@cache
def _names() -> dict[str, frozenset[str]]:
    table = tomllib.loads((files(__package__) / "speakers.toml").read_text(encoding="utf-8"))
    return {role: frozenset(names) for role, names in table.items()}

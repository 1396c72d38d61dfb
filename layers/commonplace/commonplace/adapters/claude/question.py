"""What Claude is asked: the instructions, and the statement as data."""

import functools
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

from pydantic import BaseModel

from commonplace.adapters.claude.answer import Answer


@dataclass(frozen=True)
class Question:
    """The system prompt, the one message, and the shape of the answer to it."""

    instructions: str
    message: str
    answer: type[BaseModel]


def question_about(text: str, source: str, context: str | None) -> Question:
    """Source, context and text travel as they are, each between marks that it cannot know and so cannot close."""
    parts = {"source": source, "context": context, "text": text}
    given = {name: part for name, part in parts.items() if part}
    mark = _unheard_of(given.values())
    data = "\n".join(f"<{name}-{mark}>\n{part}\n</{name}-{mark}>" for name, part in given.items())
    return Question(_instructions(), f"{data}\n\nWrite down what <text-{mark}> says, as the JSON object.", Answer)


@functools.cache
def _instructions() -> str:
    return (files("commonplace") / "prompts" / "normalize.md").read_text(encoding="utf-8")


def _unheard_of(parts: Iterable[str]) -> str:
    given = tuple(parts)
    while any((mark := secrets.token_hex(6)) in part for part in given):
        continue
    return mark

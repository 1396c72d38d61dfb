"""What Claude is asked: the instructions, and the statement as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from commonplace.adapters.claude.answer import Answer
from commonplace.instructions import instructions
from commonplace.told_as_data import told_as_data, unheard_of


@dataclass(frozen=True)
class Question:
    """The system prompt, the one message or the talk so far, and the shape of the answer if it has one.

    `max_tokens` is a cap, not a wish; models that think first count their thoughts in it.
    """

    instructions: str
    message: str | Sequence[Mapping[str, Any]]
    answer: type[BaseModel] | dict[str, Any] | None
    tools: Sequence[Mapping[str, Any]] = ()
    max_tokens: int = 4_096
    effort: Literal["low", "medium"] = "low"


def question_about(text: str, source: str, context: str | None) -> Question:
    """Source, context and text travel as they are, each between marks that it cannot know and so cannot close."""
    parts = {"source": source, "context": context, "text": text}
    given = {name: part for name, part in parts.items() if part}
    mark = unheard_of(given.values())
    data = told_as_data(given, mark)
    return Question(instructions("normalize"), f"{data}\n\nWrite down what <text-{mark}> says, as the JSON object.", Answer)

"""Arguments of tools by the names that a person types: `--importance` and not `context.force_importance`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from commonplace.errors import CommonplaceError


@dataclass(frozen=True)
class Typed:
    """How an argument is typed, what it must be, and a good value of an option."""

    name: str
    must_be: str
    example: str = ""

    def told(self, why: str) -> str:
        """Why the value is refused. A sentence of pydantic's begins with a capital and speaks of Python's types."""
        ours = why[:1].islower()
        said = f"{self.name}: {why if ours else f'must be {self.must_be}'}"
        return f"{said}, e.g. {self.name} {self.example}" if self.example and self.example not in why else said


_TEXT = Typed("TEXT", "a text of up to 8,000 characters")
_FOLDER = Typed("DIR", "a folder")
_DAY = "2026-05-20 or 2026-05-20T18:30"
_SHARED = {
    "user_id": Typed("--user", "a name", "ana"),
    "timezone": Typed("--timezone", "an IANA name", "Europe/Berlin"),
}
_NAMES: Mapping[str, Mapping[str, Typed]] = {
    "normalize": {"text": _TEXT, "context": replace(_TEXT, name="--context", example='"What is your name?"')},
    "store": {
        "content": _TEXT,
        "context.force_importance": Typed("--importance", "a whole number from 1 to 5", "4"),
        "context.additional_tags": Typed("--tag", "a word of 1 to 64 characters, 32 times at the most", "garden"),
        "context.expires_at": Typed("--expires", "a day or a time as ISO 8601 has it", _DAY),
        "context.user_note": Typed("--note", "a text of up to 2,000 characters", '"said twice"'),
    },
    "context": {
        "topic": replace(_TEXT, name="TOPIC"),
        "max_tokens": Typed("--max-tokens", "a whole number from 100 to 8000", "500"),
    },
    "write": {"dir": _FOLDER},
    "apply": {"dir": _FOLDER},
    "search": {
        "query": replace(_TEXT, name="QUERY"),
        "limit": Typed("--limit", "a whole number from 1 to 100", "20"),
        "options.min_relevance": Typed("--min-relevance", "a number from 0 to 1", "0.5"),
        "options.importance_min": Typed("--min-importance", "a whole number from 1 to 5", "3"),
        "options.time_range.after": Typed("--after", "a day or a time as ISO 8601 has it", _DAY),
        "options.time_range.before": Typed("--before", "a day or a time as ISO 8601 has it", _DAY),
    },
}


def as_typed(error: CommonplaceError, command: str, given: Mapping[str, object]) -> str:
    """The error's sentence for a person. `given`: the shared options that were typed; others are from the environment."""
    field, prefix = error.field or "", f"{error.field}: "
    shared = {name: typed for name, typed in _SHARED.items() if given.get(typed.name.removeprefix("--")) is not None}
    for path, typed in {**_NAMES.get(command, {}), **shared}.items():
        if error.message.startswith(prefix) and (field == path or field.startswith(f"{path}.")):
            return f"{error.code.label}: {typed.told(error.message.removeprefix(prefix))}"
    return str(error)

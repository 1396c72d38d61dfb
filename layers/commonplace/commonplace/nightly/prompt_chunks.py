"""Split a day into prompt chunks that each fit into one model call."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from commonplace.domain.batching import in_batches
from commonplace.extraction.days import Day, Utterance
from commonplace.llm.prompts import delimited_data, unused_mark
from commonplace.nightly.budget import tokens_of

CHUNK_TOKENS = 60_000
"""The maximum estimated number of tokens per call to the model. A day with 50 long messages fits into two calls."""

_LEFT_OUT = " […] "
_BEFORE_START, _BEFORE_END = 200, 600


@dataclass(frozen=True)
class PromptLine:
    """A user's message with its number within the day, as one line of JSON."""

    number: int
    utterance: Utterance
    json: str


Chunk = tuple[PromptLine, ...]


def lines_of(day: Day) -> list[PromptLine]:
    """Return a line for each message with the user's own words. It includes the assistant's previous message, shortened."""
    utterances = [utterance for utterance in day.utterances if utterance.own_words.strip()]
    return [_build_line(number, utterance, day.before(utterance)) for number, utterance in enumerate(utterances, 1)]


def chunks_of(lines: Sequence[PromptLine], most_tokens: int = CHUNK_TOKENS) -> Iterator[Chunk]:
    """Yield the lines in chunks of at most `most_tokens` estimated tokens. A longer line becomes a chunk of its own."""
    return map(tuple, in_batches(lines, len(lines), lambda line: tokens_of(line.json), most_tokens))


def interactions_in(lines: Sequence[PromptLine]) -> list[str]:
    """Return the distinct interaction ids of `lines`, in order."""
    return list(dict.fromkeys(line.utterance.interaction_id for line in lines))


def prompt_for(day: Day, lines: Sequence[PromptLine], request: str) -> str:
    """Build the user message from the date, the lines as delimited data, and `request`, whose `{data}` is the data's tag."""
    body = "\n".join(line.json for line in lines)
    mark = unused_mark([body])
    parts = {"date": f"{day.date:%A, %Y-%m-%d}", "messages": body}
    return f"{delimited_data(parts, mark)}\n\n{request.format(data=f'<messages-{mark}>')}"


def _build_line(number: int, turn: Utterance, before: Utterance | None) -> PromptLine:
    """Return a message as one line. Of the assistant's long message before it, only the beginning and end are included."""
    fields: dict[str, object] = {"message": number, "interaction_id": turn.interaction_id, "at": f"{turn.time:%H:%M}"}
    if before is not None and before.role == "assistant":
        text = before.text
        is_short = len(text) <= _BEFORE_START + _BEFORE_END
        fields["assistant_before"] = text if is_short else f"{text[:_BEFORE_START]}{_LEFT_OUT}{text[-_BEFORE_END:]}"
    if turn.explicit:
        fields["asked_to_remember_or_forget"] = True
    fields["user"] = _extract_own_words(turn)
    return PromptLine(number, turn, json.dumps(fields, ensure_ascii=False))


def _extract_own_words(utterance: Utterance) -> str:
    """Return the user's own words in a message, with " […] " in place of all other text."""
    text, at, parts = utterance.text, 0, []
    for start, end in utterance.own:
        foreign = text[at:start]
        parts += [_LEFT_OUT if foreign.strip() else foreign, text[start:end]]
        at = end
    return "".join([*parts, _LEFT_OUT if text[at:].strip() else ""]).strip()

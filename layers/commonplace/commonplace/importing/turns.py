"""A conversation as turns, or as messages of a chat: a statement of each, with its place."""

from collections.abc import Iterator, Mapping
from typing import Any

from commonplace.domain.errors import CommonplaceError
from commonplace.domain.imports import ForeignFact
from commonplace.importing.entries import Found, each, objects
from commonplace.importing.sources import Source
from commonplace.use_cases.import_conversation import turns_of_chat
from commonplace.use_cases.import_facts import refused

KEYS = ("turns", "messages")
_ASSISTANT = ("assistant", "system", "agent", "bot")


def read(source: Source) -> Found:
    """Every turn; of messages that are no chat the first that is none is told."""
    try:
        turns = turns_of_chat(objects(source.json, *KEYS))
    except CommonplaceError as error:
        yield refused("file", error)
        return
    yield from each(list(turns), _fact)


def _fact(where: str, turn: Mapping[str, Any]) -> Iterator[ForeignFact]:
    speaker = str(turn.get("speaker") or "user")
    yield ForeignFact(
        where=where,
        name=f"{turn.get('session_id')}#{turn.get('position')}",
        content=turn.get("text"),
        times={"event_time": turn.get("event_time")},
        source="agent" if speaker.lower() in _ASSISTANT else "user",
        speaker=speaker,
        session_id=turn.get("session_id"),
        position=turn.get("position"),
    )

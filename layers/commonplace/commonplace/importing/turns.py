"""Conversations without an export around them: turns, a statement of each, and messages of chat APIs, read as talks."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from itertools import groupby
from typing import Any

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError
from commonplace.domain.imports import ForeignFact, RefusedEntry
from commonplace.domain.interactions import ChatMessage
from commonplace.importing.entries import entries, numbered
from commonplace.importing.sources import Source
from commonplace.importing.talks import LeftOut, Talks, cut, interaction, timed
from commonplace.text.redaction import redact
from commonplace.use_cases.import_conversation import ASSISTANT
from commonplace.use_cases.import_facts import refused

TURNS, MESSAGES = "turns", "messages"
_TIMES = ("created_at", "create_time", "timestamp", "time")


def read_turns(source: Source) -> Iterator[ForeignFact | RefusedEntry]:
    """A statement of each turn, whoever said it, with its place; the turn before it may make a bare number a secret."""
    session, before = None, None
    for one in numbered(entries(source, TURNS)):
        if isinstance(one, RefusedEntry):
            yield one
            continue
        where, turn = one
        speaker, text = str(turn.get("speaker") or "user"), turn.get("text")
        yield ForeignFact(
            where=where,
            name=f"{turn.get('session_id')}#{turn.get('position')}",
            content=text,
            before=before if turn.get("session_id") == session else None,
            times={"event_time": turn.get("event_time")},
            source="agent" if speaker.lower() in ASSISTANT else "user",
            speaker=speaker,
            session_id=turn.get("session_id"),
            position=turn.get("position"),
        )
        session, before = turn.get("session_id"), text if isinstance(text, str) else None


def talks_of_messages(source: Source, now: datetime, zone: tzinfo | None) -> Talks:
    """The talks of messages `{role, content}`: one conversation, or one each under `messages`.

    A message is as old as it says, else as the file. What is not read of them comes counted by its reason.
    """
    at = min(source.changed or now, now)
    for is_whole, found in groupby(entries(source, MESSAGES, TURNS), key=_is_conversation):
        for messages in (one[MESSAGES] for one in found) if is_whole else (found,):
            yield from _talks(messages, at, zone)


def _is_conversation(entry: Any) -> bool:
    return isinstance(entry, Mapping) and isinstance(entry.get(MESSAGES), list)


def _talks(messages: Iterable[Any], at: datetime, zone: tzinfo | None) -> Talks:
    wrong, left_out = list[RefusedEntry](), Counter[str]()
    for talk in cut(timed(_said(messages, wrong, left_out), at.isoformat()), zone):
        said = [redact(one.text).text for one in talk if one.role == "user"]
        left_out["said by the assistant"] += len(talk) - len(said)
        if said:  # named by what the user said: the same conversation is known again, whenever it is read
            digest = hashlib.sha256("\0".join(said).encode(errors="replace")).hexdigest()[:32]
            yield interaction(f"{MESSAGES}/{digest}", talk[0].time.astimezone(UTC), talk)
    yield from wrong
    yield LeftOut(+left_out)


def _said(
    messages: Iterable[Any], wrong: list[RefusedEntry], left_out: Counter[str]
) -> Iterator[tuple[str | None, str, Any]]:
    """Role, text and time of each message; what can't be read, or is not, is told in the other two."""
    for number, given in enumerate(messages, 1):
        try:
            message = validate.check(ChatMessage, given)
        except CommonplaceError as error:
            wrong.append(refused(f"message {number}", error))
            continue
        if message.not_read is not None:
            left_out[f"{message.not_read}: {message.role}" if message.speaker is None else message.not_read] += 1
        yield message.speaker, message.words, next((given[name] for name in _TIMES if given.get(name)), None)

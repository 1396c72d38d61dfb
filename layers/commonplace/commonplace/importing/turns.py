"""Read transcripts as statements, one per turn, and messages from chat APIs as conversations."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from itertools import groupby
from typing import Any

from commonplace.contract import validate
from commonplace.contract.sent import as_declared
from commonplace.domain.errors import CommonplaceError
from commonplace.domain.imports import ForeignFact, RefusedEntry, Turn, Unread
from commonplace.domain.interactions import ChatMessage
from commonplace.importing.chat_exports import BY_ASSISTANT, Conversations, as_interaction, split_by_pauses, with_times
from commonplace.importing.entries import ReadEntries, each, entries, refusal, unused_fields
from commonplace.importing.sources import Source
from commonplace.text.redaction import redact
from commonplace.use_cases.import_conversation import ASSISTANT

TURNS, MESSAGES = "turns", "messages"
_TIMES = ("created_at", "create_time", "timestamp", "time")


def read_turns(source: Source) -> ReadEntries:
    """Yield a statement for each turn by any speaker, with the previous turn, which may show that a number is a secret."""
    session, before = None, None

    def fact(where: str, turn: Mapping[str, Any]) -> Iterator[ForeignFact]:
        nonlocal session, before
        turn = as_declared(Turn, turn)
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

    return each(entries(source, TURNS), fact)


def read_messages(source: Source, now: datetime, zone: tzinfo | None) -> Conversations:
    """Yield conversations that consist of `{role, content}` messages. A file contains one conversation, or several under
    `messages`. A message without a time gets the file's modification time. Unread passages are yielded in between."""
    at = min(source.changed or now, now)

    def is_conversation(entry: Any) -> bool:
        return isinstance(entry, Mapping) and isinstance(entry.get(MESSAGES), list)

    for is_whole, group in groupby(entries(source, MESSAGES, TURNS), key=is_conversation):
        if not is_whole:
            yield from _split_conversations(group, at, zone)
            continue
        for entry in group:
            yield from _split_conversations(entry[MESSAGES], at, zone)
            yield from unused_fields(entry, MESSAGES)


def _split_conversations(messages: Iterable[Any], at: datetime, zone: tzinfo | None) -> Conversations:
    """Yield the conversations in a list of messages, with refused and unread messages in between."""
    left = list[RefusedEntry | Unread]()
    for section in split_by_pauses(with_times(_check_turns(messages, left), at.isoformat()), zone):
        texts, names = list[str](), dict[str, int]()
        for number, text in enumerate(section, 1):
            if text.role == "user":  # the name hashes the user's words so far, so that a conversation that grew is recognized
                texts.append(redact(text.text).text)
                digest = hashlib.sha256("\0".join(texts).encode(errors="replace")).hexdigest()[:32]
                names[f"{MESSAGES}/{digest}"] = number
        if names:
            yield as_interaction(names, section[0].time.astimezone(UTC), section)
        yield from left
        left.clear()
    yield from left


def _check_turns(messages: Iterable[Any], left: list[RefusedEntry | Unread]) -> Iterator[tuple[str | None, str, Any, None]]:
    """Yield the role, text and time of each message. Refused messages and unread passages are added to `left`."""
    number, before = 0, None
    for entry in messages:
        if isinstance(entry, Unread):
            left.append(entry)
            continue
        number += 1
        where = f"message {number}"
        try:
            message = validate.check(ChatMessage, entry)
        except CommonplaceError as error:
            left += refusal(where, entry, error)
            continue
        left += _find_unread_parts(where, message, entry, before)
        before = message.words
        yield message.speaker, message.words, next((entry[name] for name in _TIMES if entry.get(name)), None), None


def _find_unread_parts(where: str, message: ChatMessage, fields: Mapping[str, Any], before: str | None) -> Iterator[Unread]:
    """Yield the parts of a message that aren't imported, like additional fields, or messages with other roles."""
    if message.speaker == "user":
        yield from unused_fields(fields, "role", "content")
        if message.not_read is not None:
            content = fields.get("content")
            parts = zip(message.content or (), content if isinstance(content, list) else (content,), strict=False)
            yield Unread(where, message.not_read, [part for read, part in parts if not read.words], before)
        return
    reason = BY_ASSISTANT if message.speaker and message.words.strip() else message.not_read or ""
    extra = {name: value for name, value in fields.items() if name != "role"}
    whole = extra.get("content") if extra.keys() <= {"content"} else extra
    yield Unread(where, reason if message.speaker else f"{reason}: {message.role}", whole, before)

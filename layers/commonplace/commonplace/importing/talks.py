"""ChatGPT and Claude: the conversations of an export, each as the talks of its days; streamed, for it may be large."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from commonplace.domain.errors import CommonplaceError
from commonplace.domain.imports import RefusedEntry, Unread
from commonplace.importing.conversation_files import ConversationFile, conversation_files
from commonplace.importing.entries import array_elements, unreadable
from commonplace.importing.sources import Source
from commonplace.use_cases.import_facts import REFUSED, refused
from commonplace.use_cases.left_out import json_text, words_of
from commonplace.use_cases.legacy_records import moment

_ASSISTANT_SHOWN = 250  # characters at its end: what it asked
_MOST_CHARACTERS, _MOST_MESSAGES = 100_000, 500  # of a talk; a longer one is several
_PAUSE, _NAME_SHOWN = timedelta(hours=1), 80
_CONTENTS = ("text", "multimodal_text")
ASSISTANT, OTHER_ROLE = "said by the assistant", "a message of a tool or the system"
EDITED, HIDDEN, ATTACHED = "edited away in the conversation", "hidden, or no text", "an attachment"
_ROLES = {"user": "user", "human": "user", "assistant": "assistant"}


@dataclass(frozen=True)
class Said:
    """A message. `role`: user or assistant."""

    role: str
    text: str
    time: datetime


def talks_of(source: Source, kind: str, zone: tzinfo | None) -> Iterator[dict[str, Any] | RefusedEntry | Unread]:
    """The talks of an export, as interactions of the type `discussion` under names of their own, with the `times` of their
    messages beside them. Conversations that can't be read are refused, and what else is not read is told part by part."""
    number = 0
    for file in conversation_files(source):
        if not isinstance(file, ConversationFile):
            yield file
            continue
        for found in array_elements(file.text()):
            number += 1
            where = f"{file.name}: conversation {number}" if source.is_several else f"conversation {number}"
            try:
                if isinstance(found, CommonplaceError) or not isinstance(found, Mapping):
                    raise found if isinstance(found, CommonplaceError) else unreadable(None, "must be an object")
                yield from _Conversation(where, kind, found).talks(zone)
            except CommonplaceError as error:
                if found is not error:
                    yield Unread(where, REFUSED.format(error.code.label), found)
                yield refused(where, error)


@dataclass
class _Conversation:
    """A conversation, and what of it is not read so far."""

    where: str
    kind: str
    fields: Mapping[str, Any]
    unread: list[Unread] = field(default_factory=list)

    def talks(self, zone: tzinfo | None) -> Iterator[dict[str, Any] | Unread]:
        """The talks in which the user said something, and then what is not read."""
        messages = self._chatgpt() if self.kind == "chatgpt" else self._claude()
        said = list(self._timed(messages))
        name = str(self.fields.get("conversation_id") or self.fields.get("id") or self.fields.get("uuid") or "")
        if not name and said:
            raise unreadable("id", "there is no id")
        for field_name in ("title", "name", "summary"):
            self._leave("the title of a conversation", self.fields.get(field_name))
        begins = Counter[str]()
        for talk in _cut(said, zone):
            if any(one.role == "user" for one in talk):
                begun = talk[0].time.astimezone(UTC)
                named = f"{self.kind}/{name[:_NAME_SHOWN]}/{begun:%Y-%m-%dT%H:%M:%S}"
                begins[named] += 1  # without times of their own many messages have that of the conversation
                yield {
                    "type": "discussion",
                    "id": named if begins[named] == 1 else f"{named}/{begins[named]}",
                    "time": begun.isoformat(timespec="microseconds"),
                    "messages": [{"role": one.role, "content": one.text} for one in talk],
                    "times": [one.time.isoformat() for one in talk],
                }
        yield from self.unread

    def _leave(self, reason: str, said: Any, before: str | None = None) -> None:
        if said not in (None, "", [], {}):
            self.unread.append(Unread(self.where, reason, said, before))

    def _chatgpt(self) -> Iterator[tuple[Any, str, Any]]:
        """What stands on the way from the beginning to the node that is shown; what was edited away stands beside it."""
        mapping = self.fields.get("mapping")
        if not isinstance(mapping, Mapping):
            raise unreadable("mapping", "there are no messages")
        way, node, seen = list[Mapping[str, Any]](), self.fields.get("current_node"), set[object]()
        if not isinstance(node, str) or node not in mapping:
            node = next(reversed(mapping), None)
        while isinstance(node, str) and node in mapping and node not in seen:
            seen.add(node)
            entry = mapping[node] if isinstance(mapping[node], Mapping) else {}
            way.append(entry)
            node = entry.get("parent")
        for name, entry in mapping.items():
            if name not in seen:
                message, above = _part(entry, "message"), _part(mapping.get(_part(entry, "parent")), "message")
                self._leave(EDITED, _text_of(message), json_text(_text_of(above)))
        return map(self._chatgpt_message, reversed(way))

    def _chatgpt_message(self, entry: Mapping[str, Any]) -> tuple[Any, str, Any]:
        message = entry.get("message")
        author, content, more = (_part(message, name) for name in ("author", "content", "metadata"))
        if _part(more, "is_visually_hidden_from_conversation") or _part(content, "content_type", "text") not in _CONTENTS:
            self._leave(HIDDEN, content)
            return None, "", None
        parts = _part(content, "parts")
        said = [_part(one, "text") or one for one in (parts if isinstance(parts, list) else [])]
        for one in said:
            self._leave(HIDDEN, None if isinstance(one, str) else one)
        return _part(author, "role"), "\n".join(one for one in said if isinstance(one, str)), _part(message, "create_time")

    def _claude(self) -> Iterator[tuple[Any, str, Any]]:
        messages = self.fields.get("chat_messages")
        if not isinstance(messages, list):
            raise unreadable("chat_messages", "there are no messages")
        return map(self._claude_message, messages)

    def _claude_message(self, message: Any) -> tuple[Any, str, Any]:
        text, content = _part(message, "text"), _part(message, "content")
        parts = content if isinstance(content, list) else [content]
        texts = [_part(one, "text") if _part(one, "type") == "text" else None for one in parts]
        whole = text if isinstance(text, str) and text else "\n".join(one for one in texts if isinstance(one, str))
        for part, said in zip(parts, texts, strict=True):
            if not isinstance(said, str) or not words_of(said) <= words_of(whole):
                self._leave(HIDDEN, part)
        for name in ("attachments", "files"):
            self._leave(ATTACHED, _part(message, name))
        return _part(message, "sender"), whole, _part(message, "created_at")

    def _timed(self, messages: Iterable[tuple[Any, str, Any]]) -> Iterator[Said]:
        """Messages in order, each at its time, else at that of the one before or of the conversation."""
        names = ("create_time", "update_time") if self.kind == "chatgpt" else ("created_at", "updated_at")
        last, before = next(filter(None, (_moment(self.fields.get(name)) for name in names)), None), None
        for given, text, time in messages:
            role = _ROLES.get(given) if isinstance(given, str) else None
            if role != "user":
                self._leave(ASSISTANT if role else OTHER_ROLE, text, before)
            before = text
            if role is None or not text.strip():
                continue
            at = _moment(time)
            last = at if last is None or (at is not None and at > last) else last
            if last is None:
                raise unreadable("create_time", "there is no time")
            yield Said(role, _printable(text if role == "user" else text[-_ASSISTANT_SHOWN:]), last)


def _text_of(message: Any) -> Any:
    """The text of a message of ChatGPT; the whole content where there is more in it."""
    content = _part(message, "content")
    parts = _part(content, "parts")
    texts = [one for one in parts if isinstance(one, str)] if isinstance(parts, list) else []
    return "\n".join(texts) if texts and len(texts) == len(parts) else content


def _part(value: Any, name: Any, default: Any = None) -> Any:
    """A field of what may be no object."""
    return value.get(name, default) if isinstance(value, Mapping) and isinstance(name, str) else default


def _cut(messages: Iterable[Said], zone: tzinfo | None) -> Iterator[list[Said]]:
    """What was said without an hour between on one day is a talk, as long as one may be."""
    talk, size = list[Said](), 0
    for one in messages:
        last = talk[-1].time if talk else one.time
        other = one.time - last > _PAUSE or one.time.astimezone(zone).date() != last.astimezone(zone).date()
        if talk and (other or size + len(one.text) > _MOST_CHARACTERS or len(talk) >= _MOST_MESSAGES):
            yield talk
            talk, size = [], 0
        talk.append(one)
        size += len(one.text)
    if talk:
        yield talk


def _moment(value: Any) -> datetime | None:
    try:
        found = moment(value)
    except (ValueError, TypeError, OverflowError, OSError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() or char in "\n\t" else " " for char in text)

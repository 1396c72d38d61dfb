"""Read exports from ChatGPT and Claude as a stream, and split each conversation by day and at long pauses."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.imports import RefusedEntry, Unread
from commonplace.importing.conversation_files import ConversationFile, conversation_files
from commonplace.importing.entries import UNKNOWN_FIELD, array_elements, refusal
from commonplace.importing.sources import Source
from commonplace.use_cases.left_out import is_technical, words_of
from commonplace.use_cases.legacy_records import moment

_ASSISTANT_CHARACTERS = 250  # how many characters are kept from the end of an assistant's message, which may be a question
_MOST_CHARACTERS, _MOST_MESSAGES = 100_000, 500  # longer conversations are split
_PAUSE, _NAME_CHARACTERS = timedelta(hours=1), 80
_TEXT_TYPES = ("text", "multimodal_text")
_TEXT_FIELDS = {"title", "name", "summary", "parts", "text", "content", "thoughts", "attachments", "files"}
_LIST_FIELDS, _FIELD = {"mapping", "chat_messages"}, "(field)"
# Technical fields in the export formats, which no person wrote.
_TECHNICAL_FIELDS = set(
    "id uuid type content_type role sender parent parent_id parent_message_uuid children current_node conversation_id status"
    " recipient channel message_type message_source timestamp_ request_id finish_details model_slug default_model_slug"
    " gizmo_id gizmo_type conversation_origin memory_scope plugin_ids disabled_tool_ids conversation_template_id".split()
)
OTHER_ROLE = "said by a tool or the system"
EDITED, BY_ASSISTANT = "edited away, hidden, attached or no text", "said by the assistant"
_REASONS = {None: "the title of a conversation", _FIELD: UNKNOWN_FIELD, "user": EDITED, "assistant": BY_ASSISTANT}
_ROLES = {"user": "user", "human": "user", "assistant": "assistant"}


@dataclass(frozen=True)
class Message:
    """A message in a conversation. `role` is "user" or "assistant". `id` is the id in the export, if there is one."""

    role: str
    text: str
    time: datetime
    id: Any = None


Conversations = Iterator[dict[str, Any] | RefusedEntry | Unread]
"""An iterator over conversations, refused entries, and passages that do not become memories."""


def read_chat_export(source: Source, kind: str, zone: tzinfo | None) -> Conversations:
    """Yield the conversations in an export as interactions of type `discussion`, with the `times` of their messages."""
    number = 0
    for file in conversation_files(source):
        if not isinstance(file, ConversationFile):
            yield file
            continue
        for element in array_elements(file.text()):
            number += 1
            prefix = f"{file.name}: " if source.is_folder or source.is_archive else ""
            where = f"{prefix}conversation {number}"
            try:
                if isinstance(element, CommonplaceError):
                    raise element
                if not isinstance(element, Mapping):
                    raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "must be an object")
                yield from _split_chat(where, element, kind, zone)
            except CommonplaceError as error:
                yield from refusal(where, None if element is error else element, error)


def _split_chat(where: str, chat: Mapping[str, Any], kind: str, zone: tzinfo | None) -> Iterator[dict[str, Any] | Unread]:
    """Yield the unread texts in a conversation, then the conversation as interactions."""
    texts = list(_parse_chatgpt_messages(chat) if kind == "chatgpt" else _parse_claude_messages(chat))
    name = str(chat.get("conversation_id") or chat.get("id") or chat.get("uuid") or "")
    if not name and texts:
        raise invalid("id", "there is no id")
    yield from _find_unread_text(where, chat, words_of(" ".join(message.text for message in texts if message.role == "user")))
    begins = Counter[str]()
    for section in split_by_pauses(texts, zone):
        if any(message.role == "user" for message in section):
            begun = section[0].time.astimezone(UTC)
            named = f"{kind}/{name[:_NAME_CHARACTERS]}/{begun:%Y-%m-%dT%H:%M:%S}"
            begins[named] += 1  # messages without a time get the conversation's time, so names can collide
            yield as_interaction({named if begins[named] == 1 else f"{named}/{begins[named]}": 0}, begun, section)


def as_interaction(names: dict[str, int], begun: datetime, section: Sequence[Message]) -> dict[str, Any]:
    """Return a conversation as an interaction. `names` maps the name of each shorter version, and finally its
    own name, to its number of messages. The number is 0 if the name doesn't change when the conversation grows."""
    return {
        "type": "discussion",
        "id": next(reversed(names)),
        "names": names,
        "time": begun.isoformat(timespec="microseconds"),
        "messages": [{"role": message.role, "content": message.text, "id": message.id} for message in section],
        "times": [message.time.isoformat() for message in section],
    }


def _find_unread_text(where: str, conversation: Mapping[str, Any], read_words: set[str]) -> Iterator[Unread]:
    """Yield the texts with a word that is in no imported message of the user, each with the reason for skipping it."""
    before = None
    for role, text in _find_texts(conversation, None, is_text=False):
        if not words_of(text) <= read_words:
            yield Unread(where, _REASONS.get(_ROLES.get(role, role), OTHER_ROLE), text, before)
        before = text


def _find_texts(value: Any, role: Any, *, is_text: bool) -> Iterator[tuple[Any, str]]:
    """Yield the texts in a conversation, each with the role of its message or `_FIELD` for other texts."""
    if isinstance(value, Mapping):
        author = value.get("author")
        role = value.get("sender") or (author.get("role") if isinstance(author, Mapping) else None) or role
        role = role if role is None or isinstance(role, str) else ""
        for name, inner in value.items():
            if name not in _TECHNICAL_FIELDS:
                inner_role = _FIELD if role is None and name not in _TEXT_FIELDS | _LIST_FIELDS else role
                yield from _find_texts(inner, inner_role, is_text=is_text or name in _TEXT_FIELDS)
    elif isinstance(value, list):
        for inner in value:
            yield from _find_texts(inner, role, is_text=is_text)
    elif isinstance(value, str) and (is_text or not is_technical(value)):
        yield role if is_text else _FIELD, value


def split_by_pauses(messages: Iterable[Message], zone: tzinfo | None) -> Iterator[list[Message]]:
    """Split messages at pauses of over an hour, at midnight, and at the size limits."""
    section, size = list[Message](), 0
    for message in messages:
        last = section[-1].time if section else message.time
        other = message.time - last > _PAUSE or message.time.astimezone(zone).date() != last.astimezone(zone).date()
        if section and (other or size + len(message.text) > _MOST_CHARACTERS or len(section) >= _MOST_MESSAGES):
            yield section
            section, size = [], 0
        section.append(message)
        size += len(message.text)
    if section:
        yield section


def _parse_chatgpt_messages(conversation: Mapping[str, Any]) -> Iterator[Message]:
    """Yield the messages from the root to the current node, but no replaced messages on other branches."""
    mapping = conversation.get("mapping")
    if not isinstance(mapping, Mapping):
        raise invalid("mapping", "there are no messages")
    path, node, seen = list[Mapping[str, Any]](), conversation.get("current_node"), set[object]()
    if not isinstance(node, str) or node not in mapping:
        node = next(reversed(mapping), None)
    while isinstance(node, str) and node in mapping and node not in seen:
        seen.add(node)
        entry = mapping[node] if isinstance(mapping[node], Mapping) else {}
        path.append(entry)
        node = entry.get("parent")
    messages = map(_parse_chatgpt_message, reversed(path))
    yield from with_times(messages, conversation.get("create_time"), conversation.get("update_time"))


def _parse_chatgpt_message(entry: Mapping[str, Any]) -> tuple[Any, str, Any, Any]:
    """Return the role, text, time and id of a message. The role is None if the message is hidden or isn't text."""
    message = entry.get("message")
    message = message if isinstance(message, Mapping) else {}
    author, content, more = (message.get(name) for name in ("author", "content", "metadata"))
    role = author.get("role") if isinstance(author, Mapping) else None
    hidden = isinstance(more, Mapping) and more.get("is_visually_hidden_from_conversation")
    if hidden or not isinstance(content, Mapping) or content.get("content_type", "text") not in _TEXT_TYPES:
        return None, "", None, None
    parts = content.get("parts")
    texts = (part.get("text") if isinstance(part, Mapping) else part for part in (parts if isinstance(parts, list) else ()))
    return role, "\n".join(text for text in texts if isinstance(text, str)), message.get("create_time"), message.get("id")


def _parse_claude_messages(conversation: Mapping[str, Any]) -> Iterator[Message]:
    messages = conversation.get("chat_messages")
    if not isinstance(messages, list):
        raise invalid("chat_messages", "there are no messages")
    messages_read = (_parse_claude_message(message) for message in messages if isinstance(message, Mapping))
    yield from with_times(messages_read, conversation.get("created_at"), conversation.get("updated_at"))


def _parse_claude_message(message: Mapping[str, Any]) -> tuple[Any, str, Any, Any]:
    text, content = message.get("text"), message.get("content")
    if not isinstance(text, str) or not text:
        parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
        text = "\n".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")
    return message.get("sender"), text, message.get("created_at"), message.get("uuid")


def with_times(messages: Iterable[tuple[Any, str, Any, Any]], *times: Any) -> Iterator[Message]:
    """Yield the user's messages and the end of each of the assistant's. A missing time is taken from the message before."""
    last = next(filter(None, map(_parse_time, times)), None)
    for role, text, time, name in messages:
        if _ROLES.get(role) is None or not text.strip():
            continue
        at = _parse_time(time)
        last = at if last is None or (at is not None and at > last) else last
        if last is None:
            raise invalid("create_time", "there is no time")
        shown = text if _ROLES[role] == "user" else text[-_ASSISTANT_CHARACTERS:]
        printable = "".join(char if char.isprintable() or char in "\n\t" else " " for char in shown)
        yield Message(_ROLES[role], printable, last, name)


def _parse_time(value: Any) -> datetime | None:
    try:
        time = moment(value)
    except (ValueError, TypeError, OverflowError, OSError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)

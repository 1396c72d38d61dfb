"""ChatGPT and Claude: the conversations of an export, each as the talks of its days; streamed, for it may be large."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from commonplace.domain.errors import CommonplaceError
from commonplace.domain.imports import RefusedEntry, Unread
from commonplace.importing.conversation_files import ConversationFile, conversation_files
from commonplace.importing.entries import NOT_KEPT, array_elements, refusal, unreadable
from commonplace.importing.sources import Source
from commonplace.use_cases.left_out import is_technical, words_of
from commonplace.use_cases.legacy_records import moment

_ASSISTANT_SHOWN = 250  # characters at its end: what it asked
_MOST_CHARACTERS, _MOST_MESSAGES = 100_000, 500  # of a talk; a longer one is several
_PAUSE, _NAME_SHOWN = timedelta(hours=1), 80
_CONTENTS = ("text", "multimodal_text")
_TEXTS = {"title", "name", "summary", "parts", "text", "content", "thoughts", "attachments", "files"}
_LISTS, _FIELD = {"mapping", "chat_messages"}, "(field)"
# Of the forms of the exports: ids, kinds, models and states, which no person wrote.
_FORM = set(
    "id uuid type content_type role sender parent parent_id parent_message_uuid children current_node conversation_id status"
    " recipient channel message_type message_source timestamp_ request_id finish_details model_slug default_model_slug"
    " gizmo_id gizmo_type conversation_origin memory_scope plugin_ids disabled_tool_ids conversation_template_id".split()
)
OTHER_ROLE = "said by a tool or the system"
EDITED, BY_ASSISTANT = "edited away, hidden, attached or no text", "said by the assistant"
_NOT_SAID = {None: "the title of a conversation", _FIELD: NOT_KEPT, "user": EDITED, "assistant": BY_ASSISTANT}
_ROLES = {"user": "user", "human": "user", "assistant": "assistant"}


@dataclass(frozen=True)
class Said:
    """A message. `role`: user or assistant; `id`: its own, where the export has one."""

    role: str
    text: str
    time: datetime
    id: Any = None


Talks = Iterator[dict[str, Any] | RefusedEntry | Unread]
"""Talks, what can't be read, and what else becomes no memory."""


def talks_of(source: Source, kind: str, zone: tzinfo | None) -> Talks:
    """The talks of an export, as interactions of the type `discussion` under names of their own, with the `times` of their
    messages beside them. Conversations that can't be read are refused; what else is not read comes text by text."""
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
                yield from _talks(where, found, kind, zone)
            except CommonplaceError as error:
                yield from refusal(where, None if found is error else found, error)


def _talks(where: str, conversation: Mapping[str, Any], kind: str, zone: tzinfo | None) -> Iterator[dict[str, Any] | Unread]:
    said = list(_chatgpt(conversation) if kind == "chatgpt" else _claude(conversation))
    name = str(conversation.get("conversation_id") or conversation.get("id") or conversation.get("uuid") or "")
    if not name and said:
        raise unreadable("id", "there is no id")
    yield from _unread(where, conversation, words_of(" ".join(one.text for one in said if one.role == "user")))
    begins = Counter[str]()
    for talk in cut(said, zone):
        if any(one.role == "user" for one in talk):
            begun = talk[0].time.astimezone(UTC)
            named = f"{kind}/{name[:_NAME_SHOWN]}/{begun:%Y-%m-%dT%H:%M:%S}"
            begins[named] += 1  # without times of their own many messages have that of the conversation
            yield interaction({named if begins[named] == 1 else f"{named}/{begins[named]}": 0}, begun, talk)


def interaction(names: dict[str, int], begun: datetime, talk: Sequence[Said]) -> dict[str, Any]:
    """A talk as an interaction, with the times of its messages. `begun`: when, in UTC; `names`: its own, after those that its
    beginnings have, each with its number of messages; 0 for a name that stays as the talk grows."""
    return {
        "type": "discussion",
        "id": next(reversed(names)),
        "names": names,
        "time": begun.isoformat(timespec="microseconds"),
        "messages": [{"role": one.role, "content": one.text, "id": one.id} for one in talk],
        "times": [one.time.isoformat() for one in talk],
    }


def _unread(where: str, conversation: Mapping[str, Any], kept: set[str]) -> Iterator[Unread]:
    """The texts of a conversation of which a word is in no message that is read, each with who said it."""
    before = None
    for role, text in _texts(conversation, None, is_text=False):
        if not words_of(text) <= kept:
            yield Unread(where, _NOT_SAID.get(_ROLES.get(role, role), OTHER_ROLE), text, before)
        before = text


def _texts(value: Any, role: Any, *, is_text: bool) -> Iterator[tuple[Any, str]]:
    """The texts in a conversation, each with the role of its message, or as a field's. `is_text`: they stand in a field
    for texts."""
    if isinstance(value, Mapping):
        author = value.get("author")
        role = value.get("sender") or (author.get("role") if isinstance(author, Mapping) else None) or role
        role = role if role is None or isinstance(role, str) else ""
        for name, one in value.items():
            if name not in _FORM:
                its = _FIELD if role is None and name not in _TEXTS | _LISTS else role
                yield from _texts(one, its, is_text=is_text or name in _TEXTS)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, role, is_text=is_text)
    elif isinstance(value, str) and (is_text or not is_technical(value)):
        yield role if is_text else _FIELD, value


def cut(messages: Iterable[Said], zone: tzinfo | None) -> Iterator[list[Said]]:
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


def _chatgpt(conversation: Mapping[str, Any]) -> Iterator[Said]:
    """What stands on the way from the beginning to the node that is shown; what was edited away stands beside it."""
    mapping = conversation.get("mapping")
    if not isinstance(mapping, Mapping):
        raise unreadable("mapping", "there are no messages")
    way, node, seen = list[Mapping[str, Any]](), conversation.get("current_node"), set[object]()
    if not isinstance(node, str) or node not in mapping:
        node = next(reversed(mapping), None)
    while isinstance(node, str) and node in mapping and node not in seen:
        seen.add(node)
        entry = mapping[node] if isinstance(mapping[node], Mapping) else {}
        way.append(entry)
        node = entry.get("parent")
    yield from timed(map(_chatgpt_message, reversed(way)), conversation.get("create_time"), conversation.get("update_time"))


def _chatgpt_message(entry: Mapping[str, Any]) -> tuple[Any, str, Any, Any]:
    message = entry.get("message")
    message = message if isinstance(message, Mapping) else {}
    author, content, more = (message.get(name) for name in ("author", "content", "metadata"))
    role = author.get("role") if isinstance(author, Mapping) else None
    hidden = isinstance(more, Mapping) and more.get("is_visually_hidden_from_conversation")
    if hidden or not isinstance(content, Mapping) or content.get("content_type", "text") not in _CONTENTS:
        return None, "", None, None
    parts = content.get("parts")
    told = (one.get("text") if isinstance(one, Mapping) else one for one in (parts if isinstance(parts, list) else ()))
    return role, "\n".join(one for one in told if isinstance(one, str)), message.get("create_time"), message.get("id")


def _claude(conversation: Mapping[str, Any]) -> Iterator[Said]:
    messages = conversation.get("chat_messages")
    if not isinstance(messages, list):
        raise unreadable("chat_messages", "there are no messages")
    found = (_claude_message(one) for one in messages if isinstance(one, Mapping))
    yield from timed(found, conversation.get("created_at"), conversation.get("updated_at"))


def _claude_message(message: Mapping[str, Any]) -> tuple[Any, str, Any, Any]:
    text, content = message.get("text"), message.get("content")
    if not isinstance(text, str) or not text:
        parts = [one for one in content if isinstance(one, Mapping)] if isinstance(content, list) else []
        text = "\n".join(str(one.get("text") or "") for one in parts if one.get("type") == "text")
    return message.get("sender"), text, message.get("created_at"), message.get("uuid")


def timed(messages: Iterable[tuple[Any, str, Any, Any]], *times: Any) -> Iterator[Said]:
    """Messages in order, each at its time, else at that of the one before or of the conversation."""
    last = next(filter(None, map(_moment, times)), None)
    for role, text, time, name in messages:
        if _ROLES.get(role) is None or not text.strip():
            continue
        at = _moment(time)
        last = at if last is None or (at is not None and at > last) else last
        if last is None:
            raise unreadable("create_time", "there is no time")
        shown = text if _ROLES[role] == "user" else text[-_ASSISTANT_SHOWN:]
        yield Said(_ROLES[role], _printable(shown), last, name)


def _moment(value: Any) -> datetime | None:
    try:
        found = moment(value)
    except (ValueError, TypeError, OverflowError, OSError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() or char in "\n\t" else " " for char in text)

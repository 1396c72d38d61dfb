"""Validate incoming interactions by checking form and size, removing secrets, and adding missing ids and times."""

import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Any

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError, ErrorCode, escaped, invalid
from commonplace.domain.interactions import (
    YEARS,
    Discussion,
    Explicit,
    Interaction,
    Message,
    Page,
    Reaction,
    RefusedInteraction,
    Save,
    SentDiscussion,
    SentInteraction,
    SkippedMessage,
    texts_of,
)
from commonplace.ports.values import Caller
from commonplace.text.foundation.expressions import read_table
from commonplace.text.redaction import redact, without_secret
from commonplace.text.redaction.answers import question_in

_MARK = r"^[^\S\n]*(?:[*_#>]+[^\S\n]*)?({names})(?:[^\S\n]*[*_]+)?[^\S\n]*[:：][^\S\n]*(?:[*_]+(?=\s|$))?"
_LONGEST_TITLE = 300
_LONGEST_NAME = 128

MAX_CHARACTERS = 300_000
"""The maximum total number of characters in an interaction's texts."""
MAX_BYTES = 350_000
"""The maximum size of a compressed conversation in bytes. A conversation is stored as one item of at most 400 KB."""
MAX_MESSAGES = 2_000
"""The maximum number of messages in a discussion, including skipped messages."""
_MOST_MESSAGES = f"messages: {MAX_MESSAGES:,} are the most; send several interactions"

_KINDS: Mapping[str, type[SentInteraction]] = {
    "discussion": SentDiscussion,
    "reaction": Reaction,
    "save": Save,
    "explicit": Explicit,
    "page": Page,
}
_NO_ID = "-"
_SOON = timedelta(minutes=10)
"""The maximum time between a question and an interaction that answers it."""


@dataclass
class Checked:
    """A valid interaction. `places` maps each recorded message to its index in the caller's list."""

    interaction: Interaction
    places: tuple[int, ...] = ()

    @cached_property
    def name(self) -> str:
        """The id of the interaction in the ledger, which is a hash if the given id contains a secret."""
        return without_secret(self.interaction.id)

    @property
    def characters(self) -> int:
        """The total length of the interaction's texts."""
        return sum(map(len, texts_of(self.interaction)))


def well_formed(
    interactions: Sequence[Any], caller: Caller, refused: list[RefusedInteraction], skipped: list[SkippedMessage]
) -> Iterator[Checked]:
    """Yield the valid interactions. Add invalid interactions to `refused`, and messages that are not read to `skipped`."""
    unnamed = _Unnamed(caller)
    for entry in interactions:
        try:
            checked = _validate_interaction(entry, unnamed)
            interaction = _convert_interaction(checked)
            _refuse_too_long(interaction)
            messages = checked.messages if isinstance(checked, SentDiscussion) else ()
            if entry.get("id") is None:
                interaction = interaction.model_copy(update={"id": unnamed.id_of(redacted(interaction, caller, []))})
            skipped += [
                SkippedMessage(id=interaction.id, index=index, role=message.role, reason=message.not_read)
                for index, message in enumerate(messages)
                if message.not_read is not None
            ]
            yield Checked(interaction, tuple(index for index, message in enumerate(messages) if message.is_read))
        except CommonplaceError as error:
            entry_id = entry.get("id") if isinstance(entry, Mapping) else None
            name = escaped(entry_id) if isinstance(entry_id, str) else None
            refused.append(RefusedInteraction(id=name, field=error.field, message=error.message))


@dataclass
class _Unnamed:
    """Adds missing ids and times to interactions. The time defaults to the time of the call.

    A new id is a hash of the user, the content, the local day, and the position among equal interactions in this call.
    """

    caller: Caller
    counts: Counter[str] = field(default_factory=Counter)

    def completed(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields with a time and, if the id is missing, a placeholder."""
        missing = {"id": _NO_ID, "time": self.caller.now}
        return {**fields, **{name: value for name, value in missing.items() if fields.get(name) is None}}

    def id_of(self, redacted: Interaction) -> str:
        """Return a new id for a redacted interaction. Without redaction, short secrets could be guessed from the hash."""
        content = redacted.model_dump(mode="json", exclude={"id", "time"})
        zone = self.caller.now.tzinfo
        day = (redacted.time.astimezone(zone) if redacted.time.tzinfo else redacted.time).date()
        identity = json.dumps([self.caller.user_id, content, day.isoformat()], sort_keys=True)
        digest = hashlib.sha256(identity.encode()).hexdigest()
        self.counts[digest] += 1
        return f"unnamed-{hashlib.sha256(f'{digest} {self.counts[digest]}'.encode()).hexdigest()[:32]}"


def _validate_interaction(value: Any, unnamed: _Unnamed) -> SentInteraction:
    if not isinstance(value, Mapping):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "must be an object with a type")
    if "type" not in value:
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "type: is required", "type")
    kind = _KINDS.get(value["type"]) if isinstance(value["type"], str) else None
    if kind is None:
        raise invalid("type", f"must be one of {', '.join(_KINDS)}")
    interaction = validate.check(kind, unnamed.completed(value))
    if interaction.time.year not in YEARS:
        raise invalid("time", f"must lie in {YEARS[0]}-{YEARS[-1]}")
    if isinstance(interaction, Page):
        _refuse_too_long(interaction)
    if isinstance(interaction, SentDiscussion) and len(interaction.messages) > MAX_MESSAGES:
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, _MOST_MESSAGES, "messages")
    return interaction


def _convert_interaction(interaction: SentInteraction) -> Interaction:
    """Return an interaction in the form to record. Raises an error if a discussion has no readable message."""
    if isinstance(interaction, Page):
        return interaction_of(interaction)
    if not isinstance(interaction, SentDiscussion):
        return interaction
    messages = [
        Message(role=message.speaker, content=message.words, id=message.id)
        for message in interaction.messages
        if message.speaker and message.is_read
    ]
    if not messages:
        raise invalid("messages", "none holds text of the user or the assistant")
    return Discussion.model_validate({**interaction.model_dump(exclude={"messages"}), "messages": messages})


def _refuse_too_long(interaction: Interaction | Page) -> None:
    field = "messages" if isinstance(interaction, Discussion) else "text"
    if len(texts_of(interaction)) > MAX_MESSAGES:  # only a page with a transcript can still contain too many messages
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, _MOST_MESSAGES, field)
    if sum(map(len, texts_of(interaction))) > MAX_CHARACTERS:
        message = f"{field}: {MAX_CHARACTERS:,} characters are the most; send several interactions"
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, message, field)
    if isinstance(interaction, Discussion):
        content = "\n".join(texts_of(interaction)).encode()
        if len(content) > MAX_BYTES and len(zlib.compress(content)) > MAX_BYTES:
            message = f"{field}: {MAX_BYTES // 1000} KB, compressed, are the most; send several interactions"
            raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, message, field)


def redacted(interaction: Interaction, caller: Caller, kinds: list[str], before: Interaction | None = None) -> Interaction:
    """Remove secrets from all fields and add the time zone. The previous interaction, `before`, may ask for a secret."""

    def text(value: str, question: str | None = None) -> str:
        redaction = redact(value, question)
        kinds.extend(redaction.kinds)
        return redaction.text

    def name(value: str) -> str:
        text(value)
        return without_secret(value)

    time = in_zone(interaction.time, caller)
    question_before = _find_preceding_text(time, before, caller)
    changed: dict[str, Any] = {"id": name(interaction.id), "time": time}
    match interaction:
        case Discussion():
            questions = [question_before, *(message.content for message in interaction.messages)]
            changed["messages"] = tuple(
                message.model_copy(update={"content": text(message.content, question), "id": message.id and name(message.id)})
                for message, question in zip(interaction.messages, questions, strict=False)
            )
            if interaction.article_title:
                changed["article_title"] = _shorten_title(text(interaction.article_title))
        case Reaction():
            changed |= {"post_id": name(interaction.post_id), "reaction": name(interaction.reaction)}
            changed["title"] = _shorten_title(text(interaction.title))
        case Save():
            changed["post_id"] = interaction.post_id and name(interaction.post_id)
            changed["post_title"] = _shorten_title(text(interaction.post_title))
        case Explicit():
            changed["text"] = text(interaction.text, question_before)
    return interaction.model_copy(update=changed)


def without_answers(interactions: Sequence[Interaction], caller: Caller) -> list[Interaction]:
    """Redact interactions that answer a question for a secret. `interactions` must be ordered by time."""
    cleaned: list[Interaction] = []
    for interaction in interactions:
        before = cleaned[-1] if cleaned else None
        question = _find_preceding_text(in_zone(interaction.time, caller), before, caller)
        cleaned.append(redacted(interaction, caller, [], before) if question and question_in(question) else interaction)
    return cleaned


def _find_preceding_text(time: datetime, before: Interaction | None, caller: Caller) -> str | None:
    """Return the last text of the interaction before, if it came shortly before `time`, or None."""
    if before is None or not timedelta(0) <= time - in_zone(before.time, caller) <= _SOON:
        return None
    texts = texts_of(before)
    return texts[-1] if texts else None


def in_zone(time: datetime, caller: Caller) -> datetime:
    """Add the caller's time zone, or else UTC, to a time without an offset."""
    return time if time.tzinfo else time.replace(tzinfo=caller.now.tzinfo or UTC)


def _shorten_title(text: str) -> str:
    return text[:1_000]  # the placeholder may be longer than the secret


def interaction_of(page: Page) -> Discussion | Reaction:
    """Convert a transcript to a discussion, and any other page to a reaction whose title is the page's first line."""
    turns = turns_of(page.text)
    if turns:
        return Discussion(type="discussion", id=page.id, time=page.time, messages=turns)
    title = next(line.strip(" #\t") for line in page.text.splitlines() if any(map(str.isalnum, line)))
    return Reaction(
        type="reaction",
        id=page.id,
        time=page.time,
        post_id=(page.url or page.id)[:_LONGEST_NAME],
        reaction=f"read on {page.platform}"[:_LONGEST_NAME] if page.platform else "read",
        title=title[:_LONGEST_TITLE],
    )


def turns_of(text: str) -> tuple[Message, ...]:
    """Return the turns in a transcript, or () if the text doesn't begin with a speaker's name or the user says nothing."""
    marks = list(_compile_marks().finditer(text))
    if not marks or text[: marks[0].start()].strip():
        return ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    turns: list[Message] = []
    for mark, end in zip(marks, ends, strict=True):
        is_user = " ".join(mark[1].casefold().split()) in _load_names()["user"]
        turns.append(Message(role="user" if is_user else "assistant", content=text[mark.end() : end].strip()))
    return tuple(message for message in turns if message.content) if any(message.role == "user" for message in turns) else ()


@cache
def _compile_marks() -> re.Pattern[str]:
    names = sorted((name for group in _load_names().values() for name in group), key=len, reverse=True)
    spelled = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in names)
    return re.compile(_MARK.format(names=spelled), re.IGNORECASE | re.MULTILINE)


@cache
def _load_names() -> dict[str, frozenset[str]]:
    return {role: frozenset(names) for role, names in read_table(__package__, "speakers.toml").items()}

"""Checks incoming interactions one by one: form, size, secrets, and missing ids and times."""

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError, ErrorCode, escaped
from commonplace.domain.interactions import (
    YEARS,
    Discussion,
    Explicit,
    GivenDiscussion,
    GivenInteraction,
    Interaction,
    Message,
    Page,
    Reaction,
    RefusedInteraction,
    Save,
    SkippedMessage,
)
from commonplace.nightly.web_pages import interaction_of
from commonplace.ports.values import Caller
from commonplace.text.redaction import redact, without_secret
from commonplace.text.redaction.answers import question_in

MAX_CHARACTERS = 300_000
"""Most characters of an interaction, all texts together."""
MAX_BYTES = 350_000
"""Most bytes of a compressed conversation, stored as one item of at most 400 KB; a character may take three bytes."""
MAX_MESSAGES = 2_000
"""Messages of a discussion, including skipped ones."""
_MOST_MESSAGES = f"messages: {MAX_MESSAGES:,} are the most; send several interactions"

_KINDS: Mapping[str, type[GivenInteraction]] = {
    "discussion": GivenDiscussion,
    "reaction": Reaction,
    "save": Save,
    "explicit": Explicit,
    "page": Page,
}
_NO_ID = "-"
_SOON = timedelta(minutes=10)
"""Time within which an interaction may answer the previous one."""


@dataclass
class Checked:
    """A valid interaction. `places`: the index of each recorded message among the given ones."""

    interaction: Interaction
    places: tuple[int, ...] = ()

    @cached_property
    def name(self) -> str:
        """The id it is recorded under; an id that is a secret is hashed."""
        return without_secret(self.interaction.id)

    @property
    def characters(self) -> int:
        """The total length of its texts."""
        return sum(map(len, _texts(self.interaction)))


def well_formed(
    given: Sequence[Any], caller: Caller, refused: list[RefusedInteraction], skipped: list[SkippedMessage]
) -> Iterator[Checked]:
    """Yield the valid interactions with id and time. Others go to `refused`, and messages not fully read to `skipped`."""
    unnamed = _Unnamed(caller)
    for one in given:
        try:
            checked = _validated(one, unnamed)
            found = _to_recorded(checked)
            _refuse_too_long(found)
            messages = checked.messages if isinstance(checked, GivenDiscussion) else ()
            if one.get("id") is None:
                found = found.model_copy(update={"id": unnamed.id_of(redacted(found, caller, []))})
            skipped += [
                SkippedMessage(id=found.id, index=index, role=message.role, reason=message.not_read)
                for index, message in enumerate(messages)
                if message.not_read is not None
            ]
            yield Checked(found, tuple(index for index, message in enumerate(messages) if message.is_read))
        except CommonplaceError as error:
            refused.append(RefusedInteraction(id=_id_of(one), field=error.field, message=error.message))


@dataclass
class _Unnamed:
    """Completes interactions without id or time; the time is that of the call.

    The id hashes the user, the content, the local day, and its index among the unnamed items of this call.
    """

    caller: Caller
    met: Counter[str] = field(default_factory=Counter)

    def completed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields with a time, and a placeholder for a missing id."""
        missing = {"id": _NO_ID, "time": self.caller.now}
        return {**given, **{name: value for name, value in missing.items() if given.get(name) is None}}

    def id_of(self, redacted: Interaction) -> str:
        """Return the id of an unnamed interaction. Secrets must be removed first: the hash of a short one can be guessed."""
        said = redacted.model_dump(mode="json", exclude={"id", "time"})
        zone = self.caller.now.tzinfo
        day = (redacted.time.astimezone(zone) if redacted.time.tzinfo else redacted.time).date()
        told = json.dumps([self.caller.user_id, said, day.isoformat()], sort_keys=True)
        such = hashlib.sha256(told.encode()).hexdigest()
        self.met[such] += 1
        return f"unnamed-{hashlib.sha256(f'{such} {self.met[such]}'.encode()).hexdigest()[:32]}"


def _id_of(one: Any) -> str | None:
    given_id = one.get("id") if isinstance(one, Mapping) else None
    return escaped(given_id) if isinstance(given_id, str) else None


def _validated(one: Any, unnamed: _Unnamed) -> GivenInteraction:
    if not isinstance(one, Mapping):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "must be an object with a type")
    if "type" not in one:
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "type: is required", "type")
    kind = _KINDS.get(one["type"]) if isinstance(one["type"], str) else None
    if kind is None:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"type: must be one of {', '.join(_KINDS)}", "type")
    interaction = validate.check(kind, unnamed.completed(one))
    if interaction.time.year not in YEARS:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"time: must lie in {YEARS[0]}-{YEARS[-1]}", "time")
    if isinstance(interaction, Page):
        _refuse_too_long(interaction)
    if isinstance(interaction, GivenDiscussion) and len(interaction.messages) > MAX_MESSAGES:
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, _MOST_MESSAGES, "messages")
    return interaction


def _to_recorded(given: GivenInteraction) -> Interaction:
    if isinstance(given, Page):
        return interaction_of(given)
    if not isinstance(given, GivenDiscussion):
        return given
    said = [Message(role=one.speaker, content=one.words, id=one.id) for one in given.messages if one.speaker and one.is_read]
    if not said:
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT, "messages: none holds text of the user or the assistant", "messages"
        )
    return Discussion.model_validate({**given.model_dump(exclude={"messages"}), "messages": said})


def _texts(interaction: Interaction | Page) -> list[str]:
    if isinstance(interaction, Discussion):
        return [message.content for message in interaction.messages]
    return [interaction.text] if isinstance(interaction, Explicit | Page) else []


def _refuse_too_long(interaction: Interaction | Page) -> None:
    field = "messages" if isinstance(interaction, Discussion) else "text"
    if len(_texts(interaction)) > MAX_MESSAGES:  # a page with a transcript
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, _MOST_MESSAGES, field)
    if sum(map(len, _texts(interaction))) > MAX_CHARACTERS:
        message = f"{field}: {MAX_CHARACTERS:,} characters are the most; send several interactions"
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, message, field)
    if isinstance(interaction, Discussion) and _is_too_heavy("\n".join(_texts(interaction)).encode()):
        message = f"{field}: {MAX_BYTES // 1000} KB, compressed, are the most; send several interactions"
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, message, field)


def _is_too_heavy(text: bytes) -> bool:
    return len(text) > MAX_BYTES and len(zlib.compress(text)) > MAX_BYTES


def redacted(interaction: Interaction, caller: Caller, kinds: list[str], before: Interaction | None = None) -> Interaction:
    """Remove secrets from all fields and make the time aware. `before`: an interaction that this one may answer."""

    def text(value: str, question: str | None = None) -> str:
        found = redact(value, question)
        kinds.extend(found.kinds)
        return found.text

    def name(value: str) -> str:
        text(value)
        return without_secret(value)

    time = in_zone(interaction.time, caller)
    asked_before = _preceding_text(time, before, caller)
    changed: dict[str, Any] = {"id": name(interaction.id), "time": time}
    match interaction:
        case Discussion():
            questions = [asked_before, *(message.content for message in interaction.messages)]
            changed["messages"] = tuple(
                message.model_copy(update={"content": text(message.content, asked), "id": message.id and name(message.id)})
                for message, asked in zip(interaction.messages, questions, strict=False)
            )
            if interaction.article_title:
                changed["article_title"] = _title(text(interaction.article_title))
        case Reaction():
            changed |= {"post_id": name(interaction.post_id), "reaction": name(interaction.reaction)}
            changed["title"] = _title(text(interaction.title))
        case Save():
            changed["post_id"] = interaction.post_id and name(interaction.post_id)
            changed["post_title"] = _title(text(interaction.post_title))
        case Explicit():
            changed["text"] = text(interaction.text, asked_before)
    return interaction.model_copy(update=changed)


def without_answers(interactions: Sequence[Interaction], caller: Caller) -> list[Interaction]:
    """Remove answers to a question for a secret in the previous interaction. Expects order of time."""
    found: list[Interaction] = []
    for one in interactions:
        before = found[-1] if found else None
        asked = _preceding_text(in_zone(one.time, caller), before, caller)
        found.append(redacted(one, caller, [], before) if asked and question_in(asked) else one)
    return found


def _preceding_text(time: datetime, before: Interaction | None, caller: Caller) -> str | None:
    if before is None or not timedelta(0) <= time - in_zone(before.time, caller) <= _SOON:
        return None
    texts = _texts(before)
    return texts[-1] if texts else None


def in_zone(time: datetime, caller: Caller) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=caller.now.tzinfo or UTC)


def _title(text: str) -> str:
    return text[:1_000]  # a placeholder may be longer than the secret

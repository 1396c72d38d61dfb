"""Records interactions: each is validated, redacted, split to size, and kept in the ledger until a night reads it."""

import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from commonplace.contract import validate
from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import MAX_TEXT
from commonplace.domain.interactions import (
    Discussion,
    Explicit,
    Interaction,
    Message,
    Reaction,
    RecordResult,
    RefusedInteraction,
    Save,
)
from commonplace.ports.ledger import Ledger
from commonplace.ports.values import Caller
from commonplace.text.redaction import redact

_ID_SHOWN = 90  # characters of an interaction's id in those of its later pieces: 127 in all, of 128
_LAST = MAX_TEXT // 10  # characters at the end of a piece in which it may rather end between two words
MAX_CHARACTERS = 300_000
"""The longest interaction, all its texts together."""
MAX_BYTES = 350_000
"""The heaviest talk, compressed: it is kept as one item of at most 400 KB, and a character may take three bytes."""
MAX_MESSAGES = 2_000

_KINDS: Mapping[str, type[Discussion | Reaction | Save | Explicit]] = {
    "discussion": Discussion,
    "reaction": Reaction,
    "save": Save,
    "explicit": Explicit,
}
_YEARS = range(1970, 2200)  # beyond them some zone has no such day
_BATCH, _BATCH_CHARACTERS = 100, 150_000


def split_interaction(interaction: Interaction) -> list[Interaction]:
    """Splits long messages at 8,000 characters; a long explicit request becomes several, the first under its own id."""
    if isinstance(interaction, Discussion):
        cut = [Message(role=one.role, content=piece) for one in interaction.messages for piece in split_text(one.content)]
        return [interaction.model_copy(update={"messages": tuple(cut)})]
    if isinstance(interaction, Explicit):
        texts = split_text(interaction.text)
        # The others' ids come from the whole id and text: nobody else's piece has one, nor that of a text that died halfway.
        digest = hashlib.sha256(f"{interaction.id}\0{interaction.text}".encode()).hexdigest()[:32]
        name = f"{interaction.id[:_ID_SHOWN]}/{digest}"
        ids = [interaction.id, *(f"{name}/{number:03}" for number in range(2, len(texts) + 1))]
        return [interaction.model_copy(update={"id": own, "text": text}) for own, text in zip(ids, texts, strict=True)]
    return [interaction]


def split_text(text: str) -> list[str]:
    """Splits a text into pieces of at most 8,000 characters, between words where possible; joined they are the text."""
    found = []
    while len(text) > MAX_TEXT:
        blank = max(text.rfind(mark, MAX_TEXT - _LAST, MAX_TEXT) for mark in "\n ")
        end = blank + 1 if blank >= 0 else MAX_TEXT
        found.append(text[:end])
        text = text[end:]
    return [*found, text]


def record_interactions(given: Sequence[Any], caller: Caller, ledger: Ledger) -> RecordResult:
    """Records new interactions; malformed ones are refused, with id and field, without stopping the others.

    Batch by batch, so that what stops in the middle of very much has kept what it came to: a repetition finds that known
    before it reads it again.
    """
    refused: list[RefusedInteraction] = []
    kinds: list[str] = []
    new = known = 0
    for batch in in_batches(_well_formed(given, refused), _BATCH, _characters, _BATCH_CHARACTERS):
        there = {entry.interaction_id for entry in ledger.entries(caller.user_id, [one.id for one in batch])}
        fresh = _record_batch(
            [split_interaction(_redacted(one, caller, kinds)) for one in batch if one.id not in there], caller, ledger
        )
        new, known = new + fresh, known + len(batch) - fresh
    return RecordResult(recorded=new, known=known, refused=refused, redacted=list(dict.fromkeys(kinds)))


def _well_formed(given: Sequence[Any], refused: list[RefusedInteraction]) -> Iterator[Interaction]:
    for one in given:
        try:
            yield _validated(one)
        except CommonplaceError as error:
            refused.append(RefusedInteraction(id=_id_of(one), field=error.field, message=error.message))


def _record_batch(batch: Sequence[list[Interaction]], caller: Caller, ledger: Ledger) -> int:
    """Records a batch and returns how many are new; of a long text whose id is known no piece is recorded.

    The ledger keeps the first piece after the others, so that where it is known the others are there, if they are its own.
    """
    first: dict[str, list[Interaction]] = {}
    for cut in batch:
        first.setdefault(cut[0].id, cut)
    long = [name for name, cut in first.items() if len(cut) > 1]
    known = {entry.interaction_id for entry in ledger.entries(caller.user_id, long)} if long else set()
    pieces = [piece for name, cut in first.items() if name not in known for piece in cut]
    fresh = ledger.record(caller.user_id, pieces, caller.now)
    return sum(is_new and piece.id in first for piece, is_new in zip(pieces, fresh, strict=True))


def _id_of(one: Any) -> str | None:
    given_id = one.get("id") if isinstance(one, Mapping) else None
    return given_id.encode(errors="backslashreplace").decode() if isinstance(given_id, str) else None


def _validated(one: Any) -> Interaction:
    if not isinstance(one, Mapping):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "must be an object with type, id and time")
    if "type" not in one:
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "type: is required", "type")
    kind = _KINDS.get(one["type"]) if isinstance(one["type"], str) else None
    if kind is None:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"type: must be one of {', '.join(_KINDS)}", "type")
    interaction = validate.check(kind, one)
    if interaction.time.year not in _YEARS:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"time: must lie in {_YEARS[0]}-{_YEARS[-1]}", "time")
    _refuse_too_long(interaction)
    return interaction


def _texts(interaction: Interaction) -> list[str]:
    """The texts of an interaction that may be long."""
    if isinstance(interaction, Discussion):
        return [message.content for message in interaction.messages]
    return [interaction.text] if isinstance(interaction, Explicit) else []


def _characters(interaction: Interaction) -> int:
    return sum(map(len, _texts(interaction)))


def _refuse_too_long(interaction: Interaction) -> None:
    field = "messages" if isinstance(interaction, Discussion) else "text"
    if len(_texts(interaction)) > MAX_MESSAGES:
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, f"messages: {MAX_MESSAGES:,} are the most; send several", field)
    if _characters(interaction) > MAX_CHARACTERS:
        message = f"{field}: {MAX_CHARACTERS:,} characters are the most; send several interactions"
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, message, field)
    if isinstance(interaction, Discussion) and _is_too_heavy("\n".join(_texts(interaction)).encode()):
        message = f"{field}: {MAX_BYTES // 1000} KB, compressed, are the most; send several interactions"
        raise CommonplaceError(ErrorCode.TEXT_TOO_LONG, message, field)


def _is_too_heavy(text: bytes) -> bool:
    return len(text) > MAX_BYTES and len(zlib.compress(text)) > MAX_BYTES


def _redacted(interaction: Interaction, caller: Caller, kinds: list[str]) -> Interaction:
    """The interaction without secrets in any field, and with an aware time."""

    def text(value: str, before: str | None = None) -> str:
        found = redact(value, before)
        kinds.extend(found.kinds)
        return found.text

    def name(value: str) -> str:
        return value if text(value) == value else f"redacted-{hashlib.sha256(value.encode()).hexdigest()[:32]}"

    time: datetime = interaction.time
    changed: dict[str, Any] = {
        "id": name(interaction.id),  # a hash in the place of a secret: the same id is still known the next time
        "time": (time if time.tzinfo else time.replace(tzinfo=caller.now.tzinfo or UTC)),
    }
    match interaction:
        case Discussion():
            before = [None, *(message.content for message in interaction.messages)]
            changed["messages"] = tuple(
                Message(role=message.role, content=text(message.content, asked))
                for message, asked in zip(interaction.messages, before, strict=False)
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
            changed["text"] = text(interaction.text)
    return interaction.model_copy(update=changed)


def _title(text: str) -> str:
    return text[:1_000]  # what stands for a secret may be longer than the secret was

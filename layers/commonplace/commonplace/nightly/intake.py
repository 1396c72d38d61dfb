"""Records interactions: what was checked and redacted is split to size and kept in the ledger until a night reads it."""

import hashlib
from collections.abc import Sequence
from typing import Any

from commonplace.domain.batching import in_batches
from commonplace.domain.fields import MAX_TEXT
from commonplace.domain.interactions import (
    Discussion,
    Explicit,
    Interaction,
    Message,
    RecordResult,
    RefusedInteraction,
    SkippedMessage,
)
from commonplace.nightly.given_interactions import characters_of, redacted, well_formed
from commonplace.ports.night import Ledger
from commonplace.ports.values import Caller

_ID_SHOWN = 90  # characters of an interaction's id in those of its later pieces: 127 in all, of 128
_LAST = MAX_TEXT // 10  # characters at the end of a piece in which it may rather end between two words
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
    skipped: list[SkippedMessage] = []
    kinds: list[str] = []
    last: Interaction | None = None
    new = known = 0
    for batch in in_batches(well_formed(given, caller, refused, skipped), _BATCH, characters_of, _BATCH_CHARACTERS):
        there = {entry.interaction_id for entry in ledger.entries(caller.user_id, [one.id for one in batch])}
        clean: list[Interaction] = []
        for one in batch:
            before, last = last, one
            clean += [redacted(one, caller, kinds, before)] if one.id not in there else []
        fresh = _record_batch([split_interaction(one) for one in clean], caller, ledger)
        new, known = new + fresh, known + len(batch) - fresh
    kinds = list(dict.fromkeys(kinds))
    return RecordResult(recorded=new, known=known, refused=refused, skipped=skipped, redacted=kinds)


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

"""Record interactions. Split long texts and store the pieces in the ledger for the next nightly run."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
from commonplace.nightly.given_interactions import Checked, in_zone, redacted, well_formed
from commonplace.nightly.growth import growth, messages_of, part_id, recorded_parts, same_beginning
from commonplace.ports.night import Ledger
from commonplace.ports.values import Caller

_ID_CHARACTERS = 90  # how many characters of the interaction's id begin the ids of later pieces, which have 127 characters
_LAST = MAX_TEXT // 10  # split at a word boundary if there is one in the last 800 characters
_BATCH, _BATCH_CHARACTERS = 100, 150_000
_CHANGED = "differs from the message that was recorded at this place, which stays"


def split_interaction(interaction: Interaction) -> list[Interaction]:
    """Split texts longer than 8,000 characters. A long explicit request becomes several, of which the first keeps the id."""
    if isinstance(interaction, Discussion):
        return [interaction.model_copy(update={"messages": tuple(split_messages(interaction.messages))})]
    if isinstance(interaction, Explicit):
        texts = split_text(interaction.text)
        # Hash the whole id and text, so that ids don't collide with other pieces or with an interrupted recording.
        digest = hashlib.sha256(f"{interaction.id}\0{interaction.text}".encode()).hexdigest()[:32]
        name = f"{interaction.id[:_ID_CHARACTERS]}/{digest}"
        ids = [interaction.id, *(f"{name}/{number:03}" for number in range(2, len(texts) + 1))]
        return [interaction.model_copy(update={"id": own, "text": text}) for own, text in zip(ids, texts, strict=True)]
    return [interaction]


def split_messages(messages: Sequence[Message]) -> list[Message]:
    """Split each message longer than 8,000 characters into several messages."""
    return [message.model_copy(update={"content": piece}) for message in messages for piece in split_text(message.content)]


def split_text(text: str) -> list[str]:
    """Split a text into at least one piece of at most 8,000 characters, between words if possible. No character is lost."""
    pieces = []
    while len(text) > MAX_TEXT:
        blank = max(text.rfind(mark, MAX_TEXT - _LAST, MAX_TEXT) for mark in "\n ")
        end = blank + 1 if blank >= 0 else MAX_TEXT
        pieces.append(text[:end])
        text = text[end:]
    return [*pieces, text]


def record_interactions(interactions: Sequence[Any], caller: Caller, ledger: Ledger) -> RecordResult:
    """Record new interactions, and new messages in known conversations, in batches. Only invalid interactions are refused."""
    refused: list[RefusedInteraction] = []
    skipped: list[SkippedMessage] = []
    intake = _Intake(caller, ledger)
    last: Interaction | None = None
    new = old = 0
    checked = well_formed(interactions, caller, refused, skipped)
    for batch in in_batches(checked, _BATCH, lambda checked: checked.characters, _BATCH_CHARACTERS):
        before = [last, *(item.interaction for item in batch[:-1])]
        last = batch[-1].interaction
        recorded = intake.record(list(zip(batch, before, strict=True)))
        new, old = new + recorded, old + len(batch) - recorded
    kinds = list(dict.fromkeys(intake.kinds))
    return RecordResult(recorded=new, known=old, refused=refused, skipped=skipped, conflicts=intake.conflicts, redacted=kinds)


@dataclass
class _Intake:
    caller: Caller
    ledger: Ledger
    kinds: list[str] = field(default_factory=list)
    conflicts: list[SkippedMessage] = field(default_factory=list)

    def record(self, batch: Sequence[tuple[Checked, Interaction | None]]) -> int:
        """Record interactions, each paired with its predecessor. Returns how many were new or had new messages."""
        known = {entry.interaction_id for entry in self.ledger.entries(self.caller.user_id, [item.name for item, _ in batch])}
        first: dict[str, list[Interaction]] = {}
        for checked, before in batch:
            if checked.name not in known and checked.name not in first:
                first[checked.name] = split_interaction(redacted(checked.interaction, self.caller, self.kinds, before))
        fresh = _record_batch(first, self.caller, self.ledger)
        grown = 0
        for checked, before in batch:
            if checked.name in first and checked.name in fresh:
                del first[checked.name]  # the same id may come again in this batch, with more messages
            else:
                grown += self._record_growth(checked, before)
        return len(fresh) + grown

    def _record_growth(self, checked: Checked, before: Interaction | None) -> bool:
        """Record the new messages in a known conversation as a part. Returns whether there are any."""
        discussion = checked.interaction
        if not isinstance(discussion, Discussion):
            return False
        while True:
            entries = recorded_parts(self.ledger, self.caller.user_id, checked.name)
            known = messages_of(entries)
            if not known:
                return False  # a different kind of interaction has this id
            begun, at = same_beginning(known, [split_messages([message]) for message in discussion.messages])
            pieces, places = self._split_new_messages(begun, discussion, before)
            new, changed = growth(known[at:], pieces, aligned=begun > 0)
            changes: dict[str, Any] = {
                "id": part_id(checked.name, len(entries)),
                "time": in_zone(discussion.time, self.caller),
                "messages": tuple(pieces[at] for at in new),
                "article_title": None,  # already recorded with the first messages
                "part_of": checked.name,
            }
            if not new or all(
                self.ledger.record(self.caller.user_id, [discussion.model_copy(update=changes)], self.caller.now)
            ):
                break  # otherwise another process has recorded this part, so compare again
        self.conflicts += [
            SkippedMessage(
                id=checked.name, index=checked.places[place], role=discussion.messages[place].role, reason=_CHANGED
            )
            for place in dict.fromkeys(places[at] for at in changed)
        ]
        return bool(new)

    def _split_new_messages(
        self, begun: int, discussion: Discussion, before: Interaction | None
    ) -> tuple[list[Message], list[int]]:
        """Return the redacted pieces of the messages from index `begun`, and the message index of each piece."""
        if begun == len(discussion.messages):
            return [], []
        asking = min(begun, 1)  # the previous message may ask for a secret
        remainder = discussion.model_copy(update={"messages": discussion.messages[begun - asking :]})
        clean = redacted(remainder, self.caller, self.kinds, None if begun else before)
        assert isinstance(clean, Discussion)
        cut = [(place, split_messages([message])) for place, message in enumerate(clean.messages[asking:], begun)]
        return [piece for _, pieces in cut for piece in pieces], [place for place, pieces in cut for _ in pieces]


def _record_batch(first: Mapping[str, list[Interaction]], caller: Caller, ledger: Ledger) -> set[str]:
    """Record interactions and return the ids of the new ones. Texts whose first piece is already recorded are skipped.

    The ledger stores the first piece of a text last. If that piece exists, the other pieces exist too.
    """
    long = [name for name, cut in first.items() if len(cut) > 1]
    known = {entry.interaction_id for entry in ledger.entries(caller.user_id, long)} if long else set()
    pieces = [piece for name, cut in first.items() if name not in known for piece in cut]
    fresh = ledger.record(caller.user_id, pieces, caller.now)
    return {piece.id for piece, is_new in zip(pieces, fresh, strict=True) if is_new and piece.id in first}

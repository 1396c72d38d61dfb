"""Find the new messages in a conversation. An agent may record the whole conversation again after every turn.

New messages are stored as a part, which is a separate ledger entry with an id derived from the conversation's id. Existing
entries are never changed, because a run may be reading them.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence

from commonplace.domain.interactions import Discussion, Message
from commonplace.ports.night import Ledger, LedgerEntry

_ID_CHARACTERS = 90  # how many characters of the conversation's id begin the id of a part, which has at most 128
_FIRST_LOOKUP = 16  # how many parts the first lookup covers; each further lookup doubles the number


def part_id(conversation_id: str, number: int) -> str:
    """Return the id of the part with this number. The parts of a conversation are numbered from 1."""
    digest = hashlib.sha256(conversation_id.encode()).hexdigest()[:32]
    return f"{conversation_id[:_ID_CHARACTERS]}/{digest}+{number:04}"


def recorded_parts(ledger: Ledger, user_id: str, conversation_id: str) -> list[LedgerEntry]:
    """Return the ledger entries of the conversation and its parts, in order."""
    entries = ledger.entries(user_id, [conversation_id])
    first, count = 1, _FIRST_LOOKUP
    while True:
        entries_read = ledger.entries(user_id, [part_id(conversation_id, number) for number in range(first, first + count)])
        entries += entries_read
        if len(entries_read) < count:
            return entries
        first, count = first + count, 2 * count


def messages_of(entries: Sequence[LedgerEntry]) -> list[Message | None]:
    """Return the recorded messages, in order, with None for a message whose text was dropped."""
    messages: list[Message | None] = []
    for entry in entries:
        messages += entry.interaction.messages if isinstance(entry.interaction, Discussion) else [None] * entry.messages
    return messages


def same_beginning(known: Sequence[Message | None], new: Sequence[Sequence[Message]]) -> tuple[int, int]:
    """Count the leading messages that are already recorded verbatim. Returns how many messages and how many pieces match."""
    at = 0
    for place, pieces in enumerate(new):
        if list(known[at : at + len(pieces)]) != list(pieces):
            return place, at
        at += len(pieces)
    return len(new), at


def growth(known: Sequence[Message | None], messages: Sequence[Message], aligned: bool) -> tuple[list[int], list[int]]:
    """Return the indexes of new messages and of changed messages. Recorded text is kept even if the message changed.

    Messages are compared by id if both have ids, otherwise by position and text. `messages` may lack earlier known messages.
    If no id and no text is known, all messages count as new, so that nothing is lost. If `aligned` is True, `messages` start
    at the first of `known`, and this rule doesn't apply.
    """
    names, by_id = _number_ids(messages), dict(zip(_number_ids(known), known, strict=True))
    by_id.pop(None, None)
    start = _find_start(known, messages)
    new, changed = [], []
    for at, (name, message) in enumerate(zip(names, messages, strict=True)):
        old = known[start + at] if start + at < len(known) else None
        by_place = name is None or old is None or old.id is None  # dropped messages have no id either
        is_new = name not in by_id and (not by_place or start + at >= len(known))
        old = by_id.get(name, old)
        if is_new:
            new.append(at)
        elif old is not None and (old.role, old.content) != (message.role, message.content):
            changed.append(at)
    is_known = aligned or len(new) + len(changed) < len(messages) or not by_id.keys().isdisjoint(names)
    return (new, changed) if is_known else (list(range(len(messages))), [])


def _find_start(known: Sequence[Message | None], messages: Sequence[Message]) -> int:
    """Return the index from which the rest of `known` equals the beginning of `messages`, or 0 if there is none."""
    old_words, new_words = _list_words(known), _list_words(messages)
    if old_words[: len(new_words)] == new_words[: len(old_words)]:
        return 0
    first = new_words[0] if new_words else None
    starts = (at for at in range(1, len(old_words)) if old_words[at] == first)
    return next((at for at in starts if old_words[at:] == new_words[: len(old_words) - at]), 0)


def _list_words(messages: Sequence[Message | None]) -> list[tuple[str, str] | None]:
    return [None if message is None else (message.role, message.content) for message in messages]


def _number_ids(messages: Sequence[Message | None]) -> list[tuple[str, int] | None]:
    """Number repeated ids, because the pieces of a long message have the same id."""
    count = Counter[str]()
    counted: list[tuple[str, int] | None] = []
    for message in messages:
        if message is None or message.id is None:
            counted.append(None)
        else:
            count[message.id] += 1
            counted.append((message.id, count[message.id]))
    return counted

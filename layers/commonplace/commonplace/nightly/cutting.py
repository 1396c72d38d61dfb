"""What is recorded, cut to size: no message is longer than a memory may be."""

import hashlib

from commonplace.models.fields import MAX_TEXT
from commonplace.models.interactions import Discussion, Explicit, Interaction, Message

_ID_SHOWN = 90  # characters of an interaction's id in those of its later pieces: 127 in all, of 128
_LAST = MAX_TEXT // 10  # characters at the end of a piece in which it may rather end between two words


def in_pieces(interaction: Interaction) -> list[Interaction]:
    """Messages of at most 8,000 characters. A longer wish becomes several, the first under its own id."""
    if isinstance(interaction, Discussion):
        cut = [Message(role=one.role, content=piece) for one in interaction.messages for piece in pieces(one.content)]
        return [interaction.model_copy(update={"messages": tuple(cut)})]
    if isinstance(interaction, Explicit):
        texts = pieces(interaction.text)
        # The others' ids come from the whole id and text: nobody else's piece has one, nor that of a text that died halfway.
        digest = hashlib.sha256(f"{interaction.id}\0{interaction.text}".encode()).hexdigest()[:32]
        name = f"{interaction.id[:_ID_SHOWN]}/{digest}"
        ids = [interaction.id, *(f"{name}/{number:03}" for number in range(2, len(texts) + 1))]
        return [interaction.model_copy(update={"id": own, "text": text}) for own, text in zip(ids, texts, strict=True)]
    return [interaction]


def pieces(text: str) -> list[str]:
    """The text in pieces of at most 8,000 characters that make it up again, cut between words where there are any."""
    found = []
    while len(text) > MAX_TEXT:
        blank = max(text.rfind(mark, MAX_TEXT - _LAST, MAX_TEXT) for mark in "\n ")
        end = blank + 1 if blank >= 0 else MAX_TEXT
        found.append(text[:end])
        text = text[end:]
    return [*found, text]

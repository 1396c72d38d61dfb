"""Build the index document of a memory. Its tokens and flags are used for ranking, and are the same for every engine."""

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass

from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import ContentType, content_type_of
from commonplace.text.foundation import intent_cues, tokenizer

_STATEMENT_TOKENS = 30  # a longer text says more than its type covers, so only its words are checked
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Document:
    """The tokens of a memory's content and labels, and flags for ranking. Labels are tags, category, concepts and note."""

    tokens: tuple[str, ...]
    labels: tuple[str, ...]
    question: bool
    instruction: bool
    preference: bool
    content_type: ContentType
    fingerprint: bytes


def document(memory: Memory) -> Document:
    """Build the document of a memory, without words of other memories, so that a deletion is complete."""
    text = memory.content
    tokens = tokenizer.terms(text)
    short = len(tokens) <= _STATEMENT_TOKENS
    label_texts = (*memory.tags, memory.category, *memory.concepts, memory.user_note or "")
    labels = set(tokenizer.terms(" ".join(label_texts))) - set(tokens)
    return Document(
        tokens=tuple(tokens),
        labels=tuple(sorted(labels)),
        question=intent_cues.is_question(text),
        instruction=(short and memory.memory_type == "meta") or intent_cues.is_instruction(text),
        preference=intent_cues.is_preference(text),  # from the words alone; the broader memory type ranked worse
        content_type=content_type_of(memory.memory_type, memory.category, text),
        fingerprint=fingerprint(memory),
    )


def fingerprint(memory: Memory) -> bytes:
    """Return a hash of folded content, collection, agent, session and position, which equal memories have in common."""
    return fingerprint_of(memory.content, memory.collection, memory.agent_id, memory.session_id, memory.position)


def fingerprint_of(content: str, collection: str, agent_id: str, session_id: str | None, position: int | None) -> bytes:
    """Return the fingerprint of content that is not yet stored as a memory."""
    parts = [folded(content), collection, agent_id, session_id, position]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8")).digest()


def folded(text: str) -> str:
    """Case-fold a text and collapse its spaces, for comparison."""
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def digest(memory: Memory) -> str:
    """Return a digest of the content, for checking whether an index document is up to date."""
    return hashlib.blake2b(memory.content.encode(), digest_size=8).hexdigest()


def record_hash(memory: Memory) -> str:
    """Return the SHA-256 of a record's canonical JSON, without its usage, in hex."""
    fields = memory.model_dump(mode="json", exclude={"access_count", "last_accessed"})
    return hashlib.sha256(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

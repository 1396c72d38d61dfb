"""Build the index document of a memory. Its tokens and flags, which are the same for every engine, are used for ranking."""

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass

from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import ContentType, content_type_of
from commonplace.text.foundation import intent_cues, tokenizer

_STATEMENT_TOKENS = 30  # in a longer text, only the words are checked, because the type describes just a part
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Document:
    """Tokens from a memory's content and labels, and flags for ranking. Labels are the tags, category, concepts and note."""

    tokens: tuple[str, ...]
    labels: tuple[str, ...]
    question: bool
    instruction: bool
    preference: bool
    content_type: ContentType
    fingerprint: bytes


def document(memory: Memory) -> Document:
    """Build the document of a memory. It contains no words from other memories, so that a deletion is complete."""
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
        preference=intent_cues.is_preference(text),  # from the words alone, because the broader memory type ranked worse
        content_type=content_type_of(memory.memory_type, memory.category, text),
        fingerprint=fingerprint(memory),
    )


def fingerprint(memory: Memory) -> bytes:
    """Return a hash of folded content, collection, agent, session and position. Equal memories have the same hash."""
    return fingerprint_of(memory.content, memory.collection, memory.agent_id, memory.session_id, memory.position)


def fingerprint_of(content: str, collection: str, agent_id: str, session_id: str | None, position: int | None) -> bytes:
    """Return the fingerprint that a memory with these fields would have."""
    parts = [folded(content), collection, agent_id, session_id, position]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8")).digest()


def folded(text: str) -> str:
    """Normalize a text for comparison by case-folding it and collapsing its spaces."""
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def digest(memory: Memory) -> str:
    """Return a digest of the content, for checking whether an index document is up to date."""
    return hashlib.blake2b(memory.content.encode(), digest_size=8).hexdigest()


def record_hash(memory: Memory) -> str:
    """Return the SHA-256, in hex, of a record's canonical JSON without the usage fields."""
    fields = memory.model_dump(mode="json", exclude={"access_count", "last_accessed"})
    return hashlib.sha256(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

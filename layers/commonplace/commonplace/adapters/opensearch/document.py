"""Defines the layout of the index, and converts records and tombstones to documents."""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from commonplace.adapters.opensearch.client import integer, numbers
from commonplace.domain.memory import Memory
from commonplace.domain.outline import Outline, seconds
from commonplace.ports.values import IndexChange, Tombstone
from commonplace.retrieval.documents import digest, document

ALIAS = "commonplace"
_LONGEST_TOKEN = 8_191  # characters of up to four bytes each; a Lucene term is limited to 32,766 bytes
_KEYWORDS = (
    "memory_id user_id agent_id status collection durability memory_type category section content_type subject emotion"
    " session_id speaker tags embedding_model digest"
).split()
_FLAGS = ("question", "instruction", "preference")
_TIMES = ("happened_at", "created_at", "valid_from", "valid_to", "expires_at")
ROW = (
    "memory_id user_id tokens labels length session_id position speaker question instruction preference day importance"
    " created_at embedding_model"
).split()
"""The fields of a document that a search reads."""
OUTLINE = "outline"
"""The field that contains a memory's outline."""
_NOT_STORED = ["vector", "row", OUTLINE]


@dataclass(frozen=True)
class Layout:
    """The parameters of an index. Changing a parameter other than `replicas` requires a new version of the index.

    `engine` is the k-NN library. `embedding_model` computed all vectors. Searches see a write within `refresh`.
    """

    embedding_model: str
    dimension: int
    engine: Literal["lucene", "faiss"] = "lucene"
    shards: int = 1
    replicas: int = 0
    refresh: str = "1s"


def mark(layout: Layout) -> dict[str, str]:
    """Return an index's metadata, which consists of the embedding model and a digest of the layout without `replicas`."""
    whole = json.dumps([settings(replace(layout, replicas=0)), properties(layout)], sort_keys=True)
    digest = hashlib.sha256(whole.encode()).hexdigest()[:16]
    return {"embedding_model": layout.embedding_model, "layout": digest}


def mappings(layout: Layout) -> dict[str, Any]:
    """Return the mapping of the index. The stored source excludes the fields that are never read from the source."""
    stored = {"excludes": _NOT_STORED}
    return {"dynamic": "strict", "_meta": mark(layout), "_source": stored, "properties": properties(layout)}


def settings(layout: Layout) -> dict[str, Any]:
    """Return the index settings. The analyzer splits only at spaces, and BM25 uses the parameters in `bm25.py`."""
    return {
        "knn": True,
        "number_of_shards": layout.shards,
        "number_of_replicas": layout.replicas,
        "refresh_interval": layout.refresh,  # explicit, so that OpenSearch also refreshes an idle index
        "similarity": {"default": {"type": "BM25", "k1": 1.2, "b": 0.5}},
        "analysis": {
            "tokenizer": {"at_spaces": {"type": "whitespace", "max_token_length": _LONGEST_TOKEN}},
            "analyzer": {"ready_made": {"type": "custom", "tokenizer": "at_spaces"}},
        },
    }


def properties(layout: Layout) -> dict[str, Any]:
    """Return the field mappings. Timestamps are in seconds since 1970. `day` is the ordinal of a date."""
    words = {"type": "text", "analyzer": "ready_made", "index_options": "freqs"}
    method = {"name": "hnsw", "space_type": "cosinesimil", "engine": layout.engine}
    return {
        **{name: {"type": "keyword"} for name in _KEYWORDS},
        **{name: {"type": "boolean"} for name in _FLAGS},
        **{name: {"type": "double"} for name in _TIMES},
        **{name: {"type": "integer"} for name in ("position", "length", "day", "year")},
        "tokens": words,
        "labels": words,
        "importance": {"type": "double"},
        "version": {"type": "long"},
        # The fields for ranking are packed into one binary field. Reading it from a thousand scattered documents takes 3 ms;
        # reading their stored source takes 260 ms.
        "row": {"type": "binary", "doc_values": True},
        OUTLINE: {"type": "binary", "doc_values": True},
        "vector": {"type": "knn_vector", "dimension": layout.dimension, "method": method},
        "content": {"type": "keyword", "index": False, "doc_values": False},  # for `similar`
    }


def packed(values: Mapping[str, Any]) -> str:
    """Pack the values of the `ROW` fields into one field."""
    return _encode_field([values[name] for name in ROW])


def _encode_field(values: Any) -> str:
    return base64.b64encode(json.dumps(values, ensure_ascii=False).encode()).decode()


def unpacked(fields: Iterable[str]) -> list[list[Any]]:
    """Unpack row or outline fields. A row's values are in the order of `ROW`. In an outline, the user id comes first."""
    texts = [base64.urlsafe_b64decode(field + "==") for field in fields]  # OpenSearch returns the values without padding
    rows: list[list[Any]] = json.loads(b"[" + b",".join(texts) + b"]")
    return rows


def source(change: IndexChange, metadata: Mapping[str, str]) -> dict[str, Any]:
    """Return the full document for a change, or a tombstone for a purged record. A vector from another model is left out."""
    if isinstance(change, Tombstone):
        return {"user_id": change.user_id, "status": "purged", "version": change.version}
    memory = change.memory
    made = {**_build_fields(memory), **_build_ranking_fields(memory)}
    made["embedding_model"] = None if change.vector is None else memory.embedding_model
    made["row"] = packed({name: made.get(name) for name in ROW})
    made["position"] = None if memory.position is None else integer(memory.position)
    made[OUTLINE] = _encode_field([memory.user_id, *(Outline.of(memory) or ())])
    if change.vector is not None and memory.embedding_model == metadata.get("embedding_model"):
        made["vector"] = numbers(change.vector)
    return {name: value for name, value in made.items() if value is not None}


def stored(change: IndexChange) -> dict[str, Any]:
    """Return the part of a change's document that OpenSearch stores as the document's source."""
    made = source(change, {})
    return {name: made[name] for name in made.keys() - _NOT_STORED}


def key(change: IndexChange) -> tuple[str, str]:
    """Return the user id and memory id of a change."""
    if isinstance(change, Tombstone):
        return change.user_id, change.memory_id
    return change.memory.user_id, change.memory.memory_id


def revision(change: IndexChange) -> int:
    """Return a change's external version, which is twice the record's, so that a tombstone can have a later version."""
    if isinstance(change, Tombstone):
        return 2 * change.version + 2
    return 2 * change.memory.version


def _build_fields(memory: Memory) -> dict[str, Any]:
    return {
        "memory_id": memory.memory_id,
        "user_id": memory.user_id,
        "agent_id": memory.agent_id,
        "status": memory.status,
        "version": memory.version,
        "collection": memory.collection,
        "durability": memory.durability,
        "memory_type": memory.memory_type,
        "category": memory.category,
        "section": memory.section,
        "subject": memory.subject,
        "emotion": memory.emotion,
        "tags": sorted(set(memory.tags)) or None,
        "content": memory.content,
        "digest": digest(memory),
        "valid_from": seconds(memory.valid_from),
        "valid_to": seconds(memory.valid_to),
        "expires_at": seconds(memory.expires_at),
    }


def _build_ranking_fields(memory: Memory) -> dict[str, Any]:
    made = document(memory)
    return {
        "tokens": " ".join(made.tokens),
        "labels": " ".join(made.labels),
        "length": len(made.tokens),
        "question": made.question,
        "instruction": made.instruction,
        "preference": made.preference,
        "content_type": made.content_type,
        "session_id": memory.session_id,
        "position": memory.position,
        "speaker": memory.speaker and memory.speaker.lower(),
        "importance": memory.importance,
        "happened_at": memory.happened_at.timestamp(),
        "created_at": memory.created_at.timestamp(),
        "day": memory.happened_at.toordinal(),
        "year": memory.happened_at.year,
    }

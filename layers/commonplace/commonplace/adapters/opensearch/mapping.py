"""How the index is laid out: strict fields, tokens ready-made by our analyzer, vectors with a named k-NN engine."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any, Literal

ALIAS = "commonplace"
_LONGEST_TOKEN = 8_191  # in characters: four bytes each, a term of Lucene holds 32,766
_KEYWORDS = (
    "memory_id user_id agent_id status collection memory_type category section content_type subject emotion session_id"
    " speaker tags embedding_model digest"
).split()
_FLAGS = ("question", "instruction", "preference")
_TIMES = ("happened_at", "created_at", "valid_from", "valid_to", "expires_at")


@dataclass(frozen=True)
class Layout:
    """What an index is made with; another one of these, but for the copies, needs another version of the index.

    `engine`: the k-NN library; `embedding_model`: whose vectors it holds, no others; `refresh`: how long at the most until
    a write that was taken is found through the index.
    """

    embedding_model: str
    dimension: int
    engine: Literal["lucene", "faiss"] = "lucene"
    shards: int = 1
    replicas: int = 0
    refresh: str = "1s"


def mark(layout: Layout) -> dict[str, str]:
    """What an index tells of itself: the model of its vectors, and a digest by which a changed layout is known.

    Copies are no part of it: an index gets and loses them while it is asked.
    """
    whole = json.dumps([settings(replace(layout, replicas=0)), properties(layout)], sort_keys=True)
    return {"embedding_model": layout.embedding_model, "layout": hashlib.sha256(whole.encode()).hexdigest()[:16]}


def mappings(layout: Layout) -> dict[str, Any]:
    """The mapping. Vectors and rows are kept out of the stored source: nothing reads them there, and they are most of it."""
    return {
        "dynamic": "strict",
        "_meta": mark(layout),
        "_source": {"excludes": ["vector", "row"]},
        "properties": properties(layout),
    }


def settings(layout: Layout) -> dict[str, Any]:
    """The settings: an analyzer that only splits at spaces, and BM25 as `scoring.py` has it."""
    return {
        "knn": True,
        "number_of_shards": layout.shards,
        "number_of_replicas": layout.replicas,
        "refresh_interval": layout.refresh,  # named, so that an index nobody asks for a while is refreshed as well
        "similarity": {"default": {"type": "BM25", "k1": 1.2, "b": 0.5}},
        "analysis": {
            "tokenizer": {"at_spaces": {"type": "whitespace", "max_token_length": _LONGEST_TOKEN}},
            "analyzer": {"ready_made": {"type": "custom", "tokenizer": "at_spaces"}},
        },
    }


def properties(layout: Layout) -> dict[str, Any]:
    """The fields. Times are seconds since 1970; `day` is an ordinal."""
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
        # What ranking must know, ready-made beside the other fields: to read this of a thousand scattered documents takes
        # 3 ms, to read their stored source 260.
        "row": {"type": "binary", "doc_values": True},
        "vector": {"type": "knn_vector", "dimension": layout.dimension, "method": method},
        "content": {"type": "keyword", "index": False, "doc_values": False},  # for `similar`
    }

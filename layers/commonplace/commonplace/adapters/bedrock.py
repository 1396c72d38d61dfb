"""Titan Text Embeddings V2 on Bedrock, an optional embedder for languages that the default model doesn't cover.

The model takes one text per call, so many texts are sent in parallel calls. A call costs money and takes about 100 ms. The
embedder therefore caches the latest vectors. On AWS the cache lives as long as its container.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import botocore.session
import numpy as np
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.ports.values import Vector

_MODEL = "amazon.titan-embed-text-v2:0"
_ATTEMPTS = 4
_CACHE_SIZE = 1000  # texts; a vector has 1 KB
_MOST_PARALLEL = 8  # must be less than the client's ten connections
_CONNECT_SECONDS, _READ_SECONDS = 1.0, 3.0  # about 23 s with all attempts and pauses; a function must answer in 29 s


class TitanEmbedder:
    """Embeds texts of any language as unit vectors with 256 dimensions. `region` is ignored if a client is given."""

    name = "amazon.titan-embed-text-v2:0-256"
    dimension = 256

    def __init__(self, client: Any = None, region: str | None = None) -> None:
        session: Any = botocore.session.get_session()
        self._client = client or session.create_client("bedrock-runtime", region_name=region, config=_build_config())
        self._embedded = lru_cache(_CACHE_SIZE)(self._embed_once)  # errors are not cached

    def embed(self, text: str) -> Vector | None:
        """Return a read-only unit vector, or None for an empty text. Long texts are cut. Raises `STORAGE_UNAVAILABLE`."""
        return self._embedded(text) if text.strip() else None

    def _embed_once(self, text: str) -> Vector:
        request = {"inputText": text, "dimensions": self.dimension, "normalize": True, "embeddingTypes": ["float"]}
        try:
            answer = self._client.invoke_model(
                modelId=_MODEL, body=json.dumps(request), contentType="application/json", accept="application/json"
            )
            vector = np.array(json.loads(answer["body"].read())["embedding"], dtype=np.float32)
        except (BotoCoreError, ClientError) as error:
            if _is_too_long(error):
                return self._embed_once(text[: len(text) // 2])
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the embedding model doesn't answer; try again") from error
        if vector.shape != (self.dimension,) or not np.isfinite(vector).all() or not vector.any():
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the embedding model gave no usable vector; try again")
        unit = np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
        unit.setflags(write=False)
        return unit

    def features(self, text: str) -> None:
        """Return None, because the model has no further features."""

    def embed_question(self, text: str) -> Vector | None:
        """Return the vector of a question. Questions are embedded like other texts."""
        return self.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vectors of many texts in their order. Each text is one request, and several requests run at a time."""
        each = dict.fromkeys(texts)
        with ThreadPoolExecutor(_MOST_PARALLEL, thread_name_prefix="commonplace-titan") as threads:
            vectors = dict(zip(each, threads.map(self.embed, each), strict=True))
        return [vectors[text] for text in texts]


def _is_too_long(error: BotoCoreError | ClientError) -> bool:
    # The limit is 8,192 tokens. Only Bedrock can count the tokens; in some scripts, 8,000 characters exceed the limit.
    return isinstance(error, ClientError) and "Too many input tokens" in error.response["Error"].get("Message", "")


def _build_config() -> Config:
    # The mode `adaptive` waits a random time between attempts and slows down while Bedrock throttles.
    return Config(
        retries={"total_max_attempts": _ATTEMPTS, "mode": "adaptive"},
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
    )

"""Titan Text Embeddings V2 on Bedrock: the optional embedder, for languages that the static model does not cover.

One call embeds one text: the model takes no batch, so many texts are several calls at a time. Each costs money and some
100 ms, so the vectors of the last texts are kept as long as the embedder is: on AWS as long as its container.
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
_KEPT = 1000  # texts with their vectors of 1 KB each: some MB
_AT_ONCE = 8  # below the ten connections of a client
_CONNECT_SECONDS, _READ_SECONDS = 1.0, 3.0  # with every attempt and pause some 23: a function has 29 to answer in


class TitanEmbedder:
    """Embeds any language, in 256 dimensions, as unit vectors. `region`: where Bedrock is asked, unless a client is given."""

    name = "amazon.titan-embed-text-v2:0-256"
    dimension = 256

    def __init__(self, client: Any = None, region: str | None = None) -> None:
        session: Any = botocore.session.get_session()
        self._client = client or session.create_client("bedrock-runtime", region_name=region, config=_config())
        self._embedded = lru_cache(_KEPT)(self._asked)  # of one model; what raises is not kept

    def embed(self, text: str) -> Vector | None:
        """A unit vector, None for an empty text; that of its beginning where it has more tokens than the model takes.

        The vector is read-only, for the same text is given the same one. Raises `STORAGE_UNAVAILABLE` when Bedrock doesn't
        answer.
        """
        return self._embedded(text) if text.strip() else None

    def _asked(self, text: str) -> Vector:
        asked = {"inputText": text, "dimensions": self.dimension, "normalize": True, "embeddingTypes": ["float"]}
        try:
            answer = self._client.invoke_model(
                modelId=_MODEL, body=json.dumps(asked), contentType="application/json", accept="application/json"
            )
            found = np.array(json.loads(answer["body"].read())["embedding"], dtype=np.float32)
        except (BotoCoreError, ClientError) as error:
            if _is_too_long(error):
                return self._asked(text[: len(text) // 2])
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the embedding model doesn't answer; try again") from error
        if found.shape != (self.dimension,) or not np.isfinite(found).all() or not found.any():
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the embedding model gave no usable vector; try again")
        unit = np.asarray(found / np.linalg.norm(found), dtype=np.float32)
        unit.setflags(write=False)
        return unit

    def features(self, text: str) -> None:
        """None: the model tells nothing but its vector."""

    def embed_question(self, text: str) -> Vector | None:
        """As any text."""
        return self.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """The vectors of many texts, in their order; several requests run at a time, one for each text."""
        each = dict.fromkeys(texts)
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="commonplace-titan") as threads:
            vectors = dict(zip(each, threads.map(self.embed, each), strict=True))
        return [vectors[text] for text in texts]


def _is_too_long(error: BotoCoreError | ClientError) -> bool:
    # 8,192 tokens, which nobody else counts: in some scripts 8,000 characters are more.
    return isinstance(error, ClientError) and "Too many input tokens" in error.response["Error"].get("Message", "")


def _config() -> Config:
    # `adaptive` waits before it asks again, with jitter, and slows down while Bedrock throttles.
    return Config(
        retries={"total_max_attempts": _ATTEMPTS, "mode": "adaptive"},
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
    )

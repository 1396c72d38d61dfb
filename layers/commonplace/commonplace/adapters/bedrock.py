"""Titan Text Embeddings V2 on Bedrock: the optional embedder, for languages that the static model does not cover.

One call embeds one text: the model takes no batch, so many texts are several calls at a time.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import botocore.session
import numpy as np
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.ports.record_values import Vector

_MODEL = "amazon.titan-embed-text-v2:0"
_ATTEMPTS = 4
_AT_ONCE = 8  # below the ten connections of a client
_CONNECT_SECONDS, _READ_SECONDS = 1.0, 3.0  # with every attempt and pause some 23: a function has 29 to answer in


class TitanEmbedder:
    """Embeds any language, in 256 dimensions, as unit vectors. `region`: where Bedrock is asked, unless a client is given."""

    name = "amazon.titan-embed-text-v2:0-256"
    dimension = 256

    def __init__(self, client: Any = None, region: str | None = None) -> None:
        session: Any = botocore.session.get_session()
        self._client = client or session.create_client("bedrock-runtime", region_name=region, config=_config())

    def embed(self, text: str) -> Vector | None:
        """A unit vector, None for an empty text; that of its beginning where it has more tokens than the model takes.

        Raises `STORAGE_UNAVAILABLE` when Bedrock doesn't answer.
        """
        if not text.strip():
            return None
        asked = {"inputText": text, "dimensions": self.dimension, "normalize": True, "embeddingTypes": ["float"]}
        try:
            answer = self._client.invoke_model(
                modelId=_MODEL, body=json.dumps(asked), contentType="application/json", accept="application/json"
            )
            found = np.array(json.loads(answer["body"].read())["embedding"], dtype=np.float32)
        except (BotoCoreError, ClientError) as error:
            if _is_too_long(error):
                return self.embed(text[: len(text) // 2])
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the embedding model doesn't answer; try again") from error
        if found.shape != (self.dimension,) or not np.isfinite(found).all() or not found.any():
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the embedding model gave no usable vector; try again")
        return np.asarray(found / np.linalg.norm(found), dtype=np.float32)

    def features(self, text: str) -> None:
        """None: the model tells nothing but its vector."""

    def embed_question(self, text: str) -> Vector | None:
        """As any text."""
        return self.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """The vectors of many texts, in their order; several requests run at a time."""
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="commonplace-titan") as threads:
            return list(threads.map(self.embed, texts))


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

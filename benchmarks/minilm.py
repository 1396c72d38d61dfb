"""all-MiniLM-L6-v2 in full precision, a forward pass in NumPy over published weights: what other stores embed with.

Our own copy of the model is quantised; the others get the original, so that nothing is taken from them.
"""

import json
import math
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

_MOST_PIECES = 256


class MiniLM:
    """Embeds texts one by one. `folder` holds config.json, model.safetensors, tokenizer.json of sentence-transformers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.embed = lru_cache(maxsize=None)(self._embed)

    @cached_property
    def _weights(self) -> "dict[str, Array]":
        from safetensors.numpy import load_file

        return dict(load_file(self._folder / "model.safetensors"))

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MOST_PIECES)
        return tokenizer

    def _embed(self, text: str) -> tuple[float, ...]:
        """The mean over the pieces of the last layer, unit length, 384 numbers."""
        ids = self._tokenizer.encode(text).ids
        held = self._weights
        rows = held["embeddings.word_embeddings.weight"][ids] + held["embeddings.token_type_embeddings.weight"][0]
        state = self._normal(rows + held["embeddings.position_embeddings.weight"][: len(ids)], "embeddings.LayerNorm")
        for number in range(self._config["num_hidden_layers"]):
            state = self._layer(state, f"encoder.layer.{number}")
        mean = state.mean(axis=0)
        return tuple((mean / np.linalg.norm(mean)).tolist())

    def _layer(self, state: "Array", name: str) -> "Array":
        """Attention and feed-forward of BERT, each with what went in added to it."""
        heads = self._config["num_attention_heads"]
        query, key, value = (
            self._linear(state, f"{name}.attention.self.{part}").reshape(len(state), heads, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        likeness = query @ key.swapaxes(1, 2) / np.float32(math.sqrt(query.shape[-1]))
        shares = np.exp(likeness - likeness.max(axis=-1, keepdims=True))
        seen = (shares / shares.sum(axis=-1, keepdims=True) @ value).swapaxes(0, 1).reshape(len(state), -1)
        seen = self._linear(seen, f"{name}.attention.output.dense")
        state = self._normal(state + seen, f"{name}.attention.output.LayerNorm")
        wide = self._linear(state, f"{name}.intermediate.dense")
        bent = (wide * (1 + _erf(wide / math.sqrt(2))) / 2).astype(np.float32)
        return self._normal(state + self._linear(bent, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _linear(self, state: "Array", name: str) -> "Array":
        found: Array = state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return found

    def _normal(self, state: "Array", name: str) -> "Array":
        spread = np.sqrt(state.var(axis=-1, keepdims=True) + self._config["layer_norm_eps"])
        found: Array = (state - state.mean(axis=-1, keepdims=True)) / spread
        return found * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def _erf(numbers: "Array") -> "Array":
    """The error function to 1.5e-7 (Abramowitz and Stegun, 7.1.26): NumPy has none, and `math.erf` takes one at a time."""
    size = np.abs(numbers)
    share = 1 / (1 + 0.3275911 * size)
    series = np.polyval([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.0], share)
    found: Array = np.sign(numbers) * (1 - series * np.exp(-size * size))
    return found

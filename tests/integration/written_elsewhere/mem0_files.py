"""Writes `mem0.json` and `mem0_history.sql`: what mem0's own store gives by `get_all`, and the history that it kept."""

import json
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from tests.integration.written_elsewhere.script import MADE, Clock, ids, vector

_SIZE, _SEED = 8, 7
_EXTRACTED = {
    "memory": [
        {"id": "0", "text": "User is allergic to peanuts.", "attributed_to": "user"},
        {"id": "1", "text": "User's sister Ana lives in Porto.", "attributed_to": "user"},
        {"id": "2", "text": "Assistant recommended the bakery on Rua Augusta.", "attributed_to": "assistant"},
    ]
}


class _Scripted:
    """The model that reads talks and the one that makes vectors, both without a model."""

    def generate_response(self, *_: Any, **__: Any) -> str:
        return json.dumps(_EXTRACTED)

    def embed(self, text: str, *_: Any, **__: Any) -> list[float]:
        return vector(text, _SIZE)

    def embed_batch(self, texts: list[str], *_: Any, **__: Any) -> list[list[float]]:
        return [vector(text, _SIZE) for text in texts]


def main() -> None:
    """Adds what was read out of a talk and what was said, and changes and deletes some of it."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder}  # read when it is imported
        memory = _memory(Path(folder))
        talk = [{"role": "user", "content": "No peanuts for me. Ana, my sister, is in Porto."}]
        memory.add(talk, user_id="alex", run_id="r1", metadata={"source": "intake form"})
        lives, _, gym, oat = (_added(memory, *one) for one in (
            ("I live in Berlin.", {"mood": "calm", "tags": ["home"]}, None),
            ("I play the cello in a quartet.", None, None),
            ("I have a gym pass.", None, "2030-05-01"),
            ("I drink oat milk.", None, None),
        ))  # fmt: skip
        memory.add(
            [{"role": "assistant", "name": "Sam", "content": "I booked the table for eight."}], user_id="alex", infer=False
        )
        memory.update(lives, text="I live in Lisbon.")
        memory.update(gym, metadata={"price": 39.5})
        memory.delete(oat)
        (MADE / "mem0.json").write_text(json.dumps(_all(memory), indent=1, ensure_ascii=False) + "\n", "utf-8")
        memory.close()
        with sqlite3.connect(Path(folder) / "history.db") as kept:
            (MADE / "mem0_history.sql").write_text("\n".join(kept.iterdump()) + "\n", "utf-8")


def _memory(folder: Path) -> Any:
    import mem0.memory.main
    import mem0.memory.storage
    from mem0 import Memory

    memory = Memory.from_config({
        "vector_store": {"provider": "qdrant", "config": {"path": str(folder / "qdrant"), "embedding_model_dims": _SIZE}},
        "embedder": {"provider": "openai", "config": {"api_key": "never asked"}},
        "llm": {"provider": "openai", "config": {"api_key": "never asked"}},
        "history_db_path": str(folder / "history.db"),
    })  # fmt: skip
    memory.llm = memory.embedding_model = _Scripted()
    drawn = ids(_SEED)
    for module in (mem0.memory.main, mem0.memory.storage):
        module.datetime = Clock
        module.uuid.uuid4 = lambda: next(drawn)
    return memory


def _added(memory: Any, said: str, metadata: dict[str, Any] | None, until: str | None) -> str:
    more = {"metadata": metadata, "expiration_date": until}
    (one,) = memory.add(said, user_id="alex", infer=False, **more)["results"]
    return str(one["id"])


def _all(memory: Any) -> dict[str, Any]:
    found: dict[str, Any] = memory.get_all(filters={"user_id": "alex"}, top_k=100)
    found["results"].sort(key=lambda one: one["created_at"])
    return found


if __name__ == "__main__":
    main()

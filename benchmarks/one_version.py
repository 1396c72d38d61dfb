"""One version at work on a file of its own, for `benchmarks.against`: a call a line in, what it took and found a line out.

It is run over the package of any version, so it asks for nothing but `commonplace` itself, as it has been since 0.1.
"""

import functools
import json
import sys
import time
from pathlib import Path
from typing import Any

from commonplace import Commonplace
from commonplace.settings import Settings


def main() -> None:
    """Fills the file named by the first argument with the turns of the first line, then answers each further one."""
    settings = Settings.model_validate({"timezone": "UTC"})
    with Commonplace(Path(sys.argv[1]), user_id="bench", settings=settings) as memory:
        embedding = _watched(memory)
        memory.import_turns(json.loads(sys.stdin.readline()))
        _reply({})
        for line in sys.stdin:
            tool, arguments = json.loads(line)
            embedding.clear()
            began = _clocks()
            answer = memory.call(tool, arguments)
            whole = _since(began)
            models = [sum(each) for each in zip((0.0, 0.0), *embedding, strict=True)]
            hits = answer.get("results", ())
            found = [(hit["content"], hit["relevance_score"]) for hit in hits]
            _reply({"whole": whole, "models": models, "found": found})


def _clocks() -> tuple[float, float]:
    """Processor time and wall time, in seconds."""
    return time.process_time(), time.perf_counter()


def _since(began: tuple[float, float]) -> list[float]:
    return [now - then for now, then in zip(_clocks(), began, strict=True)]


def _watched(memory: Commonplace) -> list[list[float]]:
    """What each embedding took, in seconds on both clocks, to be cleared before a call."""
    spent: list[list[float]] = []
    embedder: Any = memory._local.ports.embedder
    kind: Any = type(embedder.__dict__.get("_made", lambda: embedder)())
    embed = kind.embed

    @functools.wraps(embed)
    def timed(self: Any, text: str) -> Any:
        began = _clocks()
        try:
            return embed(self, text)
        finally:
            spent.append(_since(began))

    kind.embed = timed
    return spent


def _reply(told: dict[str, Any]) -> None:
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()

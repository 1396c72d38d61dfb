"""Move a user's memories to the next embedding model, a few after each write or all at once."""

import logging
import time
from collections.abc import Callable

from commonplace.domain.errors import CommonplaceError
from commonplace.ports.bundle import Ports
from commonplace.ports.models import Embedder
from commonplace.ports.records import Reembedding

SECONDS_PER_WRITE = 0.05
_BATCH = 32
_log = logging.getLogger("commonplace")


def after_write(user_id: str, ports: Ports) -> None:
    """Embed some of a user's memories that have old vectors. Never raises, because the caller's write is done."""
    if ports.reembedding is None:
        return
    try:
        reembed(user_id, ports.reembedding, ports.embedder, SECONDS_PER_WRITE)
    except CommonplaceError as error:  # another process is writing; the next write continues
        _log.warning("no memory was embedded again: %s", error.code.label)


def reembed(
    user_id: str, reembedding: Reembedding, embedder: Embedder, seconds: float, done: Callable[[int], None] = lambda _: None
) -> bool:
    """Embed memories for `seconds`. After the last memory, switch the user to the model. Returns True after the switch."""
    until: float | None = None
    embedded = 0
    while left := reembedding.left(user_id, _BATCH):
        vectors = []
        for number, content in left:
            vectors.append((number, embedder.embed(content)))
            if until is None:  # starts with the second text: the first may load the model
                until = time.monotonic() + seconds if embedded or len(vectors) > 1 else None
            elif time.monotonic() >= until:
                break
        reembedding.keep(user_id, vectors)
        embedded += len(vectors)
        done(embedded)
        if until is not None and time.monotonic() >= until:
            break
    return reembedding.switch(user_id)

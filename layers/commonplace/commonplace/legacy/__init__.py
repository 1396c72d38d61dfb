"""Offer the read tools of the old store under their old names, for memories that were migrated to Commonplace.

`memory` is the `Commonplace` to read. Without `memory`, a function opens the memory that the environment variables name.
Nothing is written, and no use is counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from commonplace.client.memory import Commonplace
from commonplace.contract import validate
from commonplace.domain.memory import Memory, level_of
from commonplace.domain.requests import SearchRequest
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.record_scan import is_visible, visibility_of
from commonplace.text.tagging.names import same_thing
from commonplace.text.tagging.synonyms import are_siblings
from commonplace.use_cases.listing import tags_in_use
from commonplace.use_cases.named import memory_with_id
from commonplace.use_cases.search import search_memory


def tinydb_find_similar_tags(tag: str, threshold: float = 0.8, *, memory: Commonplace | None = None) -> list[dict[str, Any]]:
    """Return the tags in use that are similar to a tag, most similar first, as `{"tag", "similarity", "count"}`.

    The similarity is 1.0 if the tags differ only in spelling or number, or are known synonyms. Two things of one kind
    (`python2`, `python3`) and tags without vectors have similarity 0.0. Other tags have the cosine of their vectors.
    """
    with _open_memory(memory) as (caller, ports):
        counts = tags_in_use(caller, ports)
        alike = [(_compute_similarity(tag, other, ports), other) for other in counts]
        similar = sorted((-share, other) for share, other in alike if share >= threshold)
        return [{"tag": other, "similarity": round(-share, 3), "count": counts[other]} for share, other in similar]


def tinydb_get_memory(memory_id: str | int, *, memory: Commonplace | None = None) -> dict[str, Any]:
    """Return a memory by its old or new id, in the format of the old store. Raises `NOT_FOUND` for an unknown id."""
    with _open_memory(memory) as (caller, ports):
        (shown,) = _format_memories([memory_with_id(str(memory_id), caller, ports)], caller, ports)
        return shown


def tinydb_search_memories(query: str, limit: int = 10, *, memory: Commonplace | None = None) -> list[dict[str, Any]]:
    """Return the memories that match a query, best first, in the format of the old store. `limit` is from 1 to 100."""
    with _open_memory(memory) as (caller, ports):
        request, _ = validate.validate(SearchRequest, {"query": query, "limit": limit}, caller.now.tzinfo)
        ids = [hit.id for hit in search_memory(request, caller, ports).results]
        return _format_memories(ports.records.get(caller.user_id, ids), caller, ports)


def tinydb_list_categories(*, memory: Commonplace | None = None) -> dict[str, int]:
    """Return the number of current memories in each category. The largest category is first."""
    with _open_memory(memory) as (caller, ports):
        visibility = visibility_of(caller)
        current = (memory for memory in ports.records.all(caller.user_id) if is_visible(visibility, memory))
        return dict(Counter(memory.category for memory in current).most_common())


@contextmanager
def _open_memory(memory: Commonplace | None) -> Iterator[tuple[Caller, Ports]]:
    """Yield the caller and the ports of a memory. The caller's searches are neither counted nor logged."""
    if memory is not None:
        context = memory.nights().context
        yield replace(context.caller, counts=False), context.ports
        return
    with Commonplace() as own, _open_memory(own) as opened:
        yield opened


def _compute_similarity(tag: str, other: str, ports: Ports) -> float:
    if same_thing(tag) == same_thing(other):
        return 1.0
    first, two = (ports.words.embed(each.replace("-", " ")) for each in (tag, other))
    return 0.0 if first is None or two is None or are_siblings(tag, other) else float(first @ two)


def _format_memories(memories: Iterable[Memory], caller: Caller, ports: Ports) -> list[dict[str, Any]]:
    old = {alias.memory_id: alias.name for alias in ports.aliases.all(caller.user_id) if not alias.withdrawn}
    return [
        {
            "id": old.get(memory.memory_id, memory.memory_id), "memory_id": memory.memory_id, "content": memory.content,
            "category": memory.category, "tags": list(memory.tags), "importance": level_of(memory.importance),
            "created_at": memory.created_at, "last_accessed": memory.last_accessed, "access_count": memory.access_count,
            "expires_at": memory.expires_at, "source": memory.origin or memory.source,
        }
        for memory in memories
    ]  # fmt: skip

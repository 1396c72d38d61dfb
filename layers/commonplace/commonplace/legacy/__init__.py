"""The old store's tools for reading, by their old names, over what was moved here.

Each takes the `Commonplace` to read, as `memory`; without one it opens the file that the environment names. Nothing is
written, and no use is counted.
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
from commonplace.use_cases.migration_check import Uncounted
from commonplace.use_cases.named import memory_with_id
from commonplace.use_cases.search import search_memory


def tinydb_find_similar_tags(tag: str, threshold: float = 0.8, *, memory: Commonplace | None = None) -> list[dict[str, Any]]:
    """Tags in use that are like a tag, the most alike first: `{"tag", "similarity", "count"}`.

    Similarity 1.0 is the same thing, by spelling, number or a known other name; else it is the cosine of both. Two things
    of one kind (`python2`, `python3`) are left out, however close.
    """
    with _open_memory(memory) as (caller, ports):
        counts = tags_in_use(caller, ports)
        alike = [(_compute_similarity(tag, other, ports), other) for other in counts]
        similar = sorted((-share, other) for share, other in alike if share >= threshold)
        return [{"tag": other, "similarity": round(-share, 3), "count": counts[other]} for share, other in similar]


def tinydb_get_memory(memory_id: str | int, *, memory: Commonplace | None = None) -> dict[str, Any]:
    """A memory by its old id, or its new one, in the old store's fields; `NOT_FOUND` where neither leads to one."""
    with _open_memory(memory) as (caller, ports):
        (shown,) = _format_memories([memory_with_id(str(memory_id), caller, ports)], caller, ports)
        return shown


def tinydb_search_memories(query: str, limit: int = 10, *, memory: Commonplace | None = None) -> list[dict[str, Any]]:
    """The memories that match a question, best first, in the old store's fields. `limit`: 1-100."""
    with _open_memory(memory) as (caller, ports):
        request, _ = validate.validate(SearchRequest, {"query": query, "limit": limit}, caller.now.tzinfo)
        ids = [hit.id for hit in search_memory(request, caller, ports).results]
        return _format_memories(ports.records.get(caller.user_id, ids), caller, ports)


def tinydb_list_categories(*, memory: Commonplace | None = None) -> dict[str, int]:
    """The categories with how many current memories each has, the fullest first."""
    with _open_memory(memory) as (caller, ports):
        visibility = visibility_of(caller)
        current = (memory for memory in ports.records.all(caller.user_id) if is_visible(visibility, memory))
        return dict(Counter(memory.category for memory in current).most_common())


@contextmanager
def _open_memory(memory: Commonplace | None) -> Iterator[tuple[Caller, Ports]]:
    if memory is not None:
        context = memory.nights().context
        yield context.caller, replace(context.ports, usage=Uncounted())
        return
    with Commonplace() as own, _open_memory(own) as opened:
        yield opened


def _compute_similarity(tag: str, other: str, ports: Ports) -> float:
    if same_thing(tag) == same_thing(other):
        return 1.0
    first, two = ports.words.embed(tag), ports.words.embed(other)
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

"""Find memories that replaced one another in a circle. Circles can only come from imported files."""

from collections import defaultdict
from collections.abc import Sequence

from commonplace.domain.memory import Memory


def in_circles(memories: Sequence[Memory]) -> set[str]:
    """Return the ids of memories that are in a circle of replacements (A replaced B, B replaced A) or between two circles."""
    links = {link for item in memories for link in ((item.memory_id, item.superseded_by), (item.supersedes, item.memory_id))}
    edges = [(before, after) for before, after in links if before is not None and after is not None]
    return _find_circular(edges) & _find_circular([(after, before) for before, after in edges])


def _find_circular(edges: Sequence[tuple[str, str]]) -> set[str]:
    """Return the nodes that are in a circle or reachable from one."""
    following, waiting = defaultdict[str, list[str]](list), defaultdict[str, int](int)
    for before, after in edges:
        following[before].append(after)
        waiting[after] += 1
    free = [memory_id for memory_id in following if not waiting[memory_id]]
    while free:
        for after in following[free.pop()]:
            waiting[after] -= 1
            if not waiting[after]:
                free.append(after)
    return {memory_id for memory_id, count in waiting.items() if count}

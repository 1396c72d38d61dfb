"""Which memories a context may hold, in the order in which they get room."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from commonplace.find import Found, find, most_important
from commonplace.models.memory import Memory
from commonplace.ports import Caller, Filter, Ports

_PERSONAL_IMPORTANCE = 0.7
_RECENT = timedelta(days=7)
_RELEVANCE = 0.3
_MOST_INSTRUCTIONS, _MOST_PERSONAL, _MOST_ON_TOPIC = 100, 200, 100
_MOST_RECENT = 300  # seven days of the forty memories that a night adds at the most, and some more


@dataclass(frozen=True)
class Group:
    """Memories under one heading, the first to get room first. `always`: together with its like it gets half the room."""

    heading: str
    memories: Sequence[Memory]
    always: bool = False
    dated: bool = False


def groups_of(topic: str, caller: Caller, ports: Ports) -> tuple[list[Group], list[Found]]:
    """The groups, and how each was found. All of them are current: valid, unexpired, not superseded."""

    def listed(wanted: Filter, limit: int) -> Found:
        return most_important(caller, ports, wanted, limit)

    instructions = listed(Filter(category="system"), _MOST_INSTRUCTIONS)
    personal = listed(Filter(section="personal_context", importance_min=_PERSONAL_IMPORTANCE), _MOST_PERSONAL)
    on_topic = find(topic, caller, ports, Filter(), _MOST_ON_TOPIC, _RELEVANCE)
    recent = listed(Filter(after=caller.now - _RECENT), _MOST_RECENT)
    newest = sorted(_those(recent, lambda memory: memory.durability == "daily"), key=_when, reverse=True)
    groups = [
        Group("Standing wishes of the user", instructions.memories, always=True),
        Group("Always matters", _those(personal, lambda memory: memory.durability == "durable"), always=True),
        Group("On the topic", on_topic.memories, dated=True),
        Group("Notes of the last seven days", newest, dated=True),
    ]
    return groups, [instructions, personal, on_topic, recent]


def _those(found: Found, wanted: Callable[[Memory], bool]) -> list[Memory]:
    return [memory for memory in found.memories if wanted(memory)]


def _when(memory: Memory) -> tuple[float, str]:
    return memory.happened_at.timestamp(), memory.memory_id

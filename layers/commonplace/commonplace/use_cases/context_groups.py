"""The groups of memories for a context: standing facts, the topic, and recent notes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from commonplace.domain.memory import Memory
from commonplace.extraction.own_words.quotations import is_marked_as_foreign
from commonplace.memories.searches import log_search
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Filter
from commonplace.retrieval.engine import find, most_important
from commonplace.retrieval.found import Found
from commonplace.retrieval.newest_first import changed_values
from commonplace.text.foundation.intent_cues import is_confidential

CORE = (
    "What is the user's name?",
    "Where does the user live?",
    "What is the user's job?",
    "Who is in the user's family?",
    "What is the user allergic to, ill with, or taking as medicine?",
)
"""What an agent should always know of a user, as questions: they work for memories in any language."""

_MOST_CORE = 3  # answers per question
_CORE_RELEVANCE, _CORE_PROBABILITY = 0.45, 0.2  # answers in another language are less similar
_PERSONAL_IMPORTANCE = 0.7
_RECENT = timedelta(days=7)
_RELEVANCE = 0.5  # a prompt has no space for merely related memories
_SURE = 0.3  # for a confidential memory: the topic clearly asks for it
_MOST_INSTRUCTIONS, _MOST_PERSONAL, _MOST_ON_TOPIC = 100, 200, 100
_ELSEWHERE = ("document", "web")
_MOST_RECENT = 300  # seven days of at most forty memories per night, with some margin


@dataclass(frozen=True)
class Group:
    """Memories under one heading, by priority. `always`: such groups share half of the space."""

    heading: str
    memories: Sequence[Memory]
    always: bool = False


def groups_of(topic: str, caller: Caller, ports: Ports) -> tuple[list[Group], list[Found]]:
    """Return the groups for a topic, and how each was found; confidential memories only on request."""

    def listed(filters: Filter, limit: int) -> Found:
        return most_important(caller, ports, filters, limit)

    instructions = listed(Filter(category="system"), _MOST_INSTRUCTIONS)
    core = [find(question, caller, ports, Filter(), _MOST_CORE, _CORE_RELEVANCE, counted=False) for question in CORE]
    personal = listed(Filter(section="personal_context", importance_min=_PERSONAL_IMPORTANCE), _MOST_PERSONAL)
    on_topic = find(topic, caller, ports, Filter(), _MOST_ON_TOPIC, _RELEVANCE)
    log_search(topic, len(on_topic.memories), caller, ports)
    recent = listed(Filter(after=caller.now - _RECENT), _MOST_RECENT)
    pinned = [memory for found in core for memory in _answers(found)] + list(personal.memories)
    notes = sorted((memory for memory in _open(recent) if memory.durability == "daily"), key=_when, reverse=True)
    groups = [
        Group("Standing wishes of the user", _filter_memories(instructions.memories, _is_from_user), always=True),
        Group("Always matters", _filter_memories(pinned, lambda memory: _is_lasting(memory, caller)), always=True),
        Group("On the topic", _drop_confidential(on_topic)),
        Group("Notes of the last seven days", notes),
    ]
    return groups, [instructions, personal, on_topic, recent, *core]


def newest_values(memory_ids: Sequence[str], found: Sequence[Found], caller: Caller, ports: Ports) -> dict[str, Memory]:
    """Return memories with an older value of an attribute, by id, each with the memory of the newest value."""
    known = {one.memory.memory_id: one for each in found for one in each.stored}
    stored = [known[memory_id] for memory_id in memory_ids]
    newer: dict[str, list[Memory]] = {}
    for older, later in changed_values(stored, caller.now, ports.embedder.name):
        newer.setdefault(stored[older].memory.memory_id, []).append(stored[later].memory)
    return {memory_id: max(later, key=_when) for memory_id, later in newer.items()}


def _answers(found: Found) -> list[Memory]:
    likely = zip(found.memories, found.probabilities, strict=True)
    return [
        memory
        for memory, probability in likely
        if probability is not None and probability >= _CORE_PROBABILITY and memory.section == "personal_context"
    ]


def _drop_confidential(found: Found) -> list[Memory]:
    likely = zip(found.memories, found.probabilities, strict=True)
    return [memory for memory, sure in likely if (sure or 0.0) >= _SURE or not is_confidential(memory.content)]


def _is_lasting(memory: Memory, caller: Caller) -> bool:
    over = memory.event_time is not None and memory.event_time < caller.now and memory.category == "reminders"
    return memory.durability == "durable" and not over and not is_confidential(memory.content)


def _is_from_user(memory: Memory) -> bool:
    """Instructions in a page, document, mail or tool are not the user's."""
    return memory.origin not in _ELSEWHERE and not is_marked_as_foreign(memory.raw_text)


def _open(found: Found) -> list[Memory]:
    return _filter_memories(found.memories, lambda memory: not is_confidential(memory.content))


def _filter_memories(memories: Sequence[Memory], wanted: Callable[[Memory], bool]) -> list[Memory]:
    return [memory for memory in memories if wanted(memory)]


def _when(memory: Memory) -> tuple[float, str]:
    return memory.happened_at.timestamp(), memory.memory_id

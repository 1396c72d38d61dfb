"""Convert old records to memories that keep the original times and counts, and merge tags across the file."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from commonplace.domain.fields import is_never, provenance_fields
from commonplace.domain.ids import new_memory_id
from commonplace.domain.legacy import TagCounts
from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import memory_type
from commonplace.memories.enrich import EnrichedStatement, tidy_tags
from commonplace.memories.ingest import new_entry
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Vector
from commonplace.text.tagging.names import same_thing
from commonplace.use_cases.filing import Filed
from commonplace.use_cases.legacy_records import LegacyRecord, fitted

TOOL = "migrate_tinydb"


@dataclass(frozen=True)
class TagFolding:
    """Maps old tags to current names. A current name is the user's own tag (`own`) or the most used tag."""

    own: Mapping[str, int]
    names: Mapping[str, str]
    before: TagCounts
    after: TagCounts

    @classmethod
    def of(cls, tags: Iterable[Sequence[str]], own: Mapping[str, int]) -> "TagFolding":
        """Merge tags that are aliases, spellings or plurals of the same tag. `tags` contains the tags of each record."""
        each = [tuple(dict.fromkeys(tag)) for tag in tags]
        used = Counter(tag for tags in each for tag in tags)
        tidy = {tag: hyphenated(tag) for tag in used}
        spelled = Counter(tidy[tag] for tags in each for tag in tags)
        shown: dict[str, str] = {}
        for tag in (*_sort_by_use(own), *filter(None, _sort_by_use(spelled))):
            shown.setdefault(same_thing(tag), tag)
        names = {tag: shown[same_thing(plain)] if plain else "" for tag, plain in tidy.items()}
        after = Counter(tag for tags in each for tag in {names[tag] for tag in tags} if tag)
        return cls(own, names, _build_tag_counts(used), _build_tag_counts(after))

    @property
    def renamed(self) -> dict[str, str]:
        return {tag: name for tag, name in self.names.items() if tag != name and name}

    def folded(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Return the distinct current names of `tags`."""
        return tuple(dict.fromkeys(name for tag in tags if (name := self.names.get(tag, ""))))


def hyphenated(tag: str) -> str:
    """Return a tag in its stored form, or "". Hyphens replace underscores, which would hide words from searches."""
    return next(iter(tidy_tags([tag.replace("_", " ")])), "")


def _sort_by_use(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda tag: (-counts[tag], tag))


def _build_tag_counts(used: Counter[str]) -> TagCounts:
    return TagCounts(distinct=len(used), assignments=used.total())


@dataclass(frozen=True)
class NewMemory:
    """A memory to add, with the old ids that become its names."""

    memory: Memory
    vector: Vector | None
    names: tuple[str, ...]

    def joined(self, other: "NewMemory") -> "NewMemory":
        """Join two equal old memories, with the earlier time, all tags, the higher importance and the sum of the counts."""
        first, second = sorted((self.memory, other.memory), key=lambda memory: memory.created_at)
        joined = first.model_copy(
            update={
                "tags": tuple(dict.fromkeys((*first.tags, *second.tags))),
                "importance": max(first.importance, second.importance),
                "access_count": first.access_count + second.access_count,
                "last_accessed": max(filter(None, (first.last_accessed, second.last_accessed)), default=None),
                "user_note": fitted("; ".join(dict.fromkeys(filter(None, (first.user_note, second.user_note))))) or None,
            }
        )
        return replace(self, memory=joined, names=(*self.names, *other.names))


def new_memory(
    record: LegacyRecord, statement: EnrichedStatement, filed: Filed, folding: TagFolding, caller: Caller, ports: Ports
) -> NewMemory:
    """Build a memory from an old record. Missing fields are derived by rules, as when a statement is stored."""
    old = record.memory
    fields: dict[str, Any] = {
        "agent_id": caller.agent_id,
        "category": filed.category,
        "memory_type": memory_type(statement.classification.statement_type, filed.category),
        "tags": tuple(dict.fromkeys((*folding.folded(old.tags), *map(hyphenated, old.category_tags)))) or statement.tags,
        "user_note": old.user_note,
        **provenance_fields(old.source),
    }
    if record.level is not None:
        fields["importance"] = (record.level - 1) / 4
    over = old.expires_at is not None and not is_never(old.expires_at) and old.expires_at <= caller.now
    if not over:
        fields["expires_at"] = old.expires_at
    entry = new_entry(TOOL, statement, None, caller, ports, fields)
    created = min(old.created_at or caller.now, caller.now)
    expiry: dict[str, Any] = {
        "memory_id": new_memory_id(created),
        "created_at": created,
        "last_accessed": old.last_accessed,
        "access_count": record.access_count,
    }
    if over:  # an already expired memory is stored as if it expired now
        expiry |= {"durability": "daily", "expires_at": old.expires_at, "purge_at": caller.now + PURGE_DELAY}
    return NewMemory(entry.memory.model_copy(update=expiry), entry.vector, (record.legacy_id,))

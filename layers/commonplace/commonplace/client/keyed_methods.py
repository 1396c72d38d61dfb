"""What `Commonplace` can do with memories that are named, by key or by id, and what goes into a prompt."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from commonplace.client.arguments import FilterOptions
from commonplace.domain import interactions, listing, storage
from commonplace.domain.flaws import gathered
from commonplace.domain.results import AnyResult
from commonplace.domain.taxonomy import Category, Durability, MemoryType, SearchCategory, Section

if TYPE_CHECKING:
    from commonplace.client.documents import Documents
    from commonplace.nightly.user_erasure import ErasableUser
    from commonplace.ports.bundle import Ports
    from commonplace.ports.values import Caller


class KeyedMethods:
    """The methods of the tools of the Memory Storage API. `memory_id` or `key`: one of them; either takes an id or a key."""

    def _typed(self, kind: type[AnyResult], name: str, /, **arguments: Any) -> AnyResult:
        """Calls a tool with those arguments that are not None; given by the class that has these methods."""
        raise NotImplementedError

    def _caller(self) -> "Caller":
        """Whose memories, and when; given by the class that has these methods."""
        raise NotImplementedError

    def _ports(self) -> "Ports":
        """The open store; given by the class that has these methods."""
        raise NotImplementedError

    def naming(self, name: str) -> dict[str, str]:
        """What a person calls a memory by, as an argument: its id, its key, or an id that it had elsewhere."""
        raise NotImplementedError

    def leaving(self) -> "ErasableUser":
        """The user, to be erased, or something of them; given by the class that has these methods."""
        raise NotImplementedError

    @property
    def documents(self) -> "Documents":
        """The user's documents: whole texts under a namespace and a key, with their versions."""
        from commonplace.client.documents import Documents

        return Documents(self._caller, self._ports, self.leaving)

    def get(self, name: str) -> listing.KeptMemory:
        """A memory as it is kept, by its id, by its key, or by an id that it had elsewhere."""
        return self._typed(listing.GetResult, "get_memory", **self.naming(name)).memory

    def write_memory(
        self, key: str, value: str, category: Section, durability: Durability = "durable", *, source: str = "user",
        confidence: float = 1.0, allow_similar: bool = False,
    ) -> storage.WriteResult:  # fmt: skip
        """Writes a fact under a key; `written` is False where the key or the fact is there already."""
        return self._typed(
            storage.WriteResult, "write_memory", key=key, value=value, category=category, durability=durability,
            source=source, confidence=confidence, allow_similar=allow_similar,
        )  # fmt: skip

    def read_memory(self, category: Section, *, limit: int = 20) -> storage.ReadResult:
        """What is remembered under a heading, the most important first."""
        return self._typed(storage.ReadResult, "read_memory", category=category, limit=limit)

    def get_memory(self, memory_id: str | None = None, *, key: str | None = None) -> listing.GetResult:
        """A memory as it is kept."""
        return self._typed(listing.GetResult, "get_memory", memory_id=memory_id, key=key)

    def list_memories(
        self, *, limit: int = 20, category: SearchCategory | None = None, options: FilterOptions | None = None,
        cursor: str | None = None,
    ) -> listing.ListResult:  # fmt: skip
        """A page of the memories, newest first; `cursor`: that of the page before."""
        return self._typed(
            listing.ListResult, "list_memories", limit=limit, category=category, options=options, cursor=cursor
        )

    def tags(self, *, limit: int = 500, cursor: str | None = None) -> listing.TagsResult:
        """A page of the tags in use, by name, with how many memories carry each; `cursor`: that of the page before."""
        from commonplace.contract.validate import check
        from commonplace.use_cases.listing import list_tags

        request = check(listing.TagsRequest, {"limit": limit, "cursor": cursor})
        with gathered() as flaws:
            found = list_tags(request, self._caller(), self._ports())
        return found.naming(flaws)

    def tag_uses(self) -> list[listing.TagUse]:
        """Every tag with when it was first and last used, and those that were merged into another or put aside."""
        from commonplace.use_cases.listing import tag_uses

        return tag_uses(self._caller(), self._ports())

    def update_memory(
        self, key: str | None = None, value: str | None = None, *, memory_id: str | None = None,
        category: Section | None = None, filed_under: Category | None = None, type: MemoryType | None = None,
        tags: Sequence[str] | None = None, importance: int | None = None, expires_at: datetime | str | None = None,
        durability: Durability | None = None,
    ) -> storage.UpdateResult:  # fmt: skip
        """A new value for a memory; the old one is closed and kept. Without one, its labels are corrected under its id."""
        return self._typed(
            storage.UpdateResult, "update_memory", key=key, value=value, memory_id=memory_id, category=category,
            filed_under=filed_under, type=type, tags=None if tags is None else list(tags), importance=importance,
            expires_at=expires_at, durability=durability,
        )  # fmt: skip

    def delete_memory(self, key: str | None = None, *, memory_id: str | None = None) -> storage.DeleteResult:
        """Closes a memory; it can be brought back for 30 days."""
        return self._typed(storage.DeleteResult, "delete_memory", key=key, memory_id=memory_id)

    def history(self, key: str | None = None, *, memory_id: str | None = None) -> interactions.History:
        """What a key has held, or what an id replaced and what replaced it, newest first."""
        return self._typed(interactions.History, "history", key=key, memory_id=memory_id)

    def get_memory_context(self, topic: str, *, max_tokens: int = 1_500) -> storage.ContextResult:
        """What to know for a topic, ready for a prompt; it never has more than `max_tokens` (100-8,000)."""
        return self._typed(storage.ContextResult, "get_memory_context", topic=topic, max_tokens=max_tokens)

    def summarize_memory(self, query: str, *, limit: int = 20) -> storage.SummarizeResult:
        """What the memories say about a question, in a few sentences."""
        return self._typed(storage.SummarizeResult, "summarize_memory", query=query, limit=limit)

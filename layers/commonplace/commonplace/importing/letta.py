"""Letta: an agent file (`.af`), of the first form or the present one, and passages of its archival memory."""

from collections.abc import Iterator, Mapping
from typing import Any

from commonplace.domain.imports import ForeignFact, RefusedEntry
from commonplace.importing.entries import numbered, objects
from commonplace.importing.sources import Source
from commonplace.importing.statements import digest, statements

BLOCKS, PASSAGES = ("core_memory", "blocks"), ("passages", "archival_memory")
_ITSELF = "persona"
_OURS = {"id", "text", "tags", "created_at", "metadata", "metadata_"}
_OF_NO_USE = {"embedding", "embedding_config", "organization_id", "is_deleted", "created_by_id", "last_updated_by_id"}


def read(source: Source) -> Iterator[ForeignFact | RefusedEntry]:
    """Each statement of the memory blocks, and each passage. Messages and tools are not memories, and stay."""
    given = source.json
    passages = given
    if isinstance(given, Mapping):
        agents = given.get("agents")
        agent = next((one for one in agents if isinstance(one, Mapping)), given) if isinstance(agents, list) else given
        blocks: list[Any] = next((given[name] for name in BLOCKS if isinstance(given.get(name), list)), [])
        for one in numbered(blocks):
            yield from [one] if isinstance(one, RefusedEntry) else _block(one[0], one[1], agent)
        passages = next((given[name] for name in PASSAGES if isinstance(given.get(name), list)), [])
    for one in numbered(objects(passages)):
        yield one if isinstance(one, RefusedEntry) else _passage(*one)


def _block(where: str, block: Mapping[str, Any], agent: Mapping[str, Any]) -> Iterator[ForeignFact]:
    """What a block says of the user; that of the persona is what the agent says of itself."""
    label, value = str(block.get("label") or "block"), block.get("value")
    speaker = str(agent.get("name") or "assistant") if label == _ITSELF else None
    told = statements(value) if isinstance(value, str) else [(0, "", value)]
    for line, heading, content in told:
        yield ForeignFact(
            where=f"block {label}, line {line}" if line else where,
            name=f"{block.get('id') or label}#{digest(content)}",
            content=content,
            tags=[label],
            times={"created_at": block.get("created_at") or agent.get("created_at")},
            source="agent" if label == _ITSELF else "user",
            speaker=speaker,
            rest={"heading": heading, "block": block.get("description")},
        )


def _passage(where: str, passage: Mapping[str, Any]) -> ForeignFact:
    metadata = passage.get("metadata") or passage.get("metadata_")
    rest = {name: value for name, value in passage.items() if name not in _OURS | _OF_NO_USE}
    return ForeignFact(
        where=where,
        name=str(passage.get("id") or where),
        content=passage.get("text"),
        tags=passage.get("tags"),
        times={"created_at": passage.get("created_at")},
        rest=rest | (dict(metadata) if isinstance(metadata, Mapping) else {}),
    )

"""Zep and Graphiti: facts on the edges of a graph, with the times in which they were true."""

from collections.abc import Iterator, Mapping
from typing import Any

from commonplace.domain.imports import ForeignFact, RefusedEntry
from commonplace.importing.entries import entries, numbered
from commonplace.importing.sources import Source

KEYS = ("edges", "facts", "results")
_OURS = {"uuid", "fact", "name", "created_at", "valid_at", "invalid_at", "expired_at", "reference_time", "attributes"}
_OF_NO_USE = {"fact_embedding", "score", "relevance", "source_node_uuid", "target_node_uuid", "hyperedge_uuid"}


def read(source: Source) -> Iterator[ForeignFact | RefusedEntry]:
    """The facts; one that is not true any more, or was set aside, comes closed at that time."""
    for one in numbered(entries(source, *KEYS)):
        yield one if isinstance(one, RefusedEntry) else _fact(*one)


def _fact(where: str, edge: Mapping[str, Any]) -> ForeignFact:
    attributes = edge.get("attributes")
    rest = {name: value for name, value in edge.items() if name not in _OURS | _OF_NO_USE}
    return ForeignFact(
        where=where,
        name=str(edge.get("uuid") or where),
        content=edge.get("fact"),
        tags=[edge["name"]] if isinstance(edge.get("name"), str) else [],
        times={
            "created_at": edge.get("created_at"),
            "event_time": edge.get("valid_at") or edge.get("reference_time"),
            "valid_from": edge.get("valid_at"),
            "valid_to": edge.get("invalid_at") or edge.get("expired_at"),
        },
        rest=rest | (dict(attributes) if isinstance(attributes, Mapping) else {}),
    )

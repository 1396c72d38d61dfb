"""LangGraph: items of a store, as `Item.dict()` writes them: namespace, key, value and times."""

from collections.abc import Iterator, Mapping
from typing import Any

from commonplace.domain.imports import ForeignFact, RefusedEntry
from commonplace.importing.entries import entries, numbered, one_line
from commonplace.importing.sources import Source

KEYS = ("items",)
_WORDS = ("content", "text", "memory", "data", "fact")
"""Where a value has its words, by the examples of LangGraph and LangMem; without any, all its fields are the words."""


def read(source: Source) -> Iterator[ForeignFact | RefusedEntry]:
    """A statement of each item, with its namespace and the other fields of its value."""
    for one in numbered(entries(source, *KEYS)):
        yield one if isinstance(one, RefusedEntry) else _fact(*one)


def _fact(where: str, item: Mapping[str, Any]) -> ForeignFact:
    namespace = item.get("namespace")
    path = "/".join(map(str, namespace)) if isinstance(namespace, list) else str(namespace or "")
    content, rest = _words_of(item.get("value"))
    return ForeignFact(
        where=where,
        name=f"{path}/{item.get('key') or where}",
        content=content,
        tags=rest.pop("tags", ()),
        times={"created_at": item.get("created_at") or item.get("createdAt")},
        rest={"namespace": path, **rest},
    )


def _words_of(value: Any) -> tuple[Any, dict[str, Any]]:
    """The words of a value, and its other fields. What LangMem keeps has them one level further down."""
    if not isinstance(value, Mapping):
        return value, {}
    for name in _WORDS:
        rest = {other: one for other, one in value.items() if other != name}
        if isinstance(value.get(name), str):
            return value[name], rest
        if isinstance(value.get(name), Mapping):
            content, more = _words_of(value[name])
            return content, {**rest, **more}
    return one_line(value) or None, {}

"""Implement a store for LangGraph (`BaseStore`), whose items are searchable documents of the memory."""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode, how_to_install

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
    )
except ImportError as error:
    error.add_note(how_to_install("langgraph"))
    raise

_ROOT = "langgraph"  # LangGraph allows no namespace that begins with this label
_ORDERED: Mapping[str, Callable[[float, float], bool]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_EQUAL: Mapping[str, Callable[[object, object], bool]] = {"$eq": eq, "$ne": ne}
_log = logging.getLogger("commonplace")
Namespace = tuple[str, ...]


class CommonplaceStore(BaseStore):
    """A LangGraph store over one user's memory, for `graph.compile(store=CommonplaceStore(memory))`.

    Each item is a document below the namespace `langgraph`. Searches match words and meaning, and need no embedding model.
    `fields` lists the searchable paths of a value if `put` lists none. If `fields` is None, the whole value is searchable.
    Items never expire, so `put` refuses a `ttl`, as `BaseStore` requires.
    """

    def __init__(self, memory: Commonplace, *, fields: Sequence[str] | None = None) -> None:
        self._documents = memory.documents
        self._fields = fields

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer the reads from the state before the batch, then write. If an item is put twice, the last value counts."""
        operations = list(ops)
        results: list[Result] = [None if isinstance(op, PutOp) else self._answer_read(op) for op in operations]
        puts = {(op.namespace, op.key): op for op in operations if isinstance(op, PutOp)}
        for op in puts.values():
            self._put_item(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run a batch without blocking the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _answer_read(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._get_item(op.namespace, op.key)
            case SearchOp():
                return self._search_items(op)
            case ListNamespacesOp():
                return self._list_namespaces(op)
            case _:
                raise ValueError(f"Unknown operation type: {type(op)}")

    def _put_item(self, op: PutOp) -> None:
        namespace = (_ROOT, *op.namespace)
        if op.value is None:
            try:
                self._documents.delete(namespace, op.key)
            except CommonplaceError as error:
                if error.code is not ErrorCode.NOT_FOUND:
                    raise
            return
        fields = () if op.index is False else self._fields if op.index is None else op.index
        body = json.dumps(dict(op.value), ensure_ascii=False, allow_nan=False)
        written = self._documents.write(namespace, op.key, body, form="json", fields=fields)
        if written.redacted:
            _log.warning("secrets are never stored: removed %s from an item", ", ".join(written.redacted))

    def _get_item(self, namespace: Namespace, key: str) -> Item | None:
        try:
            document = self._documents.read((_ROOT, *namespace), key)
        except CommonplaceError as error:
            if error.code is not ErrorCode.NOT_FOUND:
                raise
            return None
        return Item(
            value=json.loads(document.body), key=key, namespace=namespace, created_at=document.created_at,
            updated_at=document.updated_at,
        )  # fmt: skip

    def _search_items(self, op: SearchOp) -> list[SearchItem]:
        """Return the matches, best first, and then the items without a score. Without a query, the oldest items are first."""
        namespace = (_ROOT, *op.namespace_prefix)
        heads = sorted(self._documents.listed(namespace), key=lambda head: (head.created_at, head.path))
        scores = self._documents.scores(op.query, namespace) if op.query and op.query.strip() else {}
        heads.sort(key=lambda head: -scores.get(head.path, -1.0))
        items: list[SearchItem] = []
        for head in heads:
            item = self._get_item(head.namespace[1:], head.key)  # None if it has been deleted since
            if item is not None and all(_matches(item.value.get(name), wanted) for name, wanted in (op.filter or {}).items()):
                score = scores.get(head.path)
                items.append(SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score))
            if len(items) == op.offset + op.limit:
                break
        return items[op.offset :]

    def _list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        namespaces = {head.namespace[1:] for head in self._documents.listed((_ROOT,))}
        wanted = {place for place in namespaces if all(_matches_condition(rule, place) for rule in op.match_conditions or ())}
        shown = sorted(wanted if op.max_depth is None else {namespace[: op.max_depth] for namespace in wanted})
        return shown[op.offset : op.offset + op.limit]


def _matches_condition(condition: MatchCondition, namespace: Namespace) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    fits = all(wanted in ("*", label) for wanted, label in zip(path, part, strict=False))
    return len(namespace) >= len(path) and fits


def _matches(value: Any, wanted: Any) -> bool:
    """Return whether a value matches a filter. Keys with `$` are operators, and other objects are matched field by field."""
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            return all(_matches_operator(value, name, other) for name, other in wanted.items())
        return isinstance(value, dict) and all(_matches(value.get(name), other) for name, other in wanted.items())
    if isinstance(wanted, list | tuple):
        alike = isinstance(value, list | tuple) and len(value) == len(wanted)
        return alike and all(map(_matches, value, wanted))
    return bool(value == wanted)


def _matches_operator(value: Any, name: str, other: Any) -> bool:
    if name in _EQUAL:
        return bool(_EQUAL[name](value, other))
    if name not in _ORDERED:
        raise ValueError(f"Unsupported operator: {name}")
    return _ORDERED[name](float(value), float(other))

"""Writes changes into the index: one `_bulk` request with external versions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from opensearchpy import OpenSearch

from commonplace.adapters.opensearch.client import WRITE_SECONDS, as_index_unavailable, routing_of
from commonplace.adapters.opensearch.document import ALIAS, key, revision, source
from commonplace.adapters.opensearch.setup import versions
from commonplace.ports.values import IndexChange, IndexOutcome, IndexUnavailable

REBUILD_SUFFIX = "-next"
"""Ends the alias of a version that is being filled."""

_BYTES = 5_000_000
_DONE = IndexOutcome("done")
_OF_THE_INDEX = ("index_closed_exception", "cluster_block_exception")  # 400 and 403, and no fault of the change
_ORDER = ("retry", "failed", "done")  # of two answers to the same change, the one that counts


class OpenSearchWriter:
    """Writes into the index that is asked, and into the next version while one is being filled."""

    def __init__(self, client: OpenSearch, alias: str = ALIAS) -> None:
        self._client, self._alias = client, alias

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        outcomes = [_DONE] * len(changes)
        try:
            with as_index_unavailable():
                targets = versions(self._client, self._alias, self._alias + REBUILD_SUFFIX)
            if not any(self._alias in target.aliases for target in targets):
                raise IndexUnavailable("the index is not there")
            for target in targets:
                alias = self._alias if self._alias in target.aliases else self._alias + REBUILD_SUFFIX
                answered = write(self._client, alias, target.metadata, changes)
                outcomes = [min(pair, key=_weight) for pair in zip(outcomes, answered, strict=True)]
        except IndexUnavailable as error:
            return [IndexOutcome("retry", str(error))] * len(changes)
        return outcomes


def write(
    client: OpenSearch, alias: str, metadata: Mapping[str, str], changes: Sequence[IndexChange],
    over: bool = False, found: bool = True,
) -> list[IndexOutcome]:  # fmt: skip
    """Writes changes into the index that an alias means; raises `IndexUnavailable` when none can be told about.

    `metadata`: what that index tells of itself. `over`: a document of the same version is written over. `found`: returns
    only when searches find what is done.
    """
    kind: Literal["external", "external_gte"] = "external_gte" if over else "external"
    outcomes: list[IndexOutcome] = []
    for lines in _bulks(changes, metadata, kind):
        # An index that is not there must not be made by a write, without its alias or its mapping.
        params = {"refresh": "wait_for" if found else "false", "require_alias": "true", "request_timeout": WRITE_SECONDS}
        with as_index_unavailable():
            answer = client.bulk(body="\n".join(lines) + "\n", index=alias, params=params)
        outcomes += [_outcome(item["index"]) for item in answer["items"]]
        if found and any(item["index"]["status"] == 409 for item in answer["items"]):
            with as_index_unavailable():  # another has written that; it may have to be found yet
                client.indices.refresh(index=alias, params={"request_timeout": WRITE_SECONDS})
    return outcomes


def _bulks(changes: Sequence[IndexChange], metadata: Mapping[str, str], kind: str) -> Iterator[list[str]]:
    """The lines of as few requests as the domain's limit on their size allows."""
    lines: list[str] = []
    size = 0
    for change in changes:
        user_id, memory_id = key(change)
        action = {"_id": memory_id, "routing": routing_of(user_id), "version": revision(change), "version_type": kind}
        pair = [json.dumps({"index": action}), json.dumps(source(change, metadata), ensure_ascii=False)]
        length = sum(len(line.encode()) for line in pair)
        if lines and size + length > _BYTES:
            yield lines
            lines, size = [], 0
        lines += pair
        size += length
    if lines:
        yield lines


def _outcome(item: dict[str, Any]) -> IndexOutcome:
    """A stale version is success: the index holds a newer one. The domain's own words may quote the memory, so its reason
    is told by the names of the errors."""
    status = item["status"]
    if status < 300 or status == 409:
        return _DONE
    names = [item["error"]["type"], item["error"].get("caused_by", {}).get("type")]
    reason = f"{status} {' '.join(name for name in names if name)}"
    passes = status in (404, 408, 429) or status >= 500 or names[0] in _OF_THE_INDEX
    return IndexOutcome("retry" if passes else "failed", reason)


def _weight(outcome: IndexOutcome) -> int:
    return _ORDER.index(outcome.state)

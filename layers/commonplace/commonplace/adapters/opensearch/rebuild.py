"""Writes the index in `_bulk` requests with external versions, builds the next version, and reads the index for checks.

`set_up` creates only missing parts, so it can run at every deployment.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from opensearchpy import OpenSearch
from opensearchpy.exceptions import RequestError

from commonplace.adapters.opensearch.client import WRITE_SECONDS, as_index_unavailable, routing_of
from commonplace.adapters.opensearch.document import ALIAS, Layout, key, mappings, mark, revision, settings, source, stored
from commonplace.adapters.opensearch.queries import PIPELINE
from commonplace.ports.values import IndexChange, IndexedDocument, IndexOutcome, IndexUnavailable, Stored

_WAIT = {"request_timeout": WRITE_SECONDS}
_MAPPING_FIELDS = "*.mappings._meta,*.mappings.dynamic"
_COPIES = "index.number_of_replicas"
_FUSION = {
    "description": "Both legs brought to 0..1 and averaged, for FUSION=engine.",
    "phase_results_processors": [
        {
            "normalization-processor": {
                "normalization": {"technique": "min_max"},
                "combination": {"technique": "arithmetic_mean", "parameters": {"weights": [0.6, 0.4]}},
            }
        }
    ],
}


def set_up(client: OpenSearch, layout: Layout, alias: str = ALIAS, has_records: Callable[[], bool] = lambda: False) -> bool:
    """Create the pipeline, the template, and the first index with its alias, and set the replicas. Raises `IndexUnavailable`.

    Returns False if a reindex is needed. In that case, either the live index has documents in another layout, or records
    exist (`has_records`) but the live index is empty or missing. A missing index is then not created, because searches would
    find nothing in it.
    """
    prepare(client, layout, alias)
    with as_index_unavailable():
        _set_replicas(client, layout, alias)
        live = versions(client, alias)
        if not live:
            if has_records():
                return False
            create(client, next_name(client, alias), alias)
            return True
        (old,) = live
        if old.metadata == mark(layout):
            return not has_records() or bool(client.count(index=old.name, params=_WAIT)["count"])
        if client.count(index=old.name, params=_WAIT)["count"]:
            return False
        new = next_name(client, alias)
        create(client, new)
        switch(client, alias, old.name, new)
        return not has_records()


def prepare(client: OpenSearch, layout: Layout, alias: str) -> None:
    """Create the pipeline and the template for new versions of the index."""
    template = {
        "index_patterns": [f"{alias}-v*"],
        "template": {"settings": {"index": settings(layout)}, "mappings": mappings(layout)},
    }
    with as_index_unavailable():
        client.transport.perform_request("PUT", f"/_search/pipeline/{PIPELINE}", body=_FUSION, params=dict(_WAIT))
        client.indices.put_index_template(name=alias, body=template, params=_WAIT)


def _set_replicas(client: OpenSearch, layout: Layout, alias: str) -> None:
    indices = client.indices.get_settings(index=f"{alias}-v*", name=_COPIES, params={"flat_settings": "true", **_WAIT})
    for name, index in indices.items():
        if index["settings"][_COPIES] != str(layout.replicas):
            client.indices.put_settings(index=name, body={_COPIES: layout.replicas}, params=_WAIT)


def model_of_layout(client: OpenSearch, alias: str) -> str | None:
    """Return the embedding model in the template for the next version of the index, or None before the setup."""
    templates = client.indices.get_index_template(name=alias, params={"ignore": 404, **_WAIT}).get("index_templates", [])
    return next((row["index_template"]["template"]["mappings"]["_meta"]["embedding_model"] for row in templates), None)


def create(client: OpenSearch, name: str, alias: str | None = None) -> None:
    """Create an empty index from the template, with its alias. Do nothing if the index already exists."""
    try:
        client.indices.create(index=name, body={"aliases": {alias: {}} if alias else {}}, params=_WAIT)
    except RequestError as error:
        if error.error != "resource_already_exists_exception":
            raise


def switch(client: OpenSearch, alias: str, old: str | None, new: str, *more: dict[str, Any]) -> None:
    """Point the alias to the new index, and delete the old index in the same atomic step."""
    gone = [{"remove_index": {"index": old}}] if old else []
    actions = [{"add": {"index": new, "alias": alias}}, *gone, *more]
    client.indices.update_aliases(body={"actions": actions}, params=_WAIT)


@dataclass(frozen=True)
class Version:
    """An index with its metadata and the aliases that point to it."""

    name: str
    aliases: frozenset[str]
    metadata: Mapping[str, str]


def versions(client: OpenSearch, *aliases: str) -> list[Version]:
    """Return the indices to which these aliases point. Missing aliases are left out.

    Each alias needs its own request, because roles permit requests by path. The last alias is read first. If an alias moves
    to another alias's index between two requests, that index is returned with both aliases.
    """
    versions: dict[str, Version] = {}
    for alias in reversed(aliases):
        params = {"ignore_unavailable": "true", "filter_path": _MAPPING_FIELDS, **_WAIT}
        for name, index in client.indices.get_mapping(index=alias, params=params).items():
            before = versions[name].aliases if name in versions else frozenset()
            versions[name] = Version(name, before | ({alias} - {name}), index["mappings"].get("_meta", {}))
    return list(versions.values())


def next_name(client: OpenSearch, alias: str) -> str:
    """Return the name of an alias's next index, such as `commonplace-v3`."""
    names = client.indices.get(index=f"{alias}-v*", params={"filter_path": "*.aliases", **_WAIT})
    numbers = [int(name.removeprefix(f"{alias}-v")) for name in names]
    return f"{alias}-v{max(numbers, default=0) + 1}"


REBUILD_SUFFIX = "-next"
"""The suffix of the alias for a version that is being filled."""
_BYTES = 5_000_000
_DONE = IndexOutcome("done")
_OF_THE_INDEX = ("index_closed_exception", "cluster_block_exception")  # status 400 or 403, but not because of the change
_ORDER = ("retry", "failed", "done")  # worst first; if two indices answer, the worse answer counts


class OpenSearchWriter:
    """Writes changes to the live index, and also to the next version while that version is being filled."""

    def __init__(self, client: OpenSearch, alias: str = ALIAS) -> None:
        self._client, self._alias = client, alias

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Write changes to the live and the next index. Returns the worse outcome of each, or "retry" if unavailable."""
        outcomes = [_DONE] * len(changes)
        try:
            with as_index_unavailable():
                targets = versions(self._client, self._alias, self._alias + REBUILD_SUFFIX)
            if not any(self._alias in target.aliases for target in targets):
                raise IndexUnavailable("the index is not there")
            for target in targets:
                alias = self._alias if self._alias in target.aliases else self._alias + REBUILD_SUFFIX
                answered = write(self._client, alias, target.metadata, changes)
                both = zip(outcomes, answered, strict=True)
                outcomes = [min(pair, key=lambda outcome: _ORDER.index(outcome.state)) for pair in both]
        except IndexUnavailable as error:
            return [IndexOutcome("retry", str(error))] * len(changes)
        return outcomes


def write(
    client: OpenSearch, alias: str, metadata: Mapping[str, str], changes: Sequence[IndexChange],
    over: bool = False, is_present: bool = True,
) -> list[IndexOutcome]:  # fmt: skip
    """Write changes to the index behind an alias. Raises `IndexUnavailable` if no outcome is known.

    `metadata` is the metadata of the index. If `over` is true, documents with the same version are overwritten. If
    `is_present` is true, return only after the changes are visible to searches.
    """
    kind: Literal["external", "external_gte"] = "external_gte" if over else "external"
    outcomes: list[IndexOutcome] = []
    for lines in _split_into_bulks(changes, metadata, kind):
        # A write must not create a missing index, because the new index would have neither alias nor mapping.
        params = {"refresh": "wait_for" if is_present else "false", "require_alias": "true", "request_timeout": WRITE_SECONDS}
        with as_index_unavailable():
            answer = client.bulk(body="\n".join(lines) + "\n", index=alias, params=params)
        outcomes += [_parse_outcome(item["index"]) for item in answer["items"]]
        if is_present and any(item["index"]["status"] == 409 for item in answer["items"]):
            with as_index_unavailable():  # another process wrote the document, and searches may not see it yet
                client.indices.refresh(index=alias, params={"request_timeout": WRITE_SECONDS})
    return outcomes


def _split_into_bulks(changes: Sequence[IndexChange], metadata: Mapping[str, str], kind: str) -> Iterator[list[str]]:
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


def _parse_outcome(item: dict[str, Any]) -> IndexOutcome:
    """Return a change's outcome. A stale version counts as done. Errors are reported without messages that may quote text."""
    status = item["status"]
    if status < 300 or status == 409:
        return _DONE
    names = [item["error"]["type"], item["error"].get("caused_by", {}).get("type")]
    reason = f"{status} {' '.join(name for name in names if name)}"
    passes = status in (404, 408, 429) or status >= 500 or names[0] in _OF_THE_INDEX
    return IndexOutcome("retry" if passes else "failed", reason)


_FIELDS = ["user_id", "version", "digest", "status"]
_PURGED = {"term": {"status": "purged"}}
_PAGE = 1_000
_KEEP_ALIVE = "5m"


class OpenSearchContents:
    def __init__(self, client: OpenSearch, alias: str = ALIAS) -> None:
        self._client, self._alias = client, alias

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        """Return each record's document, or None if missing. The digest is "" if the document differs from the record."""
        wanted = [{"_id": record.memory.memory_id, "routing": routing_of(record.memory.user_id)} for record in records]
        with as_index_unavailable():
            answers = self._client.mget(body={"docs": wanted}, index=self._alias, params=_WAIT)["docs"]
        if any("error" in document for document in answers):
            raise IndexUnavailable("the index is not there")
        return [_compare_document(*pair) if pair[1]["found"] else None for pair in zip(records, answers, strict=True)]

    def every(self) -> Iterator[IndexedDocument]:
        with as_index_unavailable():
            opened = self._client.create_pit(index=self._alias, params={"keep_alive": _KEEP_ALIVE, **_WAIT})["pit_id"]
            body = {
                "query": {"bool": {"must_not": [_PURGED]}},
                "pit": {"id": opened, "keep_alive": _KEEP_ALIVE},
                "sort": [{"user_id": "asc"}, {"memory_id": "asc"}],
            }
            try:
                yield from self._iterate_documents(body, params=_WAIT)
            finally:
                self._client.delete_pit(body={"pit_id": [opened]}, params=_WAIT)

    def of_user(self, user_id: str) -> Iterator[IndexedDocument]:
        body = {
            "query": {"bool": {"filter": [{"term": {"user_id": user_id}}], "must_not": [_PURGED]}},
            "sort": [{"memory_id": "asc"}],
        }
        params = {"routing": routing_of(user_id), "allow_partial_search_results": "false", **_WAIT}
        with as_index_unavailable():
            yield from self._iterate_documents(body, index=self._alias, params=params)

    def miscounted(self, user_id: str) -> list[str]:  # noqa: ARG002 - the index counts on demand
        return []

    def recount(self, user_id: str) -> None:
        """Do nothing, because the index stores no counts."""

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Write changes to the live index, even over documents with the same version."""
        with as_index_unavailable():
            (live,) = versions(self._client, self._alias)
        return write(self._client, self._alias, live.metadata, changes, over=True)

    def _iterate_documents(self, query: Mapping[str, Any], **how: Any) -> Iterator[IndexedDocument]:
        body = {**query, "size": _PAGE, "_source": _FIELDS, "track_total_hits": False}
        while hits := self._client.search(body=body, **how)["hits"]["hits"]:
            yield from map(_parse_document, hits)
            body["search_after"] = hits[-1]["sort"]


def _compare_document(record: Stored, document: Mapping[str, Any]) -> IndexedDocument:
    """Return the indexed document. Its digest is empty if any stored field differs from the record."""
    stored_document = _parse_document(document)
    return stored_document if document["_source"] == stored(record) else replace(stored_document, digest="")


def _parse_document(document: Mapping[str, Any]) -> IndexedDocument:
    source = document["_source"]
    return IndexedDocument(source["user_id"], document["_id"], source["version"], source.get("digest", ""))


class OpenSearchRebuild:
    """Builds the next version of the index under its own alias, to which `OpenSearchWriter` also writes."""

    def __init__(self, client: OpenSearch, layout: Layout, alias: str = ALIAS) -> None:
        self._client, self._layout, self._alias = client, layout, alias

    def model(self) -> str | None:
        """Return the embedding model of the live index. If there is no index, return the template's model, or None."""
        with as_index_unavailable():
            for live in versions(self._client, self._alias):
                return live.metadata.get("embedding_model")
            return model_of_layout(self._client, self._alias)

    def begin(self) -> str:
        """Return the name of the next index. Continues a begun one with the same layout, and deletes any other."""
        prepare(self._client, self._layout, self._alias)
        with as_index_unavailable():
            for begun in versions(self._client, self._next_alias):
                if begun.metadata == mark(self._layout):
                    return begun.name
                self._client.indices.delete(index=begun.name, params=_WAIT)
            name = next_name(self._client, self._alias)
            create(self._client, name, self._next_alias)
        return name

    def fill(self, records: Sequence[Stored]) -> list[IndexOutcome]:
        """Write records to the next index only. If it is unavailable, each outcome is "retry"."""
        try:
            return write(self._client, self._next_alias, mark(self._layout), records, over=True, is_present=False)
        except IndexUnavailable as error:  # the next bulk request may succeed
            return [IndexOutcome("retry", str(error))] * len(records)

    def finish(self) -> None:
        """Point the alias to the next index and delete the old one. Raises `IndexUnavailable` if none was begun."""
        with as_index_unavailable():
            new = next(iter(versions(self._client, self._next_alias)), None)
            if new is None:
                raise IndexUnavailable("another reindex has ended meanwhile, and its version is asked")
            self._client.indices.refresh(index=new.name, params=_WAIT)
            old = next((live.name for live in versions(self._client, self._alias)), None)
            switch(self._client, self._alias, old, new.name, {"remove": {"index": new.name, "alias": self._next_alias}})

    @property
    def _next_alias(self) -> str:
        return self._alias + REBUILD_SUFFIX

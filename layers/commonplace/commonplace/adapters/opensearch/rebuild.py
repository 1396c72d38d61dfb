"""Fills the next version of the index beside the one in use; and reads the index to compare it with the records."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opensearchpy import OpenSearch

from commonplace.adapters.opensearch.client import WRITE_SECONDS, as_index_unavailable, routing_of
from commonplace.adapters.opensearch.document import ALIAS, Layout, mark
from commonplace.adapters.opensearch.document_writer import REBUILD_SUFFIX, write
from commonplace.adapters.opensearch.setup import create, model_of_layout, next_name, prepare, switch, versions
from commonplace.ports.values import IndexChange, IndexedDocument, IndexOutcome, IndexUnavailable, Stored

_WAIT = {"request_timeout": WRITE_SECONDS}
_FIELDS = ["user_id", "version", "digest", "status"]
_PURGED = {"term": {"status": "purged"}}
_PAGE = 1_000
_KEPT_OPEN = "5m"


class OpenSearchContents:
    """The index that is asked, read and mended document by document."""

    def __init__(self, client: OpenSearch, alias: str = ALIAS) -> None:
        self._client, self._alias = client, alias

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        asked = [
            {"_id": one.memory.memory_id, "routing": routing_of(one.memory.user_id), "_source": _FIELDS} for one in records
        ]
        with as_index_unavailable():
            found = self._client.mget(body={"docs": asked}, index=self._alias, params=_WAIT)["docs"]
        if any("error" in document for document in found):
            raise IndexUnavailable("the index is not there")
        return [_indexed_document(document) if document["found"] else None for document in found]

    def every(self) -> Iterator[IndexedDocument]:
        with as_index_unavailable():
            opened = self._client.create_pit(index=self._alias, params={"keep_alive": _KEPT_OPEN, **_WAIT})["pit_id"]
            try:
                yield from self._pages(opened)
            finally:
                self._client.delete_pit(body={"pit_id": [opened]}, params=_WAIT)

    def of_user(self, user_id: str) -> Iterator[IndexedDocument]:
        body: dict[str, Any] = {
            "query": {"bool": {"filter": [{"term": {"user_id": user_id}}], "must_not": [_PURGED]}},
            "sort": [{"memory_id": "asc"}],
            "size": _PAGE,
            "_source": _FIELDS,
            "track_total_hits": False,
        }
        how = {"routing": routing_of(user_id), "allow_partial_search_results": "false", **_WAIT}
        with as_index_unavailable():
            while hits := self._client.search(body=body, index=self._alias, params=how)["hits"]["hits"]:
                yield from map(_indexed_document, hits)
                body["search_after"] = hits[-1]["sort"]

    def miscounted(self, user_id: str) -> list[str]:  # noqa: ARG002 - it counts when it is asked
        return []

    def recount(self, user_id: str) -> None:
        """Nothing is counted beside the documents."""

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        with as_index_unavailable():
            (live,) = versions(self._client, self._alias)
        return write(self._client, self._alias, live.metadata, changes, over=True)

    def _pages(self, opened: str) -> Iterator[IndexedDocument]:
        body: dict[str, Any] = {
            "query": {"bool": {"must_not": [_PURGED]}},
            "pit": {"id": opened, "keep_alive": _KEPT_OPEN},
            "sort": [{"user_id": "asc"}, {"memory_id": "asc"}],
            "size": _PAGE,
            "_source": _FIELDS,
            "track_total_hits": False,
        }
        while hits := self._client.search(body=body, params=_WAIT)["hits"]["hits"]:
            yield from map(_indexed_document, hits)
            body["search_after"] = hits[-1]["sort"]


def _indexed_document(document: Mapping[str, Any]) -> IndexedDocument:
    kept = document["_source"]
    return IndexedDocument(kept["user_id"], document["_id"], kept["version"], kept.get("digest", ""))


class OpenSearchRebuild:
    """While it is filled the next version has an alias of its own, by which `OpenSearchWriter` writes into it as well."""

    def __init__(self, client: OpenSearch, layout: Layout, alias: str = ALIAS) -> None:
        self._client, self._layout, self._alias = client, layout, alias

    def model(self) -> str | None:
        """The embedding model of the index that is asked now, or that the first one is laid out for; None without either."""
        with as_index_unavailable():
            for live in versions(self._client, self._alias):
                return live.metadata.get("embedding_model")
            return model_of_layout(self._client, self._alias)

    def begin(self) -> str:
        prepare(self._client, self._layout, self._alias)
        with as_index_unavailable():
            for begun in versions(self._client, self._begun):
                if begun.metadata == mark(self._layout):
                    return begun.name
                self._client.indices.delete(index=begun.name, params=_WAIT)
            name = next_name(self._client, self._alias)
            create(self._client, name, self._begun)
        return name

    def fill(self, records: Sequence[Stored]) -> list[IndexOutcome]:
        try:
            return write(self._client, self._begun, mark(self._layout), records, over=True, found=False)
        except IndexUnavailable as error:  # a request that was late as a whole may well pass the next time
            return [IndexOutcome("retry", str(error))] * len(records)

    def finish(self) -> None:
        with as_index_unavailable():
            new = next(iter(versions(self._client, self._begun)), None)
            if new is None:
                raise IndexUnavailable("another reindex has ended meanwhile, and its version is asked")
            self._client.indices.refresh(index=new.name, params=_WAIT)
            old = next((live.name for live in versions(self._client, self._alias)), None)
            switch(self._client, self._alias, old, new.name, {"remove": {"index": new.name, "alias": self._begun}})

    @property
    def _begun(self) -> str:
        return self._alias + REBUILD_SUFFIX

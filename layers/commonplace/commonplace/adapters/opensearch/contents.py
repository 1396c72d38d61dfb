"""What the index holds, to be compared with the records."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opensearchpy import OpenSearch

from commonplace.adapters.opensearch.client import WRITE_SECONDS, asking, routing_of
from commonplace.adapters.opensearch.mapping import ALIAS
from commonplace.adapters.opensearch.setup import versions
from commonplace.adapters.opensearch.writing import write
from commonplace.index_ports import Change, Held, Outcome
from commonplace.ports import IndexUnavailable, Stored

_WAIT = {"request_timeout": WRITE_SECONDS}
_FIELDS = ["user_id", "version", "digest", "status"]
_PAGE = 1_000
_KEPT_OPEN = "5m"


class OpenSearchContents:
    """The index that is asked, read and mended document by document."""

    def __init__(self, client: OpenSearch, alias: str = ALIAS) -> None:
        self._client, self._alias = client, alias

    def look_up(self, records: Sequence[Stored]) -> list[Held | None]:
        asked = [
            {"_id": one.memory.memory_id, "routing": routing_of(one.memory.user_id), "_source": _FIELDS} for one in records
        ]
        with asking():
            found = self._client.mget(body={"docs": asked}, index=self._alias, params=_WAIT)["docs"]
        if any("error" in document for document in found):
            raise IndexUnavailable("the index is not there")
        return [_held(document) if document["found"] else None for document in found]

    def every(self) -> Iterator[Held]:
        with asking():
            opened = self._client.create_pit(index=self._alias, params={"keep_alive": _KEPT_OPEN, **_WAIT})["pit_id"]
            try:
                yield from self._pages(opened)
            finally:
                self._client.delete_pit(body={"pit_id": [opened]}, params=_WAIT)

    def mend(self, changes: Sequence[Change]) -> list[Outcome]:
        with asking():
            (live,) = versions(self._client, self._alias)
        return write(self._client, self._alias, live.told.get("embedding_model", ""), changes, over=True)

    def _pages(self, opened: str) -> Iterator[Held]:
        body: dict[str, Any] = {
            "query": {"bool": {"must_not": [{"term": {"status": "purged"}}]}},
            "pit": {"id": opened, "keep_alive": _KEPT_OPEN},
            "sort": [{"user_id": "asc"}, {"memory_id": "asc"}],
            "size": _PAGE,
            "_source": _FIELDS,
            "track_total_hits": False,
        }
        while hits := self._client.search(body=body, params=_WAIT)["hits"]["hits"]:
            yield from map(_held, hits)
            body["search_after"] = hits[-1]["sort"]


def _held(document: Mapping[str, Any]) -> Held:
    kept = document["_source"]
    return Held(kept["user_id"], document["_id"], kept["version"], kept.get("digest", ""))

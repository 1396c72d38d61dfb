"""The next version of the index, filled beside the one that is asked."""

from collections.abc import Sequence

from opensearchpy import OpenSearch

from commonplace.adapters.opensearch.client import WRITE_SECONDS, asking
from commonplace.adapters.opensearch.mapping import ALIAS, Layout, mark
from commonplace.adapters.opensearch.setup import create, laid_out_for, next_name, prepare, switch, versions
from commonplace.adapters.opensearch.writing import BEGUN, write
from commonplace.index_ports import Outcome
from commonplace.ports import IndexUnavailable, Stored

_WAIT = {"request_timeout": WRITE_SECONDS}


class OpenSearchRebuild:
    """While it is filled the next version has an alias of its own, by which `OpenSearchWriter` writes into it as well."""

    def __init__(self, client: OpenSearch, layout: Layout, alias: str = ALIAS) -> None:
        self._client, self._layout, self._alias = client, layout, alias

    def model(self) -> str | None:
        """The embedding model of the index that is asked now, or that the first one is laid out for; None without either."""
        with asking():
            for live in versions(self._client, self._alias):
                return live.told.get("embedding_model")
            return laid_out_for(self._client, self._alias)

    def begin(self) -> str:
        prepare(self._client, self._layout, self._alias)
        with asking():
            for begun in versions(self._client, self._begun):
                if begun.told == mark(self._layout):
                    return begun.name
                self._client.indices.delete(index=begun.name, params=_WAIT)
            name = next_name(self._client, self._alias)
            create(self._client, name, self._begun)
        return name

    def fill(self, records: Sequence[Stored]) -> list[Outcome]:
        try:
            return write(self._client, self._begun, self._layout.embedding_model, records, over=True, found=False)
        except IndexUnavailable as error:  # a request that was late as a whole may well pass the next time
            return [Outcome("retry", str(error))] * len(records)

    def finish(self) -> None:
        with asking():
            new = next(iter(versions(self._client, self._begun)), None)
            if new is None:
                raise IndexUnavailable("another reindex has ended meanwhile, and its version is asked")
            self._client.indices.refresh(index=new.name, params=_WAIT)
            old = next((live.name for live in versions(self._client, self._alias)), None)
            switch(self._client, self._alias, old, new.name, {"remove": {"index": new.name, "alias": self._begun}})

    @property
    def _begun(self) -> str:
        return self._alias + BEGUN

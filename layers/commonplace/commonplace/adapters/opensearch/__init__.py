"""An index in an OpenSearch domain of version 2.19 or newer, with k-NN and neural-search."""

from commonplace.adapters.opensearch.client import connect
from commonplace.adapters.opensearch.contents import OpenSearchContents
from commonplace.adapters.opensearch.facts import OpenSearchFacts
from commonplace.adapters.opensearch.index import OpenSearchIndex
from commonplace.adapters.opensearch.mapping import Layout
from commonplace.adapters.opensearch.rebuilding import OpenSearchRebuild
from commonplace.adapters.opensearch.setup import set_up
from commonplace.adapters.opensearch.writing import OpenSearchWriter

__all__ = [
    "Layout",
    "OpenSearchContents",
    "OpenSearchFacts",
    "OpenSearchIndex",
    "OpenSearchRebuild",
    "OpenSearchWriter",
    "connect",
    "set_up",
]

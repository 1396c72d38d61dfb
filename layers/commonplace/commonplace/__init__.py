"""Commonplace is a long-term memory that AI agents can trust.

from commonplace import Commonplace

with Commonplace("memory.db", user_id="ana") as memory:
    memory.store_memory("My daughter Mia is allergic to peanuts.")
    memory.search_memory("is anybody allergic?").results
"""

from typing import TYPE_CHECKING

from commonplace.domain.errors import CommonplaceError, ErrorCode

if TYPE_CHECKING:
    from commonplace.client.arguments import (
        ExportFilter,
        FilterOptions,
        InsightFilter,
        Place,
        SearchOptions,
        StoreContext,
        StoreMetadata,
        TimeSpan,
    )
    from commonplace.client.async_memory import AsyncCommonplace
    from commonplace.client.memory import Commonplace
    from commonplace.settings import Settings

__all__ = [
    "AsyncCommonplace", "Commonplace", "CommonplaceError", "ErrorCode", "ExportFilter", "FilterOptions", "InsightFilter",
    "Place", "SearchOptions", "Settings", "StoreContext", "StoreMetadata", "TimeSpan", "__version__",
]  # fmt: skip

__version__ = "0.2.0"  # pyproject.toml reads the version from here, because a layer on AWS has no package metadata


def __getattr__(name: str) -> object:
    # A function on AWS imports modules of this package but never the client, so the client is imported on first use.
    if name == "Commonplace":
        from commonplace.client.memory import Commonplace

        return Commonplace
    if name == "AsyncCommonplace":
        from commonplace.client.async_memory import AsyncCommonplace

        return AsyncCommonplace
    if name == "Settings":
        from commonplace.settings import Settings

        return Settings
    if name in __all__:
        from commonplace.client import arguments

        return getattr(arguments, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Opens the ports that compare an index with the records of its file or table, and defines the report about a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commonplace.bootstrap.models import DIMENSION
from commonplace.domain.flaws import Flaws
from commonplace.ports.bundle import Upkeep
from commonplace.ports.index import PendingWrites

if TYPE_CHECKING:
    from commonplace.adapters.dynamodb.calls import Table
    from commonplace.adapters.sqlite.database import Database
    from commonplace.domain.consistency import Kind
    from commonplace.ports.models import Embedder


@dataclass(frozen=True)
class FileReport:
    """The result of checking a file.

    `records` is the number of readable records. `faults` contains a line for each fault found in the file. `inconsistencies`
    counts differences between the index and the records, by kind. `mended` is the number of corrected differences.
    """

    records: int
    flaws: Flaws
    faults: list[str]
    inconsistencies: "Mapping[Kind, int]" = field(default_factory=dict)
    mended: int = 0


def upkeep_of_file(database: "Database", embedder: "Embedder") -> Upkeep:
    """Return the ports that compare a file's index with its records. A repair embeds the memories that it mends."""
    from commonplace.adapters.sqlite.contents import SqliteContents
    from commonplace.adapters.sqlite.records import SqliteEverything

    return Upkeep(SqliteEverything(database), SqliteContents(database, embedder, DIMENSION))


def upkeep_of_table(table: "Table", pending: PendingWrites, domain: Any, alias: str) -> Upkeep:
    """Return the ports that check one table, and its index if there is a search domain."""
    from commonplace.adapters.dynamodb.records import DynamoEverything

    if domain is None:
        return Upkeep(DynamoEverything(table))
    from commonplace.adapters.opensearch.rebuild import OpenSearchContents

    return Upkeep(DynamoEverything(table), OpenSearchContents(domain, alias), pending)

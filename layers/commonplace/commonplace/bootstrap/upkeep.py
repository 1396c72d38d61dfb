"""Compares the index of a file or table with its records, and reports the faults of a file."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commonplace.bootstrap.models import DIMENSION
from commonplace.domain.errors import CommonplaceError
from commonplace.domain.flaws import Flaws, gathered
from commonplace.ports.bundle import Ports, Upkeep
from commonplace.ports.index import PendingWrites

if TYPE_CHECKING:
    from commonplace.adapters.dynamodb.calls import Table
    from commonplace.adapters.sqlite.database import Database
    from commonplace.domain.consistency import Kind
    from commonplace.ports.models import Embedder


@dataclass(frozen=True)
class FileReport:
    """The faults of a file.

    `records` is the number of readable records. `faults` has a line for each fault found by SQLite. `inconsistencies` counts
    differences between index and records, by kind. `mended` is the number of corrected differences.
    """

    records: int
    flaws: Flaws
    faults: list[str]
    inconsistencies: "Mapping[Kind, int]" = field(default_factory=dict)
    mended: int = 0


def report_of(ports: Ports, faults: list[str], repair: bool, progress: Callable[[int], None]) -> FileReport:
    """Compare index and records of all users, until one can't be read. `progress` receives the number of comparisons."""
    from commonplace.indexing.consistency import check_consistency

    assert ports.upkeep is not None
    upkeep, count = ports.upkeep(), 0
    try:
        assert upkeep.contents is not None
        report = check_consistency(upkeep.everything, ports.records, upkeep.contents, repair, progress)
        return FileReport(report.records, report.flaws, faults, report.inconsistencies, report.mended)
    except CommonplaceError as error:
        messages = [*faults, error.message]
    with gathered() as flaws, suppress(CommonplaceError):  # the error is already in `messages`
        for _ in upkeep.everything.every():
            count += 1
    return FileReport(count, flaws, messages)


def upkeep_of_file(database: "Database", embedder: "Embedder") -> Upkeep:
    """Return the maintenance of one SQLite file. A repair computes vectors of the embedder's model."""
    from commonplace.adapters.sqlite.contents import SqliteContents
    from commonplace.adapters.sqlite.records import SqliteEverything

    return Upkeep(SqliteEverything(database), SqliteContents(database, embedder, DIMENSION))


def upkeep_of_table(table: "Table", pending: PendingWrites, domain: Any, alias: str) -> Upkeep:
    """Return the maintenance of one table, and of its index if there is a search domain."""
    from commonplace.adapters.dynamodb.records import DynamoEverything

    if domain is None:
        return Upkeep(DynamoEverything(table))
    from commonplace.adapters.opensearch.rebuild import OpenSearchContents

    return Upkeep(DynamoEverything(table), OpenSearchContents(domain, alias), pending)

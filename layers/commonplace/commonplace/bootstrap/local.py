"""Opens a memory file on this machine, and creates a clock in the user's time zone."""

import io
import logging
import re
import struct
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from commonplace.bootstrap.models import (
    DIMENSION,
    SENTENCE_ENCODER,
    OnFirstUse,
    build_embedder,
    language_model_of,
    night_of,
    reader_of,
    weights_of,
)
from commonplace.bootstrap.upkeep import FileReport, upkeep_of_file
from commonplace.domain.errors import CommonplaceError, time_zone
from commonplace.domain.flaws import gathered
from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.ports.bundle import BackupStorage, Ports
from commonplace.ports.index import MemoryIndex
from commonplace.ports.records import AllRecords, UserErasure
from commonplace.ports.values import Clock
from commonplace.settings import Settings, machine_zone_name

if TYPE_CHECKING:
    from commonplace.adapters.sqlite.database import Database
    from commonplace.ports.night import NightPorts

_LOG = logging.getLogger("commonplace")
_NAME = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_SUMMER_TIME = re.compile(rf"{_NAME}[+-]?\d{{1,2}}(?::\d{{2}}){{0,2}}{_NAME}(?:[+-]?\d{{1,2}}(?::\d{{2}}){{0,2}})?")


@dataclass(frozen=True)
class OpenStore:
    """An open store with its ports and a function that closes it. The ports for runs and erasure are created on first use.

    `everything` returns the records of all users. `faults` returns one line for each fault found in the file.
    """

    ports: Ports
    close: Callable[[], None]
    night: "Callable[[], NightPorts]"
    erasure: Callable[[], UserErasure]
    everything: Callable[[], AllRecords]
    faults: Callable[[], list[str]] = list

    def reindex(self, user_id: str, clock: Clock, progress: Callable[[int, int], None] = lambda _, __: None) -> int:
        """Re-embed a user's memories whose vectors came from another model, and return how many there were.

        `progress` receives the number of memories embedded so far and the total.
        """
        from commonplace.indexing.rebuild import EmbeddingRenewal, embed_stale

        renewal = EmbeddingRenewal(self.ports.records, self.ports.embedder, clock)
        return embed_stale(user_id, self.everything(), renewal, progress)

    def check(self, progress: Callable[[int], None] = lambda _: None, repair: bool = False) -> FileReport:
        """Compare the index with all records. An error ends the comparison. `progress` receives the number compared."""
        from commonplace.indexing.consistency import check_consistency

        faults, count = self.faults(), 0
        assert self.ports.upkeep is not None
        upkeep = self.ports.upkeep()
        try:
            assert upkeep.contents is not None
            report = check_consistency(upkeep.everything, self.ports.records, upkeep.contents, repair, progress)
            return FileReport(report.records, report.flaws, faults, report.inconsistencies, report.mended)
        except CommonplaceError as error:
            faults = [*faults, error.message]
        with gathered() as flaws, suppress(CommonplaceError):  # the error is already in `faults`
            for _ in upkeep.everything.every():
                count += 1
        return FileReport(count, flaws, faults)


def open_local(settings: Settings) -> OpenStore:
    """Open the store in a SQLite file, which is created if it doesn't exist."""
    from commonplace.adapters.sqlite.database import Database
    from commonplace.adapters.sqlite.documents import SqliteDocuments
    from commonplace.adapters.sqlite.facts import SqliteFacts, SqliteUsage
    from commonplace.adapters.sqlite.feedback import SqliteFeedback
    from commonplace.adapters.sqlite.ids import SqliteAliases, SqliteErasedIds
    from commonplace.adapters.sqlite.operations import SqliteOperations
    from commonplace.adapters.sqlite.records import (
        SqliteErasure,
        SqliteEverything,
        SqliteRawRecords,
        SqliteRecords,
        check_file,
    )
    from commonplace.adapters.sqlite.runs import SqliteTagRows
    from commonplace.adapters.sqlite.search_log import SqliteSearchLog
    from commonplace.adapters.sqlite.stored_files import SqliteStoredFiles
    from commonplace.adapters.word_averages import WordAverages

    database = Database(settings.db.expanduser())
    embedder: Any = OnFirstUse(build_embedder)
    usage, search_log = SqliteUsage(database), SqliteSearchLog(database, settings.search_log)
    night = cache(lambda: _build_night(database, settings))
    index: Any = OnFirstUse(lambda: _build_index(database, settings))
    ports = Ports(
        records=SqliteRecords(database), operations=SqliteOperations(database), aliases=SqliteAliases(database),
        erased=SqliteErasedIds(database), raw=SqliteRawRecords(database),
        backups=BackupStorage(settings.backups_kept, settings.backup_days),
        facts=SqliteFacts(database), index=index, usage=usage, search_log=search_log, embedder=embedder,
        words=WordAverages(), feedback=SqliteFeedback(database), documents=SqliteDocuments(database),
        reader=reader_of(settings), summarizer=language_model_of(settings), summary_seconds=settings.claude_deadline,
        profile=settings.ranking, category_confidence=settings.category_confidence, weights=weights_of(settings),
        least_similarity=SIMILARITIES[settings.similarity],
        night=night, files=SqliteStoredFiles(database),
        upkeep=cache(lambda: upkeep_of_file(database, embedder)),
        tag_rows=SqliteTagRows(database),
    )  # fmt: skip

    def close() -> None:
        with ExitStack() as closed:  # all are closed, even if closing one raises
            for store in (database, usage, search_log):
                closed.callback(store.close)

    return OpenStore(
        ports, close, night, lambda: SqliteErasure(database), lambda: SqliteEverything(database), lambda: check_file(database)
    )


def _build_index(database: "Database", settings: Settings) -> MemoryIndex:
    from commonplace.adapters.sqlite.index import SqliteIndex
    from commonplace.ports.index import DEPTHS

    return SqliteIndex(database, SENTENCE_ENCODER, DIMENSION, DEPTHS[settings.depth])


def _build_night(database: "Database", settings: Settings) -> "NightPorts":
    from commonplace.adapters.sqlite.ledger import SqliteLedger
    from commonplace.adapters.sqlite.runs import SqliteBudget, SqliteRuns

    night = night_of(settings, SqliteLedger(database), SqliteRuns(database), SqliteBudget(database))
    return replace(night, finish_erasing=database.fold_log)


@cache
def machine_zone(named: str) -> tzinfo:
    """Return the machine's time zone, which includes the rules for summer time and not just today's UTC offset.

    `named` is the value of `TZ`, which is an IANA name or a POSIX string. For any other value, log a warning and return UTC.
    """
    from tzlocal import get_localzone

    try:
        return get_localzone()
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass  # tzlocal doesn't parse POSIX strings
    try:
        return _parse_posix_zone(named)
    except ValueError:
        _LOG.warning("TZ=%s names no time zone: UTC is used; give an IANA name such as Europe/Berlin", named[:64])
        return UTC


def _parse_posix_zone(text: str) -> ZoneInfo:
    """Return the time zone for a POSIX string such as `CET-1CEST,M3.5.0,M10.5.0/3`. Raises `ValueError` for anything else.

    If the string names summer time without giving rules, the default rules of glibc apply. The standard library parses POSIX
    strings only in the last line of a TZif file (RFC 8536), so this function builds such a file.
    """
    with_rules = f"{text},M3.2.0,M11.1.0" if _SUMMER_TIME.fullmatch(text) else text
    counts = struct.pack(">6l", 0, 0, 0, 0, 1, 4)  # one type of local time, whose name has four bytes
    block = b"TZif2" + bytes(15) + counts + struct.pack(">lBB", 0, 0, 0) + b"UTC\0"
    return ZoneInfo.from_file(io.BytesIO(block + block + b"\n" + with_rules.encode("ascii") + b"\n"), key=text)


def local_clock(zone: str | None, now: Clock | None = None, field: str = "timezone") -> Clock:
    """Return a clock in the time zone with the IANA name `zone`, or in the machine's time zone.

    `field` is the argument that error messages name. `now` replaces the machine's clock. If `zone` is None, the clock returns
    the datetimes from `now` unchanged, so a fixed UTC offset does not follow summer time.
    """
    if zone is None and now is not None:
        return now
    if zone is None:
        machine = machine_zone(machine_zone_name())
        return lambda: datetime.now(machine)
    zone_info = time_zone(zone, field)
    return (lambda: datetime.now(zone_info)) if now is None else (lambda: now().astimezone(zone_info))

"""The composition root: the only module that knows adapters, and imports each when it is first needed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.ports import Clock, Ports, StatementReader
from commonplace.settings import Settings


@dataclass(frozen=True)
class Local:
    """Everything that one memory file needs, and how to let go of it."""

    ports: Ports
    close: Callable[[], None]


def open_local(settings: Settings) -> Local:
    """The ports over one SQLite file, which is made if it isn't there."""
    from commonplace.adapters.sqlite.database import Database
    from commonplace.adapters.sqlite.facts import SqliteFacts
    from commonplace.adapters.sqlite.index import SqliteIndex
    from commonplace.adapters.sqlite.records import SqliteRecords
    from commonplace.adapters.sqlite.usage import SqliteUsage
    from commonplace.adapters.static_embedder import StaticEmbedder

    database = Database(settings.db.expanduser())
    embedder = StaticEmbedder()
    usage = SqliteUsage(database)
    ports = Ports(
        records=SqliteRecords(database),
        facts=SqliteFacts(database),
        index=SqliteIndex(database, embedder.name, embedder.dimension),
        usage=usage,
        embedder=embedder,
        reader=_reader(settings),
        profile=settings.ranking,
    )

    def close() -> None:
        usage.close()
        database.close()

    return Local(ports, close)


def local_clock(zone: str | None) -> Clock:
    """The machine's clock in a zone by its IANA name, or in the machine's own."""
    if zone is None:
        from tzlocal import get_localzone  # by name, not by today's offset: other days may have another

        machine = get_localzone()
        return lambda: datetime.now(machine)
    try:
        found = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT, "timezone: is no IANA name such as Europe/Berlin", "timezone"
        ) from error
    return lambda: datetime.now(found)


def _reader(settings: Settings) -> StatementReader | None:
    if settings.anthropic_api_key is None:
        return None
    from commonplace.adapters.claude import ClaudeReader

    return ClaudeReader(
        api_key=settings.anthropic_api_key,
        model=settings.claude_model,
        base_url=settings.anthropic_base_url,
        temperature=settings.claude_temperature,
        deadline_seconds=settings.claude_deadline,
    )

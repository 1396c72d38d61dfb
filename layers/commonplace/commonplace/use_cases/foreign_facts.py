"""A statement of another store as a memory: what of it can be kept, with the times, the end and the tags that it had."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Place, is_never
from commonplace.domain.ids import new_memory_id
from commonplace.domain.imports import Fact, ForeignFact
from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import Source
from commonplace.memories.enrich import EnrichedStatement
from commonplace.memories.ingest import new_entry
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.text.redaction import Redaction, redact
from commonplace.use_cases.legacy_memories import hyphenated
from commonplace.use_cases.legacy_records import MOST_TAGS, moment, noted, split_tags

TOOL = "import"
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)  # ids know no time before
_PLACE = ("session_id", "position", "speaker")


@dataclass(frozen=True)
class CheckedFact:
    """A statement that can be kept. `cut`: the note had no room for all that it has no field for."""

    where: str
    name: str
    fact: Fact
    source: Source
    cut: bool
    redacted: tuple[str, ...]


def checked_fact(given: ForeignFact, zone: tzinfo | None, *, redacting: bool = True) -> CheckedFact:
    """The statement without secrets; a time that can't be read goes to the note. Raises a 400 that names the field.

    Without `redacting` secrets are not looked for, which is most of the work: for what is only counted.
    """
    if not isinstance(given.content, str):
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "content: there are no words", "content")
    said = (
        redact(given.content.strip(), given.before) if redacting else Redaction(given.content.strip(), (), only_secret=False)
    )
    if said.only_secret:
        raise CommonplaceError(ErrorCode.SECRET_ONLY, "content: holds nothing but a secret", "content")
    rest, times = dict(given.rest), dict[str, datetime]()
    for name, value in given.times.items():
        try:
            times[name] = value if isinstance(value, datetime) else moment(value)
        except (ValueError, TypeError, OverflowError, OSError):
            rest |= {name: value} if value not in (None, "") else {}
    tags, over = split_tags(_words(given.tags))
    rest |= {"tags": over} if over else {}
    note, cut = noted(None, {name: value for name, value in rest.items() if value not in (None, "", [], {})})
    fields: dict[str, Any] = {name: getattr(given, name) for name in _PLACE}
    fields |= {"content": said.text, "tags": tags[:MOST_TAGS], "user_note": note, **times}
    fields = {name: one for name, one in fields.items() if one is not None}
    fact, kinds = validate.validate(Fact, fields, zone) if redacting else (validate.check(Fact, fields), [])
    return CheckedFact(given.where, given.alias, fact, given.source, cut, tuple(dict.fromkeys((*said.kinds, *kinds))))


def _words(given: Any) -> list[str]:
    words = given.split(",") if isinstance(given, str) else given if isinstance(given, (list, tuple)) else ()
    return [word.strip() for word in words if isinstance(word, str) and word.strip()]


def memory_of(one: CheckedFact, statement: EnrichedStatement, caller: Caller, ports: Ports) -> Memory:
    """The memory of a statement; what it doesn't tell is derived by rules, as of a store.

    What is not true any more is closed, and what is to end later gets its end; what is over stays over.
    """
    fact, now = one.fact, caller.now
    ends = min(filter(None, (fact.expires_at, fact.valid_to)), default=None)
    later = ends is not None and not is_never(ends) and ends > now
    given: dict[str, Any] = {
        "agent_id": caller.agent_id,
        "source": one.source,
        "user_note": fact.user_note,
        "tags": tuple(dict.fromkeys(filter(None, map(hyphenated, fact.tags)))) or statement.tags,
        "expires_at": ends if later else None,
    }
    place = Place(session_id=fact.session_id, position=fact.position, speaker=fact.speaker, event_time=fact.event_time)
    made = new_entry(TOOL, statement, place, caller, ports, given).memory
    created = min(fact.created_at or now, now)
    kept: dict[str, Any] = {
        "memory_id": new_memory_id(max(created, _FIRST)),
        "created_at": created,
        "last_accessed": fact.last_accessed,
        "valid_from": fact.valid_from,
    }
    return made.model_copy(update={**kept, **_end(fact, now)})


def _end(fact: Fact, now: datetime) -> Mapping[str, Any]:
    """How it ended, if it did."""
    if fact.valid_to is not None and fact.valid_to <= now:
        return {"status": "superseded", "valid_to": fact.valid_to, "expires_at": None, "purge_at": None}
    if fact.expires_at is not None and fact.expires_at <= now:  # kept for as long as what ends now
        return {"durability": "daily", "expires_at": fact.expires_at, "purge_at": now + PURGE_DELAY}
    return {}

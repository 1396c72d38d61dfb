"""The plan of an import of any size: what each entry comes to by its name and a fingerprint of its words, of which none is
kept. Secrets and near-duplicates are looked for where entries are shown, and when the import is applied."""

import hashlib
import secrets
import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes, in_zone
from commonplace.domain.flaws import gathered
from commonplace.domain.imports import ForeignFact, Imported, ImportedMemory, ImportOutcome, RefusedEntry
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.taxonomy import ImportKind
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.documents import fingerprint, fingerprint_of, folded
from commonplace.use_cases.foreign_facts import CheckedFact, checked_fact
from commonplace.use_cases.import_facts import CONFLICT, ERASED, Progress, led_by, refused

_BATCH = 500
_MOST_NAMED = 10_000
"""Of the known, the refused and the like: how many a plan names; it counts all."""


def quick_plan(
    kind: ImportKind,
    why: str,
    given: Iterable[ForeignFact | RefusedEntry],
    caller: Caller,
    ports: Ports,
    listed: range,
    progress: Progress,
) -> Imported:
    """Tells what taking in these statements would do, entry by entry as they are read. `listed`: of which it is told what
    happens to them. `progress` is told how many are read."""
    with gathered() as flaws, closing(sqlite3.connect("")) as file:  # without a name: a temporary file, which goes with it
        work = _Work(caller, ports, listed, _Fingerprints(file))
        for memory in ports.records.all(caller.user_id):
            if memory.status == "active":
                work.seen.add(fingerprint(memory), memory.memory_id)
        for batch in in_batches(given, _BATCH):
            work.take(batch)
            progress(work.entries, None)
    return work.told(kind, why).naming(flaws)


class _Fingerprints:
    """Which words were there already. On disk is a hash under a key that nobody else has and nobody keeps."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file, self._key = file, secrets.token_bytes(32)
        file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000")
        file.execute("CREATE TABLE seen (fingerprint BLOB PRIMARY KEY, memory_id TEXT) WITHOUT ROWID")

    def add(self, fingerprint: bytes, memory_id: str | None) -> tuple[str | None] | None:
        """None for what is new; else the id of the memory that has the words, if it is one that is here."""
        keyed = hashlib.blake2b(fingerprint, key=self._key, digest_size=16).digest()
        if self._file.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (keyed, memory_id)).rowcount:
            return None
        found: tuple[str | None] = self._file.execute("SELECT memory_id FROM seen WHERE fingerprint = ?", (keyed,)).fetchone()
        return found


@dataclass
class _Work:
    caller: Caller
    ports: Ports
    listed: range
    seen: _Fingerprints
    entries: int = 0
    closed: int = 0
    outcomes: Counter[ImportOutcome] = field(default_factory=Counter)
    names: dict[str, list[str]] = field(default_factory=lambda: {"known": [], "conflict": [], "cut": []})
    refused: list[RefusedEntry] = field(default_factory=list)
    rows: list[ImportedMemory] = field(default_factory=list)
    redacted: dict[str, None] = field(default_factory=dict)

    def take(self, batch: Iterable[ForeignFact | RefusedEntry]) -> None:
        """Counts some entries."""
        names = [one.alias for one in batch if isinstance(one, ForeignFact)]
        erased = self.ports.erased.among(self.caller.user_id, names)
        led = led_by(names, self.caller, self.ports)
        for one in batch:
            try:
                if isinstance(one, RefusedEntry):
                    row = self._refused(one)
                elif one.alias in erased:
                    raise CommonplaceError(ErrorCode.ERASED, ERASED, "name")
                else:
                    row = self._fact(one, led.get(one.alias))
            except CommonplaceError as error:
                row = self._refused(refused(one.where, error))
            self.outcomes[row.outcome] += 1
            self.rows += [row] if self.entries in self.listed else []
            self.entries += 1

    def _refused(self, one: RefusedEntry) -> ImportedMemory:
        self.refused += [one] if len(self.refused) < _MOST_NAMED else []
        return ImportedMemory(where=one.where, outcome="refused", content="", why=one.message)

    def _fact(self, given: ForeignFact, there: Memory | None) -> ImportedMemory:
        checked = self._checked(given, self.entries in self.listed)
        if there is not None and folded(there.content) != folded(checked.fact.content):
            checked = self._checked(given, True)  # it may differ by a secret that was taken out here
        fact = checked.fact
        self.redacted |= dict.fromkeys(checked.redacted)
        row = ImportedMemory(where=given.where, outcome="added", content=fact.content)
        if there is not None:
            same = folded(there.content) == folded(fact.content)
            return self._left(row, "known" if same else "conflict", given, there.memory_id, None if same else CONFLICT)
        ends = fact.valid_to and in_zone(fact.valid_to, self.caller.now.tzinfo)
        if ends is not None and ends <= self.caller.now:
            self.closed += 1
        else:
            place = fact.session_id, fact.position
            found = self.seen.add(fingerprint_of(fact.content, DEFAULT_COLLECTION, self.caller.agent_id, *place), None)
            if found is not None:
                why = "stands in the file before" if found[0] is None else "is here and says the same"
                return self._left(row, "known", given, found[0], why)
        self.names["cut"] += [given.alias] if checked.cut and len(self.names["cut"]) < _MOST_NAMED else []
        return row

    def _checked(self, given: ForeignFact, redacting: bool) -> CheckedFact:
        return checked_fact(given, self.caller.now.tzinfo, redacting=redacting)

    def _left(
        self, row: ImportedMemory, outcome: ImportOutcome, given: ForeignFact, memory_id: str | None, why: str | None
    ) -> ImportedMemory:
        if len(self.names[outcome]) < _MOST_NAMED:
            self.names[outcome].append(given.alias)
        return row.model_copy(update={"outcome": outcome, "memory_id": memory_id, "why": why})

    def told(self, kind: ImportKind, why: str) -> Imported:
        """The plan."""
        return Imported(
            kind=kind,
            why=why,
            applied=False,
            entries=self.entries,
            added=self.outcomes["added"],
            closed=self.closed,
            known=self.names["known"],
            conflicts=self.names["conflict"],
            refused=self.refused,
            outcomes=dict(self.outcomes),
            memories=self.rows,
            cut=self.names["cut"],
            notes=Notes(redacted=list(self.redacted)) if self.redacted else None,
        )

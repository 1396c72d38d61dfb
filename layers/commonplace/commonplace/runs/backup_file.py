"""A backup file: compressed JSON Lines with a header, records with their audit rows, aliases and feedback."""

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from commonplace.domain.errors import CommonplaceError
from commonplace.domain.fields import EARLIEST
from commonplace.domain.memory import Memory
from commonplace.domain.strict_json import read_object
from commonplace.domain.transfer import BackupProblem, KeptFile
from commonplace.ports.documents import KeptFiles
from commonplace.ports.values import Alias, Audit, Rating, RawRecord

_HEADER, _FORM = "commonplace_backup", 1
_LINE_STARTS = {"aliases": b'{"alias": ', "ratings": b'{"rating": '}  # how their lines begin
_LEVEL = 6
_READING = (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, CommonplaceError)
"""Errors of reading a damaged file; from gzip, JSON and Pydantic."""


@dataclass(frozen=True)
class Backup:
    """A user's data at one moment."""

    as_of: datetime
    records: tuple[RawRecord, ...]
    aliases: tuple[Alias, ...]
    ratings: tuple[Rating, ...] = ()

    def body(self) -> bytes:
        """Return the bytes of the file; deterministic."""
        counts = {"records": len(self.records), "aliases": len(self.aliases), "ratings": len(self.ratings)}
        header = {_HEADER: _FORM, "as_of": self.as_of.isoformat(), **counts}
        lines = (header, *map(_record_line, self.records), *map(_alias_line, self.aliases), *map(_rating_line, self.ratings))
        return _compressed(json.dumps(line, ensure_ascii=False).encode() for line in lines)


@dataclass
class BackupReading:
    """The readable content of a backup; `backup` is None if nothing can be read."""

    backup: Backup | None = None
    problems: list[BackupProblem] = field(default_factory=list)

    @property
    def unreadable(self) -> list[str]:
        """Ids of records that were unreadable when the backup was made, and are stored as raw bytes."""
        return [one.memory_id for one in self.backup.records if one.memory is None] if self.backup else []


def read_backup(file: KeptFile, body: bytes, user_id: str) -> BackupReading:
    """Read a backup and report all its problems, without quoting it."""
    reading = BackupReading()
    if hashlib.sha256(body).hexdigest() != file.sha256 or len(body) != file.bytes:
        reading.problems.append(BackupProblem(detail="the file is not what was written: its SHA-256 is another"))
    try:
        header, *lines = gzip.decompress(body).splitlines()
        told = read_object(header)
        as_of = datetime.fromisoformat(told["as_of"])
        if told[_HEADER] != _FORM:
            reading.problems.append(BackupProblem(detail=f"the file is of another form than {_FORM}; upgrade commonplace"))
            return reading
    except _READING:
        reading.problems.append(BackupProblem(detail="the file can't be read"))
        return reading
    records, aliases, ratings = list[RawRecord](), list[Alias](), list[Rating]()
    for number, line in enumerate(lines, 2):
        try:
            given = read_object(line)
            if "alias" in given:
                aliases.append(Alias(**given["alias"]))
            elif "rating" in given:
                ratings.append(Rating(**{**given["rating"], "at": datetime.fromisoformat(given["rating"]["at"])}))
            else:
                records.append(_record(given, user_id))
        except _READING:
            reading.problems.append(BackupProblem(detail=f"line {number} can't be read"))
    counted = {"records": len(records), "aliases": len(aliases), "ratings": len(ratings)}
    if any(told.get(name) != count for name, count in counted.items()):
        reading.problems.append(BackupProblem(detail=f"of {told.get('records')} records {len(records)} are there"))
    reading.backup = Backup(as_of, tuple(records), tuple(aliases), tuple(ratings))
    why = "could not be read when the backup was made; the backup contains it unchanged"
    reading.problems += [BackupProblem(id=one, detail=why) for one in reading.unreadable]
    return reading


def forget_in_backups(files: KeptFiles, user_id: str, memory_ids: Collection[str]) -> bool:
    """Rewrite the user's backups without some memories. Damaged backups are deleted, as they may contain them.

    A memory that only an erased one had superseded, as after a merge, becomes active again in the backup. Expired backups
    that still exist are rewritten too: by another clock they may be valid. Returns whether any backup was changed.
    """
    changed = False
    for file in files.listed(user_id, "backup", EARLIEST):
        found = files.get(user_id, "backup", file.file_id, EARLIEST)
        if found is None or hashlib.sha256(found[1]).hexdigest() != file.sha256:
            files.delete(user_id, "backup", file.file_id)
            changed = True
            continue
        without = _without(found[1], set(memory_ids))
        if without is not None:
            left, records = without
            files.put(user_id, described(file, records, left), left)
            changed = True
    return changed


def kept_backups(files: KeptFiles, user_id: str) -> list[Backup]:
    """Return the readable backups of the user."""
    found = (files.get(user_id, "backup", file.file_id, EARLIEST) for file in files.listed(user_id, "backup", EARLIEST))
    backups = (read_backup(*one, user_id).backup for one in found if one is not None)
    return [one for one in backups if one is not None]


def _without(body: bytes, memory_ids: Collection[str]) -> tuple[bytes, int] | None:
    """Parses only the lines that contain one of the ids. None if there are none."""
    header, *lines = gzip.decompress(body).splitlines()
    names, gone = [one.encode() for one in memory_ids], dict[str, Mapping[str, Any]]()
    found = [json.loads(line) if any(name in line for name in names) else None for line in lines]
    for given in found:
        if given is not None and given.get("memory_id") in memory_ids:
            gone[given["memory_id"]] = given.get("memory", {})
    kept = [
        line if given is None else json.dumps(_alone(given, gone), ensure_ascii=False).encode()
        for line, given in zip(lines, found, strict=True)
        if given is None or str((given.get("alias") or given.get("rating") or given)["memory_id"]) not in memory_ids
    ]
    if len(kept) == len(lines):
        return None
    beside = {name: sum(line.startswith(begins) for line in kept) for name, begins in _LINE_STARTS.items()}
    records = len(kept) - sum(beside.values())
    told = {**json.loads(header), "records": records, **beside}
    return _compressed([json.dumps(told).encode(), *kept]), records


def _alone(given: Mapping[str, Any], gone: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    by = given.get("memory", {}).get("superseded_by")
    for _ in gone:
        if by in gone and gone[by].get("status") != "active":
            by = gone[by].get("superseded_by")
    if by not in gone or gone[by].get("status") != "active":
        return given
    return {**given, "memory": {**given["memory"], "status": "active", "superseded_by": None, "valid_to": None}}


def _compressed(lines: Iterable[bytes]) -> bytes:
    return gzip.compress(b"".join(line + b"\n" for line in lines), _LEVEL, mtime=0)


def described(file: KeptFile, records: int, body: bytes) -> KeptFile:
    """Return the file's metadata for a new body."""
    return file.model_copy(update={"count": records, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()})


def _record_line(record: RawRecord) -> Mapping[str, object]:
    audits = [[version, one.operation, one.at.isoformat(), one.detail] for version, one in record.audits.items()]
    if record.memory is None:
        return {"memory_id": record.memory_id, "raw": base64.b64encode(record.record).decode(), "audits": audits}
    return {"memory_id": record.memory_id, "memory": record.memory.model_dump(mode="json"), "audits": audits}


def _alias_line(alias: Alias) -> Mapping[str, object]:
    return {"alias": asdict(alias)}


def _rating_line(rating: Rating) -> Mapping[str, object]:
    return {"rating": {**asdict(rating), "at": rating.at.isoformat()}}


def _record(given: Mapping[str, Any], user_id: str) -> RawRecord:
    audits = {int(version): Audit(name, datetime.fromisoformat(at), detail) for version, name, at, detail in given["audits"]}
    if "raw" in given:
        return RawRecord(str(given["memory_id"]), base64.b64decode(given["raw"], validate=True), None, audits)
    memory = Memory.model_validate(given["memory"], extra="ignore")
    if (memory.user_id, memory.memory_id) != (user_id, given["memory_id"]):
        raise ValueError("another memory's record")
    return RawRecord(memory.memory_id, b"", memory, audits)

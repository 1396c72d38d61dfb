"""Write and read backups, which are compressed JSON Lines: a header, records with their audits, aliases, and ratings."""

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
from commonplace.domain.transfer import BackupProblem, StoredFile
from commonplace.ports.documents import StoredFiles
from commonplace.ports.values import Alias, Audit, Rating, RawRecord

_HEADER, _FORM = "commonplace_backup", 1
_LINE_STARTS = {"aliases": b'{"alias": ', "ratings": b'{"rating": '}  # the first bytes of an alias line or a rating line
_LEVEL = 6
_READING = (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, CommonplaceError)
"""The errors that reading a damaged file can raise."""


@dataclass(frozen=True)
class Backup:
    """A user's records, aliases and ratings at one point in time."""

    as_of: datetime
    records: tuple[RawRecord, ...]
    aliases: tuple[Alias, ...]
    ratings: tuple[Rating, ...] = ()

    def body(self) -> bytes:
        """Return the content of the file. The same data always gives the same bytes."""
        counts = {"records": len(self.records), "aliases": len(self.aliases), "ratings": len(self.ratings)}
        header = {_HEADER: _FORM, "as_of": self.as_of.isoformat(), **counts}
        aliases = ({"alias": asdict(alias)} for alias in self.aliases)
        ratings = ({"rating": {**asdict(rating), "at": rating.at.isoformat()}} for rating in self.ratings)
        lines = (header, *map(_dump_record, self.records), *aliases, *ratings)
        return _compress_lines(json.dumps(line, ensure_ascii=False).encode() for line in lines)


@dataclass
class BackupReading:
    """The readable content of a backup file, and the problems found. `backup` is None if nothing can be read."""

    backup: Backup | None = None
    problems: list[BackupProblem] = field(default_factory=list)

    @property
    def unreadable(self) -> list[str]:
        """The ids of records that were already unreadable when the backup was made. The backup contains their raw bytes."""
        return [record.memory_id for record in self.backup.records if record.memory is None] if self.backup else []


def read_backup(file: StoredFile, body: bytes, user_id: str) -> BackupReading:
    """Read a backup and report all problems. The descriptions never quote the text of a memory."""
    reading = BackupReading()
    if hashlib.sha256(body).hexdigest() != file.sha256 or len(body) != file.bytes:
        reading.problems.append(BackupProblem(detail="the file is not what was written: its SHA-256 is another"))
    try:
        header, *lines = gzip.decompress(body).splitlines()
        header_fields = read_object(header)
        as_of = datetime.fromisoformat(header_fields["as_of"])
        if header_fields[_HEADER] != _FORM:
            reading.problems.append(BackupProblem(detail=f"the file is of another form than {_FORM}; upgrade commonplace"))
            return reading
    except _READING:
        reading.problems.append(BackupProblem(detail="the file can't be read"))
        return reading
    records, aliases, ratings = list[RawRecord](), list[Alias](), list[Rating]()
    for number, line in enumerate(lines, 2):
        try:
            fields = read_object(line)
            if "alias" in fields:
                aliases.append(Alias(**fields["alias"]))
            elif "rating" in fields:
                ratings.append(Rating(**{**fields["rating"], "at": datetime.fromisoformat(fields["rating"]["at"])}))
            else:
                records.append(_parse_record(fields, user_id))
        except _READING:
            reading.problems.append(BackupProblem(detail=f"line {number} can't be read"))
    counted = {"records": len(records), "aliases": len(aliases), "ratings": len(ratings)}
    if any(header_fields.get(name) != count for name, count in counted.items()):
        reading.problems.append(BackupProblem(detail=f"of {header_fields.get('records')} records {len(records)} are there"))
    reading.backup = Backup(as_of, tuple(records), tuple(aliases), tuple(ratings))
    why = "could not be read when the backup was made; the backup contains it unchanged"
    reading.problems += [BackupProblem(id=memory_id, detail=why) for memory_id in reading.unreadable]
    return reading


def forget_in_backups(files: StoredFiles, user_id: str, memory_ids: Collection[str]) -> bool:
    """Remove memories from the user's backups, and delete damaged backups. Returns whether any backup was changed.

    If a removed memory had replaced another memory, as after a merge, the replaced memory becomes active again in the backup.
    Expired backups are rewritten too, because a process with another clock may consider them valid.
    """
    changed = False
    for file in files.listed(user_id, "backup", EARLIEST):
        file_read = files.get(user_id, "backup", file.file_id, EARLIEST)
        if file_read is None or hashlib.sha256(file_read[1]).hexdigest() != file.sha256:
            files.delete(user_id, "backup", file.file_id)
            changed = True
            continue
        without = _remove_memories(file_read[1], set(memory_ids))
        if without is not None:
            left, records = without
            files.put(user_id, described(file, records, left), left)
            changed = True
    return changed


def stored_backups(files: StoredFiles, user_id: str) -> list[Backup]:
    """Return the readable backups of a user, including expired ones."""
    files_read = (files.get(user_id, "backup", file.file_id, EARLIEST) for file in files.listed(user_id, "backup", EARLIEST))
    backups = (read_backup(*file_read, user_id).backup for file_read in files_read if file_read is not None)
    return [backup for backup in backups if backup is not None]


def _remove_memories(body: bytes, memory_ids: Collection[str]) -> tuple[bytes, int] | None:
    """Return the body without these memories, and how many records remain. If it contains none of them, return None."""
    header, *lines = gzip.decompress(body).splitlines()
    names, gone = [memory_id.encode() for memory_id in memory_ids], dict[str, Mapping[str, Any]]()
    objects = [json.loads(line) if any(name in line for name in names) else None for line in lines]
    for fields in objects:
        if fields is not None and fields.get("memory_id") in memory_ids:
            gone[fields["memory_id"]] = fields.get("memory", {})
    lines_left = [
        line if fields is None else json.dumps(_reopen_superseded(fields, gone), ensure_ascii=False).encode()
        for line, fields in zip(lines, objects, strict=True)
        if fields is None or str((fields.get("alias") or fields.get("rating") or fields)["memory_id"]) not in memory_ids
    ]
    if len(lines_left) == len(lines):
        return None
    counts = {name: sum(line.startswith(begins) for line in lines_left) for name, begins in _LINE_STARTS.items()}
    records = len(lines_left) - sum(counts.values())
    header_fields = {**json.loads(header), "records": records, **counts}
    return _compress_lines([json.dumps(header_fields).encode(), *lines_left]), records


def _reopen_superseded(fields: Mapping[str, Any], gone: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Make a memory active again if the active memory that replaced it was removed."""
    by = fields.get("memory", {}).get("superseded_by")
    for _ in gone:
        if by in gone and gone[by].get("status") != "active":
            by = gone[by].get("superseded_by")
    if by not in gone or gone[by].get("status") != "active":
        return fields
    return {**fields, "memory": {**fields["memory"], "status": "active", "superseded_by": None, "valid_to": None}}


def _compress_lines(lines: Iterable[bytes]) -> bytes:
    return gzip.compress(b"".join(line + b"\n" for line in lines), _LEVEL, mtime=0)


def described(file: StoredFile, records: int, body: bytes) -> StoredFile:
    """Return the metadata of `file`, updated for a new body."""
    return file.model_copy(update={"count": records, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()})


def _dump_record(record: RawRecord) -> Mapping[str, object]:
    audits = [[version, audit.operation, audit.at.isoformat(), audit.detail] for version, audit in record.audits.items()]
    if record.memory is None:
        return {"memory_id": record.memory_id, "raw": base64.b64encode(record.record).decode(), "audits": audits}
    return {"memory_id": record.memory_id, "memory": record.memory.model_dump(mode="json"), "audits": audits}


def _parse_record(fields: Mapping[str, Any], user_id: str) -> RawRecord:
    audits = {int(version): Audit(name, datetime.fromisoformat(at), detail) for version, name, at, detail in fields["audits"]}
    if "raw" in fields:
        return RawRecord(str(fields["memory_id"]), base64.b64decode(fields["raw"], validate=True), None, audits)
    memory = Memory.model_validate(fields["memory"], extra="ignore")
    if (memory.user_id, memory.memory_id) != (user_id, fields["memory_id"]):
        raise ValueError("another memory's record")
    return RawRecord(memory.memory_id, b"", memory, audits)

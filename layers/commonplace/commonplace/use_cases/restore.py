"""Restore a backup. A restore is planned first, then applied by the plan's id, and can be undone like any run."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import may_be_id, new_operation_id
from commonplace.domain.interactions import RunReport
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped, RunOperation
from commonplace.domain.transfer import ADMINS, BackupRequest, BackupResult, RefusedMemory, RestoreMode, StoredFile
from commonplace.memories.transitions import PURGE_DELAY, deleted, replaced_tags
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.values import RATING_TTL, Audit, Caller, Change, IndexUnavailable, Rating, RawRecord, Stored
from commonplace.retrieval.documents import fingerprint
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation, RunContext
from commonplace.runs.backup_file import Backup, BackupReading, read_backup
from commonplace.runs.queueing import parse_run
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.export_memories import IMPORTED_HISTORY, stored_files

_DONE = ("planned", "needs_review", "applied")
_LOST = "it was changed after the plan was made, or its content or key was taken"
GONE, CHANGED, LATER = "is gone, and in the backup", "is another in the backup", "came after the backup"  # stored in plans
_BATCH = 100
_UNCOMPARED_FIELDS = {"version", "updated_at", "access_count", "last_accessed", "embedding_model", "purge_at"}
_ERASED = "was erased, and is not restored"
_DAMAGED = "the memory with this id can't be read, and stays"
_UNREADABLE = "could not be read when the backup was made"
_DIFFERS = "the memory with this id has other content, which stays"
_TAKEN = "{} has the same content or key"


@dataclass
class RestorePlanner:
    """Plans the restore of one backup."""

    backup: Backup
    backup_id: str
    mode: RestoreMode
    caller: Caller
    ports: Ports
    existing: dict[str, Memory] = field(default_factory=dict)
    goals: dict[str, Memory] = field(default_factory=dict)
    """The target state of each memory, by id."""
    refused: list[Dropped] = field(default_factory=list)
    _past: dict[str, RawRecord] = field(default_factory=dict)

    def plan(self) -> Plan:
        """Return a plan of operations. For each memory that isn't restored, the plan contains an error code and a reason."""
        with gathered() as flaws:
            self.existing = {memory.memory_id: memory for memory in self.ports.records.all(self.caller.user_id)}
        self._past = {record.memory_id: record for record in self.backup.records}
        erased = self.ports.erased.among(self.caller.user_id, self._past)
        for record in self.ports.in_time(self.backup.records):
            self._decide_goal(record, erased, flaws.unreadable)
        if self.mode == "replace":
            later = [memory for name, memory in self.existing.items() if memory.status == "active" and name not in self._past]
            self.goals |= {memory.memory_id: deleted(memory, self.caller.now) for memory in later}
        self._refuse_taken()
        present = {*self.existing, *self.goals, *flaws.unreadable}
        self.goals = {name: _drop_dead_links(memory, present) for name, memory in self.goals.items()}
        return Plan(
            operations=tuple(self._plan_operations()),
            dropped=tuple(self.refused),
            candidates=len(self._past),
            backup_id=self.backup_id,
        )

    def _decide_goal(self, record: RawRecord, erased: Collection[str], unreadable: Collection[str]) -> None:
        """Set the state to restore for a record, or note the reason that the record isn't restored."""
        name, memory, current = record.memory_id, record.memory, self.existing.get(record.memory_id)
        if name in erased or (current is not None and not current.content):
            self._refuse(name, ErrorCode.ERASED, _ERASED)
        elif name in unreadable:
            self._refuse(name, ErrorCode.CONFLICT, _DAMAGED)
        elif memory is None:
            if current is None:
                self._refuse(name, ErrorCode.INVALID_ARGUMENT, _UNREADABLE)
        elif current is None:
            if memory.status != "deleted":  # a purge of deleted memories was intended
                self._set_goal(memory)
        elif current.content != memory.content:
            self._refuse(name, ErrorCode.CONFLICT, _DIFFERS)
        elif _dump_compared_fields(current) != _dump_compared_fields(memory) and (
            self.mode == "replace" or _is_gone(current, memory)
        ):
            used = {"access_count": current.access_count, "last_accessed": current.last_accessed}
            fields = {**used, "version": current.version, "embedding_model": current.embedding_model}
            self._set_goal(memory.model_copy(update=fields).next_version(self.caller.now))

    def _set_goal(self, memory: Memory) -> None:
        """Set the state to restore for a memory. A memory that is due for purging is kept for another 30 days."""
        purge_at = None if memory.purge_at is None else self.caller.now + PURGE_DELAY
        self.goals[memory.memory_id] = memory.model_copy(update={"purge_at": purge_at})

    def _refuse(self, memory_id: str, code: ErrorCode, why: str) -> None:
        self.refused.append(Dropped(memory_id=memory_id, code=code.label, why=why))

    def _refuse_taken(self) -> None:
        """Refuse memories with the same content or key as a memory that stays active."""
        opening = [name for name in self.goals if self._is_opening(name)]
        places = dict[object, str]()
        for name, memory in {**self.existing, **self.goals}.items():
            if name not in opening:
                places |= dict.fromkeys(self._list_unique_values(memory), name)
        for name in opening:
            taken = next((places[place] for place in self._list_unique_values(self.goals[name]) if place in places), None)
            if taken is not None:
                self._refuse(name, ErrorCode.CONFLICT, _TAKEN.format(taken))
                del self.goals[name]
            else:
                places |= dict.fromkeys(self._list_unique_values(self.goals[name]), name)

    def _list_unique_values(self, memory: Memory) -> list[object]:
        """Return a memory's content and key, each of which must be unique among active memories."""
        if memory.status != "active" or memory.has_expired(self.caller.now):
            return []
        return [fingerprint(memory), *([(memory.collection, memory.key)] if memory.key is not None else [])]

    def _is_opening(self, name: str) -> bool:
        """Return whether the restore activates an inactive memory."""
        return self.goals[name].status == "active" and (name not in self.existing or self.existing[name].status != "active")

    def _plan_operations(self) -> Iterator[PlannedOperation]:
        """Yield the operations in order. Those that add a memory also restore its free names and valid ratings."""
        gone = [name for name in self.goals if name not in self.existing]
        names, rated = self._find_free_names(gone), self._find_valid_ratings(gone)
        for planned in self._order_operations(gone):
            name = planned.told.memory_id or ""
            yield planned.model_copy(update={"aliases": names.get(name, ()), "ratings": rated.get(name, ())})

    def _order_operations(self, gone: Sequence[str]) -> Iterator[PlannedOperation]:
        """Yield the operations in order. If a memory prevents another from being opened, the same operation closes it."""
        new = dict[str, PlannedChange]()
        for batch in self.ports.in_time(in_batches(gone, _BATCH)):
            new |= self._plan_returns(batch)
        opening = [name for name in self.goals if self._is_opening(name)]
        waiting = {name: None for name in self.goals if not self._is_opening(name)}
        holders = self._find_closing_holders(waiting)
        for name in opening:
            blocking = [memory_id for memory_id in self._find_conflicting_names(name, holders) if memory_id in waiting]
            for memory_id in blocking:
                del waiting[memory_id]
            yield self._plan_operation(name, new.get(name), blocking)
        for name in waiting:
            yield self._plan_operation(name, new.get(name), ())

    def _plan_returns(self, names: Sequence[str]) -> Iterator[tuple[str, PlannedChange]]:
        """Yield a change for each memory that adds it as an import does, with its id, its history and a higher version."""
        memories, embedder = [self.goals[name] for name in names], self.ports.embedder
        texts = list(dict.fromkeys(memory.content for memory in memories))
        vectors = dict(zip(texts, embedder.embed_all(texts), strict=True))
        for memory, version in zip(memories, _get_indexed_versions(memories, self.ports), strict=True):
            vector = vectors[memory.content]
            own = {
                "version": max(memory.version, version) + 1, "updated_at": self.caller.now,
                "embedding_model": embedder.name if vector is not None else None,
            }  # fmt: skip
            audits = self._past[memory.memory_id].audits.values()
            steps = [{"operation": audit.operation, "at": audit.at.isoformat()} for audit in audits]
            audit = Audit("restore", self.caller.now, {"backup_id": self.backup_id, IMPORTED_HISTORY: steps})
            yield memory.memory_id, PlannedChange.of(Change(memory.model_copy(update=own), audit, vector))

    def _find_free_names(self, memory_ids: Collection[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the external names of each memory, except for names that are erased or in use."""
        wanted, user_id = set(memory_ids), self.caller.user_id
        named = [alias for alias in self.backup.aliases if alias.memory_id in wanted and not alias.withdrawn]
        names = [alias.name for alias in named]
        taken = self.ports.aliases.get(user_id, names).keys() | self.ports.erased.among(user_id, names)
        by_id = defaultdict[str, tuple[str, ...]](tuple)
        for alias in named:
            by_id[alias.memory_id] += () if alias.name in taken else (alias.name,)
        return by_id

    def _find_valid_ratings(self, memory_ids: Collection[str]) -> Mapping[str, tuple[Rating, ...]]:
        """Return the unexpired ratings of each memory."""
        wanted, by_id = set(memory_ids), defaultdict[str, tuple[Rating, ...]](tuple)
        for rating in self.backup.ratings:
            if rating.memory_id in wanted and self.caller.now - rating.at < RATING_TTL:
                by_id[rating.memory_id] += (rating,)
        return by_id

    def _find_closing_holders(self, names: Iterable[str]) -> Mapping[object, str]:
        """Map the contents, keys and ids of the memories that the restore closes to the ids of these memories."""
        active = [name for name in names if name in self.existing and self.existing[name].status == "active"]
        closing = [name for name in active if self.goals[name].status != "active"]
        return {place: name for name in closing for place in (name, *self._list_unique_values(self.existing[name]))}

    def _find_conflicting_names(self, opening: str, holders: Mapping[object, str]) -> Iterable[str]:
        """Return the memories that prevent `opening` because they have its content or key, or because they replaced it."""
        before = self.existing.get(opening)
        wanted = [*self._list_unique_values(self.goals[opening]), before.superseded_by if before else None]
        return dict.fromkeys(holders[place] for place in wanted if place in holders)

    def _plan_operation(self, name: str, new: PlannedChange | None, blocking: Sequence[str]) -> PlannedOperation:
        """Plan to add, change or delete a memory. A memory that isn't in the backup is deleted."""
        operation_id, later = new_operation_id(self.caller.now), name not in self._past
        change = new or self._build_change(name, operation_id)
        opens = new is not None or self.goals[name].status == "active"
        operation = RunOperation(
            operation_id=operation_id, kind="ADD" if new else "DELETE" if later else "UPDATE", outcome="planned",
            memory_id=None if later else name, closed=(name,) if later else tuple(blocking),
            why=LATER if later else GONE if new or _is_gone(self.existing[name], self.goals[name]) else CHANGED,
        )  # fmt: skip
        closes = [*(self._build_change(memory_id, operation_id) for memory_id in blocking), *(() if opens else (change,))]
        return PlannedOperation(told=operation, at=self.caller.now, opens=change if opens else None, closes=tuple(closes))

    def _build_change(self, name: str, operation_id: str) -> PlannedChange:
        before, after = self.existing[name], self.goals[name]
        detail = {"backup_id": self.backup_id, "operation_id": operation_id, **replaced_tags(before, after)}
        return PlannedChange.of(Change(after, Audit("restore", self.caller.now, detail), before=before))


def restore(request: BackupRequest, caller: Caller, ports: Ports) -> BackupResult:
    """Plan a restore, report a plan, or apply it. Raises `INVALID_ARGUMENT` if `confirm` isn't the backup's id."""
    if (request.backup_id is None) == (request.run_id is None):
        raise invalid("backup_id", "give it for a plan, or the run_id of a plan, not both")
    if request.run_id is None and request.confirm is not None:
        raise invalid("confirm", "requires the run_id of a plan; make the plan first")
    context = run_context(caller, ports)
    if request.run_id is None:
        with gathered() as flaws:
            planner = _build_planner(request.backup_id, request.mode or "missing", caller, ports)
            report = change_many("restore", lambda _: planner.plan(), context, dry_run=True, run_id=None, request=request)
        return _build_answer(report).naming(flaws)
    if request.mode is not None:
        raise invalid("mode", "is already part of the plan")
    run = parse_run("restore", request.run_id, context)
    if run.status != "queued" and request.confirm not in (None, run.backup_id):
        raise invalid("confirm", "must be the id of the backup that this plan brings back")
    confirmed = request.confirm is not None
    report = change_many(
        "restore", _refuse_planning, context, dry_run=not (confirmed and caller.admin), run_id=request.run_id, publish=publish
    )  # fmt: skip
    may = f"nothing was changed; that may do {ADMINS.format(verb='backup restore')}"
    return _build_answer(report, Notes(warnings=[may]) if confirmed and not caller.admin else None)


def named_backup(backup_id: str | None, caller: Caller, ports: Ports) -> tuple[StoredFile, BackupReading]:
    """Return one of the user's backups and its readable content. Raises `NOT_FOUND` for an unknown or expired backup."""
    if backup_id is None:
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "backup_id: is required", "backup_id")
    file_read = stored_files(ports).get(caller.user_id, "backup", backup_id, caller.now) if may_be_id(backup_id) else None
    if file_read is None:
        why = f"backup_id: there is no such backup; backups are deleted after {ports.backups.days} days"
        raise CommonplaceError(ErrorCode.NOT_FOUND, why, "backup_id")
    return file_read[0], read_backup(*file_read, caller.user_id)


def _refuse_planning(_: RunContext) -> Plan:
    raise AssertionError("a plan that is named is not made again")


def _build_planner(backup_id: str | None, mode: RestoreMode, caller: Caller, ports: Ports) -> RestorePlanner:
    """Return the planner for a backup. Raises `INVALID_ARGUMENT` if the backup is damaged, unless `mode` is "missing"."""
    file, reading = named_backup(backup_id, caller, ports)
    damaged = any(problem.id is None for problem in reading.problems)
    if reading.backup is None or (damaged and mode == "replace"):  # unreadable memories would be treated as missing
        hint = "" if reading.backup is None else "; mode missing takes what can be read"
        raise invalid("backup_id", f"this backup is damaged{hint}")
    return RestorePlanner(reading.backup, file.file_id, mode, caller, ports)


def _build_answer(report: RunReport, notes: Notes | None = None) -> BackupResult:
    run = report.run
    if run.error:
        notes = Notes(warnings=[*((notes.warnings if notes else None) or []), run.error])
    stored = [operation for operation in run.operations if operation.outcome in _DONE]
    lost = [step.memory_id or step.closed[0] for step in run.operations if step.outcome in ("lost", "discarded")]
    refused = [RefusedMemory(id=item.memory_id or "", code=item.code or "", message=item.why) for item in run.dropped]
    return BackupResult(
        backup_id=run.backup_id,
        run_id=run.run_id if run.operations or run.status in ("queued", "failed") else None,
        status=run.public_status,
        progress=run.progress,
        adds=[str(operation.memory_id) for operation in stored if operation.why == GONE],
        changes=[str(operation.memory_id) for operation in stored if operation.why == CHANGED and operation.memory_id],
        closes=[closed for operation in stored for closed in operation.closed],
        refused=[*refused, *(RefusedMemory(id=name, code=ErrorCode.CONFLICT.label, message=_LOST) for name in lost)],
        notes=notes,
    )


def _dump_compared_fields(memory: Memory) -> dict[str, object]:
    return memory.model_dump(exclude=_UNCOMPARED_FIELDS)


def _is_gone(memory: Memory, then: Memory) -> bool:
    """Return whether the memory is deleted now and was active in the backup."""
    return memory.status == "deleted" and then.status == "active"


def _drop_dead_links(memory: Memory, present: Collection[str]) -> Memory:
    links = {name: getattr(memory, name) for name in ("supersedes", "superseded_by")}
    return memory.model_copy(update={name: None for name, link in links.items() if link not in present})


def _get_indexed_versions(memories: Sequence[Memory], ports: Ports) -> list[int]:
    """Return the version of each memory in the index, or 0 if it isn't indexed. The index accepts only newer versions."""
    contents = ports.upkeep().contents if ports.upkeep else None
    if contents is None:
        return [0] * len(memories)
    try:
        indexed = contents.look_up([Stored(memory, None) for memory in memories])
    except IndexUnavailable as error:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the index can't be asked: {error}") from error
    return [document.version if document is not None else 0 for document in indexed]
